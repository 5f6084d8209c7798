#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/simulate/compare.hpp"

namespace tactus::arbiter::tasks {

Verdict bounds_of(const System& system, Mode mode, bool busy_wait) {
  const std::string family = mode == Mode::kArbiter ? "gcaps"
                             : mode == Mode::kOff   ? "tsg-rr"
                                                    : "fmlp";
  const Method* const method = find_method(family + (busy_wait ? ".busy" : ".suspend"));
  Options options;
  if (mode == Mode::kArbiter) options.variant = "safe-arbiter";
  return analyze(*method, system, options);
}

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
  return mode == Mode::kOff ? "off" : mode == Mode::kLock ? "lock" : "arbiter";
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
