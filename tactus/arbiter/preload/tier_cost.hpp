#pragma once

#include "tactus/arbiter/tier.hpp"

namespace tactus::arbiter::preload {

/// How `tactus exec` hands on what the self-test measured: "off_max off_mean on_max on_mean
/// samples", in nanoseconds.
inline constexpr const char kTierCostVariable[] = "TACTUS_TIER_COST";

/// No samples where the text is none of ours.
TierCost tier_cost_of(const char* text);

}  // namespace tactus::arbiter::preload
