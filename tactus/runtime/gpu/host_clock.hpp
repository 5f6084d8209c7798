#pragma once

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <vector>

/// Time and scheduling of the host's threads.
namespace tactus::runtime::gpu {

inline std::int64_t monotonic_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

/// CPU time of the calling thread.
inline std::int64_t thread_ns() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Sleeps to a point of CLOCK_MONOTONIC.
inline void sleep_until_ns(std::int64_t ns) {
  const timespec at = {ns / 1'000'000'000, ns % 1'000'000'000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

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

/// Timers of the calling thread fire when they are due, not when it suits the kernel.
inline void sharpen_timers() { static_cast<void>(prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL)); }

/// Whether the kernel stops real-time threads that run for most of a second.
inline bool realtime_is_limited() {
  long runtime = 0;
  std::ifstream file("/proc/sys/kernel/sched_rt_runtime_us");
  return !(file >> runtime) || runtime != -1;
}

/// SCHED_FIFO for the calling thread; false where the user may not.
inline bool make_realtime(int level) {
  const sched_param parameters = {.sched_priority = level};
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0;
}

}  // namespace tactus::runtime::gpu
