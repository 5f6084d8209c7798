#pragma once

#include <string>

#include "tactus/arbiter/tier.hpp"
#include "tactus/arbiter/tiers/tier_survey.hpp"
#include "tactus/base/result.hpp"

namespace tactus::arbiter::tiers {

/// May the tier `channel` be used here? Known driver first, then the self-test, in a process of its
/// own: work was seen to stop, to come back and to be right. That takes a second or two and shares
/// the GPU meanwhile, so the answer is kept until the machine is started anew or has another
/// driver.
/// @param folder where answers are kept (`ChannelNotes`); empty: nowhere
/// @return what it costs; an `Error` says why it may not be used
Result<TierCost> check_channel_tier(const SurveyOptions& options, const std::string& folder);

/// The folder for them: that of the arbiter's socket.
std::string default_answer_folder();

/// The worst and mean of what was measured.
TierCost cost_of(const TierFound& tier);

}  // namespace tactus::arbiter::tiers
