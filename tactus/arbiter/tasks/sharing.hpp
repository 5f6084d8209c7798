#pragma once

#include <string_view>

#include "tactus/arbiter/tasks/task_block.hpp"
#include "tactus/methods/method.hpp"

namespace tactus::arbiter::tasks {

/// How the processes of a run share the GPU so that a behaviour (methods/behaviour.hpp) is kept.
struct Sharing {
  Mode mode;
  bool busy_wait;
  std::string_view variant;  ///< of the analyses: the one that describes such a run
};

/// The sharing that plans of a method need, or why its tasks are not run as processes.
Result<Sharing> find_sharing(const Method& method);

/// The first method of the registry whose plans are run in that way.
const Method& method_run_by(Mode mode, bool busy_wait);

}  // namespace tactus::arbiter::tasks
