#include "tactus/arbiter/tasks/task_runner.hpp"
#include "tactus/methods/method.hpp"

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
