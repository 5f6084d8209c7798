#pragma once

#include <span>
#include <string>

#include "tactus/methods/verdict.hpp"
#include "tactus/report/table.hpp"

namespace tactus::report {

/// What the file needs before the methods that do not cover it can be tried: one row for methods
/// that need the same, and all of it at once.
Table obstacle_table(std::span<const Verdict> verdicts);

/// What one method needs: first what must be given, in one line ("`core` for 3 tasks,
/// `runlist_update` for gpu"), then a line for each thing that must be changed.
std::vector<std::string> obstacle_lines(const Verdict& verdict);

/// A text about a place in a file.
std::string with_place(std::string_view text, Position at);

}  // namespace tactus::report
