#pragma once

#include <time.h>

#include <cstdint>

namespace tactus::host {

/// Sleeps for that long; a signal may end it early. Part of what is preloaded into other programs,
/// so it uses no C++ library.
inline void nap_ns(std::int64_t ns) {
  const timespec time{static_cast<time_t>(ns / 1'000'000'000),
                      static_cast<long>(ns % 1'000'000'000)};
  nanosleep(&time, nullptr);
}

}  // namespace tactus::host
