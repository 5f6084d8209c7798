#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

/// Words to sleep on, also across processes. The words are 32 bits wide, as the kernel wants them.
namespace tactus::host {

/// Sleeps while `word` is `expected`, at most until `deadline_ns` (CLOCK_MONOTONIC; 0: for ever).
/// May return early; the caller looks at the word again.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                       std::int64_t deadline_ns = 0) {
  timespec until{};
  until.tv_sec = static_cast<time_t>(deadline_ns / 1'000'000'000);
  until.tv_nsec = static_cast<long>(deadline_ns % 1'000'000'000);
  // FUTEX_WAIT_BITSET takes an absolute time; FUTEX_WAIT would take a relative one.
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, expected, deadline_ns == 0 ? nullptr : &until,
          nullptr, FUTEX_BITSET_MATCH_ANY);
}

inline void futex_wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// To call between two looks of a busy wait.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace tactus::host
