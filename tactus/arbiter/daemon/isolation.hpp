#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "tactus/base/result.hpp"

/// The assumption behind the variant `safe-arbiter` of the analysis: updates are served on a core
/// without analysed tasks, and nothing delays the arbiter there.
namespace tactus::arbiter::daemon {

/// Moves the calling thread to a CPU of its own and makes it SCHED_FIFO, with its memory locked.
std::optional<Error> isolate(std::optional<int> cpu, int fifo_priority);

/// Why the calling thread is not isolated on `cpu`; empty when it is.
std::string why_not_isolated(std::optional<int> cpu);

/// Does the kernel keep a part of each second from SCHED_FIFO threads that never sleep?
bool real_time_is_throttled();

/// May this process (its first thread) run on that CPU? Unknown counts as yes.
bool may_run_on(pid_t process, int cpu);

}  // namespace tactus::arbiter::daemon
