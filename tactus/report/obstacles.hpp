#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/methods/verdict.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus::report {

/// How much is said of methods that do not cover the file.
enum class Obstacles {
  kFirst,     ///< the first thing that each of them needs
  kAll,       ///< everything
  kShortest,  ///< everything, of those that need least
};

/// What the file needs before the methods that do not cover it can be tried: one entry for methods
/// that need the same. Empty where all cover it.
/// @param file as a word of a command: the shortest ways then say theirs
/// @param wanted the method that counts, which comes first
std::string obstacles_text(std::span<const Verdict> verdicts, Obstacles which, const Style& style,
                           std::string_view file = {}, std::string_view wanted = {});

/// What one method needs: first what must be given, in one line ("`core` for 3 tasks,
/// `runlist_update` for gpu"), then a line for each thing that must be changed.
std::vector<std::string> obstacle_lines(const Verdict& verdict);

/// A text about a place in a file.
std::string with_place(std::string_view text, Position at);

}  // namespace tactus::report
