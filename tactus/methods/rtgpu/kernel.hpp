#pragma once

#include <cstdint>

#include "tactus/model/time.hpp"

namespace tactus::rtgpu {

/// Does a kernel share each of its SMs with itself (two virtual SMs a physical one), or does it run
/// one block an SM, as the baselines do?
enum class Interleaving { kNone, kSelf };

/// A kernel and how long it takes on SMs that nobody else uses (Lemma 5.1).
struct Kernel {
  static constexpr std::int64_t kOne = 1'000'000;  ///< alpha is in millionths

  bool rigid = false;         ///< `work` and `work_min` are its time on any sufficient allocation
  std::int64_t width = 1;     ///< the fewest SMs it runs on
  Time work, work_min;        ///< GW: time on ONE SM, overhead included
  Time overhead;              ///< GL: the part that more SMs do not speed up
  std::int64_t alpha = kOne;  ///< latency extension by self-interleaving

  /// GR^, rounded up. @pre sms >= 1.
  Time longest(std::int64_t sms, Interleaving mode) const {
    if (rigid) return work;
    // alpha is applied to all of GW^ before GL^ is taken off: slightly conservative, as printed.
    const std::int64_t ratio = mode == Interleaving::kSelf ? alpha : kOne;
    const __int128 parallel =
        static_cast<__int128>(work.ns()) * ratio - static_cast<__int128>(overhead.ns()) * kOne;
    const __int128 share = static_cast<__int128>(seats(sms, mode)) * kOne;
    const __int128 quotient = (parallel + share - 1) / share;
    if (quotient > INT64_MAX) checked::throw_overflow();
    return overhead + Time::from_ns(static_cast<std::int64_t>(quotient));
  }

  /// GRv, rounded down: no overhead, no inflation. @pre sms >= 1.
  Time shortest(std::int64_t sms, Interleaving mode) const {
    return rigid ? work_min : Time::from_ns(work_min.ns() / seats(sms, mode));
  }

 private:
  static std::int64_t seats(std::int64_t sms, Interleaving mode) {
    return mode == Interleaving::kSelf ? checked::mul(2, sms) : sms;
  }
};

}  // namespace tactus::rtgpu
