#pragma once

#include <errno.h>
#include <time.h>

#include <cstdint>

/// The clock of everything that runs here. It is part of what is preloaded into other programs, so
/// it uses no C++ library.
namespace tactus::host {

inline std::int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// CLOCK_MONOTONIC in nanoseconds: the same in every process, and it does not pass while the
/// machine is suspended.
inline std::int64_t now_ns() { return clock_ns(CLOCK_MONOTONIC); }

/// CPU time of the calling thread.
inline std::int64_t thread_ns() { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

/// Sleeps until a time on the clock of `now_ns`; signals do not end it early.
inline void sleep_until_ns(std::int64_t ns) {
  const timespec at{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr) == EINTR) {
  }
}

}  // namespace tactus::host
