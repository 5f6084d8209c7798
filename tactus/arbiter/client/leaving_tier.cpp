#include "tactus/arbiter/client/leaving_tier.hpp"

#include "tactus/arbiter/client/boost_segment.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/nap.hpp"

namespace tactus::arbiter::client {
namespace {

constexpr std::int64_t kLeavingLookNs = 5'000;

TierResult take_off(void* self, std::int64_t deadline_ns) {
  const auto& work = *static_cast<const LeavingWork*>(self);
  boost::cut_short();
  if (!work.ask_to_leave(work.self, true)) {
    boost::not_cut_short();
    return TierResult::kFailed;
  }
  while (!work.idle(work.self)) {
    if (host::now_ns() >= deadline_ns) return TierResult::kLate;
    host::nap_ns(kLeavingLookNs);
  }
  if (work.finished(work.self)) boost::not_cut_short();
  return TierResult::kDone;
}

TierResult put_back(void* self) {
  const auto& work = *static_cast<const LeavingWork*>(self);
  bool good = work.ask_to_leave(work.self, false);
  if (boost::is_cut_short()) {
    // It may have been too late to be seen to leave.
    while (!work.idle(work.self)) host::nap_ns(kLeavingLookNs);
    if (work.finished(work.self)) {
      boost::not_cut_short();
    } else {
      good = boost::go_on_cut_short(work.launch_rest, work.self) && good;
    }
  }
  return good ? TierResult::kDone : TierResult::kFailed;
}

}  // namespace

Tier leaving_tier(const LeavingWork& work) {
  Tier tier;
  tier.name = "yield";
  tier.self = const_cast<LeavingWork*>(&work);
  tier.take_off = take_off;
  tier.put_back = put_back;
  return tier;
}

}  // namespace tactus::arbiter::client
