#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <fstream>
#include <vector>

/// Where, and how urgently, threads of this machine run.
namespace tactus::host {

/// The CPUs this process may use.
inline std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

/// Binds the calling thread to a CPU.
inline void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  static_cast<void>(pthread_setaffinity_np(pthread_self(), sizeof set, &set));
}

/// Timers of the calling thread fire when they are due; the kernel may not delay them.
inline void sharpen_timers() { static_cast<void>(prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL)); }

/// Whether the kernel stops real-time threads that run for most of a second.
inline bool realtime_is_limited() {
  long runtime = 0;
  std::ifstream file("/proc/sys/kernel/sched_rt_runtime_us");
  return !(file >> runtime) || runtime != -1;
}

/// SCHED_FIFO for the calling thread; false if the user may not use it.
inline bool make_realtime(int level) {
  const sched_param parameters = {.sched_priority = level};
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0;
}

}  // namespace tactus::host
