#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/model/reader.hpp"

namespace tactus {

/// Is a text JSON lines: several lines, each of them a system (as `tactus lab generate --count` prints
/// them)? A system file itself may be spread over lines: its first line does not close it.
bool is_json_lines(std::string_view text);

/// A system of such a text, and its line.
struct SystemOfLine {
  std::uint32_t line = 0;
  System system;
};

struct ReadSystems {
  std::vector<SystemOfLine> systems;    ///< empty if there is an error
  std::vector<Diagnostic> diagnostics;  ///< with their lines
};

/// Reads and checks every line; all problems are found at once, and the first ones told.
ReadSystems read_system_lines(std::string_view text);

}  // namespace tactus
