#include "tactus/arbiter/daemon/referee.hpp"

#include "tactus/arbiter/daemon/boost_referee.hpp"
#include "tactus/arbiter/daemon/gcaps_referee.hpp"

namespace tactus::arbiter::daemon {

Result<std::unique_ptr<Referee>> make_referee(Floor& floor) {
  if (floor.options.protocol == Protocol::kBoost)
    return std::unique_ptr<Referee>(std::make_unique<BoostReferee>(floor));
  auto fast = make_page("tactus-fast");
  if (!fast) return fast.error();
  return std::unique_ptr<Referee>(std::make_unique<GcapsReferee>(floor, std::move(*fast)));
}

}  // namespace tactus::arbiter::daemon
