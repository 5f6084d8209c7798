#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tactus/base/time.hpp"

namespace tactus::rtgpu {

/// Does a kernel share each of its SMs with itself (two virtual SMs on each physical one), or does
/// it run one block on each SM, as the baselines do?
enum class Interleaving { kNone, kSelf };

/// A kernel and how long it takes on SMs that it has alone.
struct Kernel {
  static constexpr std::int64_t kOne = 1'000'000;  ///< alpha is in millionths

  enum class Kind {
    kMalleable,  ///< faster on more SMs by a formula (Lemma 5.1)
    kRigid,      ///< `work` and `work_min` are its time on any sufficient allocation
    kMeasured,   ///< its time on some counts of SMs is known, and on no others
  };

  /// The times of a measured kernel from this count of SMs on, up to the next step.
  struct Step {
    std::int64_t from = 0;
    std::int64_t units = 0;  ///< of the entry that is used: it runs on these, the others stay idle
    Time longest, shortest;
  };

  Kind kind = Kind::kMalleable;
  std::int64_t width = 1;     ///< the fewest SMs it runs on
  Time work, work_min;        ///< GW: time on ONE SM, overhead included; of a measured one, unused
  Time overhead;              ///< GL: the part that more SMs do not speed up
  std::int64_t alpha = kOne;  ///< latency extension by self-interleaving
  std::vector<Step> steps;    ///< of a measured one: one for each of its entries, ascending

  /// Never requested, on whatever it is given. More SMs never make it longer, and `overhead` is part
  /// of `work`.
  bool absent() const {
    return kind == Kind::kMeasured ? step(width).longest == Time() : work == Time();
  }

  /// GR^, rounded up. @pre sms >= width.
  Time longest(std::int64_t sms, Interleaving mode) const {
    if (kind == Kind::kRigid) return work;
    if (kind == Kind::kMeasured) return step(sms).longest;
    // alpha is applied to all of GW^ before GL^ is taken off: slightly conservative, as printed.
    const std::int64_t ratio = mode == Interleaving::kSelf ? alpha : kOne;
    const __int128 parallel =
        static_cast<__int128>(work.ns()) * ratio - static_cast<__int128>(overhead.ns()) * kOne;
    const __int128 share = static_cast<__int128>(seats(sms, mode)) * kOne;
    const __int128 above = parallel + share - 1;
    if (above <= INT64_MAX) {  // nearly always: a division of 128 bits takes ten times as long
      const auto whole = static_cast<std::int64_t>(above);
      return overhead + Time::from_ns(whole / static_cast<std::int64_t>(share));
    }
    const __int128 quotient = above / share;
    if (quotient > INT64_MAX) checked::throw_overflow();
    return overhead + Time::from_ns(static_cast<std::int64_t>(quotient));
  }

  /// GRv, rounded down: no overhead, no inflation. @pre sms >= width.
  Time shortest(std::int64_t sms, Interleaving mode) const {
    if (kind == Kind::kRigid) return work_min;
    if (kind == Kind::kMeasured) return step(sms).shortest;
    return Time::from_ns(work_min.ns() / seats(sms, mode));
  }

  /// The largest GRv of all counts in [least, most]. @pre width <= least <= most.
  Time largest_shortest(std::int64_t least, std::int64_t most, Interleaving mode) const {
    Time largest = shortest(least, mode);
    if (kind != Kind::kMeasured) return largest;  // falls with the count, or stays
    for (const Step& step : steps) {
      if (step.from > least && step.from <= most) largest = std::max(largest, step.shortest);
    }
    return largest;
  }

  /// How many of its SMs it runs on. @pre sms >= width.
  std::int64_t units(std::int64_t sms) const {
    switch (kind) {
      case Kind::kMalleable:
        break;
      case Kind::kRigid:
        return width;
      case Kind::kMeasured:
        return step(sms).units;
    }
    return sms;
  }

 private:
  static std::int64_t seats(std::int64_t sms, Interleaving mode) {
    return mode == Interleaving::kSelf ? checked::mul(2, sms) : sms;
  }

  /// The first where `sms` is too few for any: a plan from a file may say anything.
  const Step& step(std::int64_t sms) const {
    const auto above =
        std::upper_bound(steps.begin(), steps.end(), sms,
                         [](std::int64_t count, const Step& step) { return count < step.from; });
    return above == steps.begin() ? steps.front() : *(above - 1);
  }
};

}  // namespace tactus::rtgpu
