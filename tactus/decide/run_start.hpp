#pragma once

#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/decide/cover.hpp"

namespace tactus::decide {

/// How `tactus run` starts the tasks of a system as processes of its own, for the judge.
/// @param system as it is run, with the priorities and cores of the plan
Start start_of_run(const System& system, const arbiter::tasks::TaskRunOptions& options,
                   const arbiter::tasks::Placement& placement);

/// Does this keep `tactus run` from following a plan that it is given? On a GPU, what does not leave it in
/// time; anywhere, a plan that takes off what nothing can take off. Whatever else is not covered is noted.
bool keeps_from_running(const Start& start, const Condition& condition);

}  // namespace tactus::decide
