#include <vector>

#include "tactus/methods/dag/methods.hpp"
#include "tactus/methods/gang/methods.hpp"
#include "tactus/methods/gcaps/boost/methods.hpp"
#include "tactus/methods/gcaps/methods.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/pbs/methods.hpp"
#include "tactus/methods/rtgpu/methods.hpp"

namespace tactus {

namespace {

std::vector<const Method*>& all_methods() {
  static std::vector<const Method*> all = {
      &gcaps::kGcapsSuspend,
      &gcaps::kGcapsBusy,
      &gcaps::kGcapsSuspendPrio,
      &gcaps::kGcapsBusyPrio,
      &gcaps::kTsgRrSuspend,
      &gcaps::kTsgRrBusy,
      &gcaps::kMpcpSuspend,
      &gcaps::kMpcpBusy,
      &gcaps::kFmlpSuspend,
      &gcaps::kFmlpBusy,
      &gcaps::boost::kSuspend,
      &gcaps::boost::kBusy,
      &gcaps::boost::kSuspendPrio,
      &gcaps::boost::kBusyPrio,
      &dag::kBalanced,
      &dag::kGreedy,
      &dag::kGreedyUnaware,
      &dag::kGraham,
      &gang::kWc,
      &gang::kSwc,
      &gang::kRmHe,
      &gang::kWcHe,
      &pbs::kGraph,
      &pbs::kEdfSerial,
      &pbs::kEdfParallel,
      &rtgpu::kRtgpu,
      &rtgpu::kRtgpuGreedy,
      &rtgpu::kSelfSuspension,
      &rtgpu::kStgm,
  };
  return all;
}

}  // namespace

std::span<const Method* const> registry() { return all_methods(); }

void add_method(const Method& method) { all_methods().push_back(&method); }

}  // namespace tactus
