#include "tactus/arbiter/client/channel_tier.hpp"

#include <dlfcn.h>

#include "tactus/host/clock.hpp"
#include "tactus/host/nap.hpp"

namespace tactus::arbiter::client {
namespace {

TierResult unschedule(void* self, std::int64_t deadline_ns) {
  if (static_cast<const ChannelFunctions*>(self)->stop() < 0) return TierResult::kFailed;
  return host::now_ns() <= deadline_ns ? TierResult::kDone : TierResult::kLate;
}

TierResult schedule_again(void* self) {
  // Work must never stay off: after a refusal, try again.
  for (int attempt = 0; attempt < 5; ++attempt) {
    if (static_cast<const ChannelFunctions*>(self)->resume() >= 0) return TierResult::kDone;
    host::nap_ns(1'000'000);
  }
  return TierResult::kFailed;
}

}  // namespace

ChannelFunctions find_channel_functions() {
  ChannelFunctions functions;
  functions.stop = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "tactus_channel_stop"));
  functions.resume = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "tactus_channel_resume"));
  return functions;
}

Tier channel_tier(const ChannelFunctions& functions) {
  Tier tier;
  tier.name = "channel";
  tier.self = const_cast<ChannelFunctions*>(&functions);
  tier.take_off = unschedule;
  tier.put_back = schedule_again;
  return tier;
}

}  // namespace tactus::arbiter::client
