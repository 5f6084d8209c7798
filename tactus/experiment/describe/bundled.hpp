#pragma once

#include <span>
#include <string_view>

namespace tactus::experiment {

/// An experiment that is part of the program: a file of experiments/.
struct BundledFile {
  std::string_view name, text;
};

/// In alphabetical order; the source is made by cmake/bundle-experiments.cmake.
std::span<const BundledFile> bundled_files();

}  // namespace tactus::experiment
