#pragma once

#include "tactus/arbiter/client/gate.hpp"
#include "tactus/arbiter/tiers/gpu_work.hpp"

namespace tactus::arbiter::tiers {

/// The tier `yield`: blocks of our own kernel leave after their present item when a word in device
/// memory says so, and the launch is resumed later from there. It uses only the documented
/// interface; for programs written for it.
class YieldTier {
 public:
  YieldTier(GpuWork& work, client::Gate& gate) : work_(work), gate_(gate) {}
  YieldTier(const YieldTier&) = delete;
  YieldTier& operator=(const YieldTier&) = delete;

  Tier tier();

 private:
  static TierResult take_off(void* self, std::int64_t deadline_ns);
  static TierResult put_back(void* self);

  GpuWork& work_;
  client::Gate& gate_;
};

}  // namespace tactus::arbiter::tiers
