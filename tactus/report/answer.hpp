#pragma once

#include <string>

#include "tactus/report/analysis.hpp"

/// What a person who asks "does it work?" reads first.
namespace tactus::report {

/// The answer in a sentence, ONE table of methods and tasks, what does not apply in a line each, and
/// the next command to type.
std::string answer_text(const Analysis& analysis, const Style& style);

/// The first sentence alone: the verdict, the method to deploy, its least slack, and whose it is.
std::string headline_text(const Analysis& analysis, const Style& style);

/// The command that goes on from here; empty where no words of a command are known.
std::string next_command(const Analysis& analysis);

}  // namespace tactus::report
