#pragma once

#include "tactus/arbiter/client/gate.hpp"
#include "tactus/arbiter/client/leaving_tier.hpp"
#include "tactus/arbiter/tiers/gpu_work.hpp"

namespace tactus::arbiter::tiers {

/// The tier `yield`: blocks of our own kernel leave after their present item when a word in device
/// memory says so, and the launch is resumed later from there. It uses only the documented
/// interface; for programs written for it. Under gcaps the program resumes at its checkpoint; under
/// boost the control thread launches the rest.
class YieldTier {
 public:
  YieldTier(GpuWork& work, client::Gate& gate) : work_(work), gate_(gate) {}
  YieldTier(const YieldTier&) = delete;
  YieldTier& operator=(const YieldTier&) = delete;

  Tier tier();
  /// Of batches behind a gate (boost).
  Tier tier_of_batches() { return client::leaving_tier(leaving_); }

 private:
  static TierResult take_off(void* self, std::int64_t deadline_ns);
  static TierResult put_back(void* self);

  static client::LeavingWork leaving(GpuWork& work);

  GpuWork& work_;
  client::Gate& gate_;
  client::LeavingWork leaving_ = leaving(work_);
};

}  // namespace tactus::arbiter::tiers
