#include "tactus/arbiter/tiers/yield_tier.hpp"

namespace tactus::arbiter::tiers {

Tier YieldTier::tier() {
  Tier tier;
  tier.name = "yield";
  tier.held_at_begin = true;
  tier.leaves_by_itself = true;
  tier.self = this;
  tier.take_off = take_off;
  tier.put_back = put_back;
  return tier;
}

TierResult YieldTier::take_off(void* self, std::int64_t deadline_ns) {
  auto& tier = *static_cast<YieldTier*>(self);
  // The control thread has no context of its own. The gate is shut already: no launch begins now.
  if (tier.work_.use_in_this_thread() || tier.work_.set_yield(true)) return TierResult::kFailed;
  return tier.gate_.close(deadline_ns);
}

TierResult YieldTier::put_back(void* self) {
  auto& tier = *static_cast<YieldTier*>(self);
  const bool told = !tier.work_.use_in_this_thread() && !tier.work_.set_yield(false);
  // Opened even if the word could not be cleared: then the work is very slow, which is better than
  // no progress.
  tier.gate_.open();
  return told ? TierResult::kDone : TierResult::kFailed;
}

client::LeavingWork YieldTier::leaving(GpuWork& work) {
  client::LeavingWork leaving;
  leaving.self = &work;
  // Each is called by the control thread, which has no context of its own.
  leaving.ask_to_leave = [](void* self, bool leave) {
    auto& of = *static_cast<GpuWork*>(self);
    return !of.use_in_this_thread() && !of.set_yield(leave);
  };
  leaving.idle = [](void* self) { return static_cast<GpuWork*>(self)->idle(); };
  leaving.finished = [](void* self) {
    const Result<bool> finished = static_cast<GpuWork*>(self)->finished();
    return !finished || *finished;  // what cannot be asked is not launched again
  };
  leaving.launch_rest = [](void* self) { return !static_cast<GpuWork*>(self)->resume(); };
  return leaving;
}

}  // namespace tactus::arbiter::tiers
