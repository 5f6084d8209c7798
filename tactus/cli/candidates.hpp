#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <vector>

namespace tactus::cli {

/// What the last word of a command line can become.
struct Candidates {
  std::vector<std::string> words;  ///< whole words, what is there already included
  bool files = false;              ///< and any file
};

/// @param verb the verb of the command line @param words what follows its name; the last one may be
/// empty
Candidates candidates_for(const CLI::App& verb, std::span<const std::string> words);

}  // namespace tactus::cli
