#include "tactus/arbiter/tiers/tier_survey.hpp"

#include <new>

#include "tactus/arbiter/preload/driver.hpp"
#include "tactus/arbiter/tiers/tier_block.hpp"
#include "tactus/host/child.hpp"
#include "tactus/host/shared_memory.hpp"

namespace tactus::arbiter::tiers {
namespace {

TierFound found(const char* name, const TierTrialBlock::Times& times) {
  TierFound tier{.name = name, .available = times.passed, .reason = times.reason};
  if (!tier.available && tier.reason.empty()) tier.reason = "the trial did not end";
  for (std::uint32_t i = 0; i < times.count; ++i) {
    tier.take_off.push_back(Time::from_ns(times.take_off_ns[i]));
    tier.put_back.push_back(Time::from_ns(times.put_back_ns[i]));
  }
  return tier;
}

TierFound unavailable(const char* name, std::string reason) {
  return {.name = name, .reason = std::move(reason)};
}

}  // namespace

Result<TierSurvey> survey_tiers(const SurveyOptions& options) {
  const host::SharedMemory memory("tactus-tiers", sizeof(TierTrialBlock),
                                  host::SharedMemory::For::kStarted);
  if (!memory) return Error{"no memory to share with the trial"};
  auto* const block = new (memory.at()) TierTrialBlock;

  const preload::Driver driver = preload::loaded_driver();
  std::vector<std::string> environment;
  // Without a known driver its controls are not touched, not even to try.
  if (driver.supported) environment.push_back("LD_PRELOAD=" + options.preload);
  auto child = host::Child::start({options.program, "tier-process", std::to_string(memory.file()),
                                   std::to_string(options.device), std::to_string(options.rounds)},
                                  environment);
  if (child) child->wait(30'000 + 20 * options.rounds);

  TierSurvey survey;
  survey.machine = block->machine;
  survey.driver = driver.version;
  const std::string no_gpu = !child ? child.error().message : std::string(block->problem);
  survey.tiers.push_back(!driver.supported ? unavailable("channel", driver.reason)
                         : !no_gpu.empty() ? unavailable("channel", no_gpu)
                                           : found("channel", block->channel));
  survey.tiers.push_back(no_gpu.empty() ? found("yield", block->yield)
                                        : unavailable("yield", no_gpu));
  survey.tiers.back().leaves_by_itself = true;
  survey.tiers.push_back({.name = "gate", .available = true, .leaves_by_itself = true});
  return survey;
}

}  // namespace tactus::arbiter::tiers
