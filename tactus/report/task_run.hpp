#pragma once

#include <string>

#include "tactus/model/system.hpp"
#include "tactus/report/terminal.hpp"
#include "tactus/runtime/arbiter/tasks/task_runner.hpp"

namespace tactus::report {

/// A run of a file's tasks as processes, and how it was asked for.
struct TaskProcesses {
  const System& system;
  const arbiter::TaskRunOptions& options;
  const arbiter::TaskRunReport& run;
};

std::string task_run_text(const TaskProcesses& shown, const Style& style);
std::string task_run_json(const TaskProcesses& shown);

}  // namespace tactus::report
