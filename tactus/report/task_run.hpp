#pragma once

#include <string>

#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/model/system.hpp"
#include "tactus/report/terminal.hpp"

namespace tactus::report {

/// A run of a file's tasks as processes, and how it was asked for.
struct TaskProcesses {
  const System& system;
  const arbiter::tasks::TaskRunOptions& options;
  const arbiter::tasks::TaskRunReport& run;
};

std::string task_run_text(const TaskProcesses& shown, const Style& style);
std::string task_run_json(const TaskProcesses& shown);

}  // namespace tactus::report
