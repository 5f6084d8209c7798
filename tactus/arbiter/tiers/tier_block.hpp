#pragma once

#include <cstddef>
#include <cstdint>

namespace tactus::arbiter::tiers {

inline constexpr std::size_t kMostRounds = 10'000;

/// The findings of a trial, in memory shared with the process that asked for it.
struct TierTrialBlock {
  struct Times {
    bool passed = false;
    std::uint32_t count = 0;
    char reason[200] = {};
    std::int64_t take_off_ns[kMostRounds];
    std::int64_t put_back_ns[kMostRounds];
  };
  char machine[128] = {};
  char problem[200] = {};  ///< why there is no GPU work at all; empty: there is
  Times channel, yield;
};

}  // namespace tactus::arbiter::tiers
