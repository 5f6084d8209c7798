#include "tactus/arbiter/daemon/isolation.hpp"

#include <fmt/core.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>

#include "tactus/base/file.hpp"

namespace tactus::arbiter::daemon {

std::optional<Error> isolate(std::optional<int> cpu, int fifo_priority) {
  if (cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (*cpu < 0 || *cpu >= CPU_SETSIZE) return Error{fmt::format("there is no CPU {}", *cpu)};
    CPU_SET(static_cast<std::size_t>(*cpu), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
      return Error{fmt::format("cannot run on CPU {}: {}", *cpu, std::strerror(errno))};
  }
  if (fifo_priority > 0) {
    sched_param parameter{};
    parameter.sched_priority = fifo_priority;
    if (sched_setscheduler(0, SCHED_FIFO, &parameter) != 0)
      return Error{fmt::format("cannot use SCHED_FIFO priority {}: {}", fifo_priority,
                               std::strerror(errno))};
    // A page fault costs time, not safety. Future pages only where locking them cannot fail.
    rlimit limit{};
    getrlimit(RLIMIT_MEMLOCK, &limit);
    mlockall(limit.rlim_cur == RLIM_INFINITY ? MCL_CURRENT | MCL_FUTURE : MCL_CURRENT);
  }
  return std::nullopt;
}

std::string why_not_isolated(std::optional<int> cpu) {
  if (!cpu) return "the arbiter has no CPU of its own (--cpu)";
  if (sched_getscheduler(0) != SCHED_FIFO) return "the arbiter is not SCHED_FIFO (--realtime)";
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) != 1 ||
      !CPU_ISSET(static_cast<std::size_t>(*cpu), &set))
    return fmt::format("the arbiter is not bound to CPU {}", *cpu);
  return {};
}

bool real_time_is_throttled() {
  const auto share = read_text_file("/proc/sys/kernel/sched_rt_runtime_us");
  return share && !share->empty() && share->front() != '-';
}

bool may_run_on(pid_t process, int cpu) {
  cpu_set_t set;
  if (process <= 0 || sched_getaffinity(process, sizeof set, &set) != 0) return true;
  return CPU_ISSET(static_cast<std::size_t>(cpu), &set);
}

}  // namespace tactus::arbiter::daemon
