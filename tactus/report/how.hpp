#pragma once

#include <string>

#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"
#include "tactus/report/text/table.hpp"

namespace tactus::report {

/// How a term of a task's bound was computed, to be checked by hand: a formula with its numbers, the
/// nodes that are summed, or in words.
std::string how_text(const Term& term, const Task& task, const System& system);

/// The terms as a table (term, amount, how) of at most 80 columns; what is longer goes on below.
Table terms_table(const TaskVerdict& verdict, const System& system);

}  // namespace tactus::report
