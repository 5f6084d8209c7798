#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

namespace tactus {

/// The CPU priorities of the real-time tasks, larger is more urgent.
struct Priorities {
  std::vector<std::int64_t> of;  ///< by task; 0 for a best-effort task, which has none
  std::string note;              ///< says so if they are not the file's
};

/// The file's priorities; if no real-time task has one, deadline-monotonic ones from 1 upwards (if
/// deadlines are equal, the task earlier in the file is more urgent), and a note that says so. A
/// file that gives them only to some tasks is refused: its meaning is not clear.
Result<Priorities, Refusal> priorities_of(const System& system);

}  // namespace tactus
