#include "tactus/arbiter/tasks/sharing.hpp"

#include <fmt/core.h>

#include <cassert>

namespace tactus::arbiter::tasks {
Result<Sharing> find_sharing(const Method& method) {
  const bool busy = method.behaviour.busy_wait;
  switch (method.behaviour.processes) {
    case GpuBetween::kArbiter:
      return Sharing{Mode::kArbiter, busy, "safe-arbiter"};
    case GpuBetween::kGates:
      return Sharing{Mode::kBoost, busy, kSafe};
    case GpuBetween::kDriver:
      return Sharing{Mode::kOff, busy, kSafe};
    case GpuBetween::kFifoLock:
      return Sharing{Mode::kLock, busy, kSafe};
    case GpuBetween::kPriorityLock:
      return Sharing{Mode::kPriorityLock, busy, kSafe};
    case GpuBetween::kNobody:
      break;
  }
  return Error{fmt::format("plans of {} are not run as processes: {}", method.id,
                           why_no("a way for processes to share the GPU", method.behaviour))};
}

const Method& method_run_by(Mode mode, bool busy_wait) {
  for (const Method* method : registry()) {
    const auto sharing = find_sharing(*method);
    if (sharing && sharing->mode == mode && sharing->busy_wait == busy_wait) return *method;
  }
  assert(false && "every mode is that of a method");
  return *registry().front();
}

}  // namespace tactus::arbiter::tasks
