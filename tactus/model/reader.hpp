#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/model/diagnostic.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// A checked system, or everything that is wrong with the file (up to 20 errors at once). Warnings
/// (a time finer than 1 ns was rounded) come with a system.
struct ReadResult {
  std::optional<System> system;
  std::vector<Diagnostic> diagnostics;
};

/// Reads and checks the text of a system file (docs/use/format.md).
ReadResult read_system(std::string text);

}  // namespace tactus
