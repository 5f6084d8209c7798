#pragma once

#include <vector>

#include "tactus/arbiter/tasks/task_block.hpp"
#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"

namespace tactus::arbiter::tasks {

/// A task as its process runs it: runs of CPU nodes and runs of GPU nodes, each put together, each
/// filled to `fill` percent of its bound. An `Error` when the task is no chain, a node has no time,
/// or there are too many of them.
Result<std::vector<Piece>> pieces_of(const System& system, const Task& task, int fill);

}  // namespace tactus::arbiter::tasks
