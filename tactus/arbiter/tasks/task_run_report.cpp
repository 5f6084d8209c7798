#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/simulate/compare.hpp"

namespace tactus::arbiter::tasks {

bool TaskRunReport::good() const {
  for (TaskIndex i = 0; i < tasks.size(); ++i) {
    const TaskRun& task = tasks[i];
    const auto bound = simulate::promised_bound(verdict, i);
    if (task.seen.misses > 0 || task.wrong > 0 || task.unarbitrated > 0) return false;
    if (bound && task.longest_undisturbed > *bound) return false;
  }
  return true;
}

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::kOff:
      return "off";
    case Mode::kLock:
      return "lock";
    case Mode::kPriorityLock:
      return "priority-lock";
    case Mode::kArbiter:
      return "arbiter";
  }
  return "none";
}

std::string_view to_string(TierChoice tier) {
  switch (tier) {
    case TierChoice::kChannel:
      return "channel";
    case TierChoice::kYield:
      return "yield";
    case TierChoice::kGate:
      return "gate";
    case TierChoice::kProcess:
      return "process";
  }
  return "none";
}

}  // namespace tactus::arbiter::tasks
