#include "tactus/arbiter/tasks/sharing.hpp"

#include <fmt/core.h>

#include <array>
#include <cassert>

namespace tactus::arbiter::tasks {
namespace {

constexpr auto kAll = std::to_array<Sharing>({
    {"gpu-priorities-suspend", Mode::kArbiter, false, "safe-arbiter"},
    {"gpu-priorities-busy", Mode::kArbiter, true, "safe-arbiter"},
    {"gpu-gates-suspend", Mode::kBoost, false, kSafe},
    {"gpu-gates-busy", Mode::kBoost, true, kSafe},
    {"round-robin-suspend", Mode::kOff, false, kSafe},
    {"round-robin-busy", Mode::kOff, true, kSafe},
    {"fifo-lock-suspend", Mode::kLock, false, kSafe},
    {"fifo-lock-busy", Mode::kLock, true, kSafe},
    {"priority-lock-suspend", Mode::kPriorityLock, false, kSafe},
    {"priority-lock-busy", Mode::kPriorityLock, true, kSafe},
});

}  // namespace

Result<Sharing> find_sharing(const Method& method) {
  for (const Sharing& sharing : kAll) {
    if (sharing.behaviour == method.behaviour.name) return sharing;
  }
  return Error{fmt::format("plans of {} are not run as processes: {}", method.id,
                           why_no("a way for processes to share the GPU", method.behaviour))};
}

const Method& method_run_by(Mode mode, bool busy_wait) {
  for (const Method* method : registry()) {
    const auto sharing = find_sharing(*method);
    if (sharing && sharing->mode == mode && sharing->busy_wait == busy_wait) return *method;
  }
  assert(false && "every row of kAll is the behaviour of a method");
  return *registry().front();
}

}  // namespace tactus::arbiter::tasks
