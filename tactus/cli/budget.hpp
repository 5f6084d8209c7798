#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "tactus/base/question.hpp"

namespace tactus::cli {

/// What a verb may use. Whatever a file asks for, a verb stays within it, or ends with one line and
/// exit code 3 (docs/use/cli.md shows this table).
struct Budget {
  std::string_view verb;
  std::int64_t memory_gib = 0;     ///< 0: not limited
  std::chrono::seconds time = {};  ///< 0: not limited
};

/// The budget of a verb; without limits if there is no such verb.
Budget budget_of(std::string_view verb);

/// Limits the process to the budget of its verb. `LongWork` asks work to stop in time and report
/// its results; if it has not ended a minute later, the process is ended. The environment can give
/// more: TACTUS_MEMORY in GiB, TACTUS_TIME in seconds; 0 stands for no limit. False, with a
/// complaint, if these are not numbers.
bool keep_budget(std::string_view verb);

/// `--stop-after SECONDS`, of a verb whose work can be stopped at any time and keeps what it has done.
struct StopAfter {
  std::string_view verb;
  std::int64_t seconds = 0;  ///< 0: as its budget says
};
void describe(StopAfter& stop, Fields& is);
/// Before the work begins.
void keep(const StopAfter& stop);

/// How long the verb may work; 0: without limit.
std::chrono::seconds time_budget();

/// "4 GiB of memory, 10 min".
std::string budget_text(const Budget& budget);

}  // namespace tactus::cli
