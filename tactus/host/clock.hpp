#pragma once

#include <time.h>

#include <cstdint>

/// The clock of everything that runs here. Part of what gets preloaded into foreign programs: no
/// C++ library.
namespace tactus::host {

/// CLOCK_MONOTONIC in nanoseconds: the same in every process, and it does not pass while the
/// machine is suspended.
inline std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace tactus::host
