#include "tactus/base/growing_list.hpp"
#include "tactus/methods/dag/dag_methods.hpp"
#include "tactus/methods/gang/gang_methods.hpp"
#include "tactus/methods/gcaps/boost/boost_methods.hpp"
#include "tactus/methods/gcaps/gcaps_methods.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/pbs/pbs_methods.hpp"
#include "tactus/methods/plan_document.hpp"
#include "tactus/methods/rtgpu/rtgpu_methods.hpp"

namespace tactus {

// The fields of the plans of each family, beside their table.
namespace dag {
std::vector<Described> plan_keys();
}
namespace gang {
std::vector<Described> plan_keys();
}
namespace gcaps {
std::vector<Described> plan_keys();
namespace boost {
std::vector<Described> plan_keys();
}
}  // namespace gcaps
namespace pbs {
std::vector<Described> plan_keys();
}
namespace rtgpu {
std::vector<Described> plan_keys();
}

namespace {

constexpr std::size_t kMost = 1024;

GrowingList<const Method*, kMost>& all_methods() {
  static GrowingList<const Method*, kMost> all = {
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

GrowingList<PlanKeys, kMost>& all_plan_types() {
  static GrowingList<PlanKeys, kMost> all = {
      gcaps::plan_keys, gcaps::boost::plan_keys, dag::plan_keys,
      gang::plan_keys,  pbs::plan_keys,          rtgpu::plan_keys,
  };
  return all;
}

}  // namespace

std::span<const Method* const> registry() { return all_methods().all(); }

std::optional<Error> add_method(const Method& method) {
  const auto clashes = [&](const Method* other) { return other->id == method.id; };
  return why_not_added(all_methods().add(&method, clashes), "method", "methods", method.id, kMost);
}

std::span<const PlanKeys> plan_types() { return all_plan_types().all(); }

std::optional<Error> add_plan_type(PlanKeys keys) {
  const auto clashes = [&](PlanKeys other) { return other == keys; };
  return why_not_added(all_plan_types().add(keys, clashes), "type", "types", "of plans", kMost);
}

}  // namespace tactus
