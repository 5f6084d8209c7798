#include "tactus/arbiter/tasks/task_runner.hpp"

namespace tactus::arbiter::tasks {

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
