#include "tactus/simulate/registry.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <new>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/growing_list.hpp"
#include "tactus/simulate/batch_player.hpp"
#include "tactus/simulate/federated.hpp"
#include "tactus/simulate/gang.hpp"
#include "tactus/simulate/gcaps.hpp"
#include "tactus/simulate/sm_pool.hpp"

namespace tactus::simulate {
namespace {

using Made = Result<std::unique_ptr<Policy>>;

template <bool kBusy>
Made gcaps(const System& system, const Verdict& verdict) {
  return make_gcaps(system, kBusy, verdict);
}
template <bool kBusy>
Made boost(const System& system, const Verdict& verdict) {
  return make_boost(system, kBusy, verdict);
}
template <bool kBusy>
Made round_robin(const System& system, const Verdict&) {
  return make_round_robin(system, kBusy);
}
template <bool kBusy, Queue kQueue>
Made locking(const System& system, const Verdict&) {
  return make_locking(system, kBusy, kQueue);
}
template <Skipping kSkipping>
Made gang(const System& system, const Verdict& verdict) {
  return make_gang(system, verdict, kSkipping);
}

template <pbs::Batching kBatching>
Made edf(const System& system, const Verdict& verdict) {
  return make_edf_player(system, verdict, kBatching);
}
template <Waiting kWaiting>
Made federated(const System& system, const Verdict& verdict) {
  return make_federated(system, verdict, kWaiting);
}

constexpr std::string_view kGcapsDoc = "preemptive GPU priorities, updates under one lock";
constexpr std::string_view kBoostDoc =
    "GPU segments behind gates, started by priority and taken off above thresholds";
constexpr std::string_view kRoundRobinDoc = "time-sliced round robin between GPU contexts";
constexpr std::string_view kMpcpDoc = "one GPU lock with a priority queue";
constexpr std::string_view kFmlpDoc = "one GPU lock with a FIFO queue";

constexpr std::string_view kSmPoolDoc = "the plan's kernels as blocks on SMs, any order, no idling";
constexpr std::string_view kWcDoc = "gangs on each task's share, every one that fits starts";
constexpr std::string_view kSwcDoc =
    "gangs on each task's share, none passes one that does not fit";
constexpr std::string_view kTableDoc = "a table of batches, played frame by frame";
constexpr std::string_view kFederatedDoc = "SMs of their own, priorities on cores and copy engines";
constexpr std::string_view kAcceleratorDoc =
    "one accelerator, held from CPU segment to CPU segment";
constexpr std::string_view kBusyWaitDoc =
    "SMs of their own, the core kept while copies and kernels run";

constexpr std::size_t kMost = 256;

GrowingList<PolicyEntry, kMost>& all_policies() {
  static GrowingList<PolicyEntry, kMost> all = {
      {"gpu-priorities-suspend", kGcapsDoc, gcaps<false>},
      {"gpu-priorities-busy", kGcapsDoc, gcaps<true>},
      {"gpu-gates-suspend", kBoostDoc, boost<false>, true},
      {"gpu-gates-busy", kBoostDoc, boost<true>, true},
      {"round-robin-suspend", kRoundRobinDoc, round_robin<false>},
      {"round-robin-busy", kRoundRobinDoc, round_robin<true>},
      {"priority-lock-suspend", kMpcpDoc, locking<false, Queue::kPriority>},
      {"priority-lock-busy", kMpcpDoc, locking<true, Queue::kPriority>},
      {"fifo-lock-suspend", kFmlpDoc, locking<false, Queue::kFifo>},
      {"fifo-lock-busy", kFmlpDoc, locking<true, Queue::kFifo>},
      {"kernel-graph", kSmPoolDoc, make_sm_pool},
      {"gangs-any-order", kWcDoc, gang<Skipping::kWalkOn>},
      {"gangs-in-order", kSwcDoc, gang<Skipping::kStop>},
      {"batch-table", kTableDoc, make_table_player},
      {"batches-edf-serial", kTableDoc, edf<pbs::Batching::kSerial>},
      {"batches-edf-parallel", kTableDoc, edf<pbs::Batching::kParallel>},
      {"own-sms-suspend", kFederatedDoc, federated<Waiting::kSuspend>},
      {"own-sms-busy", kBusyWaitDoc, federated<Waiting::kBusy>},
      {"one-accelerator", kAcceleratorDoc, federated<Waiting::kSuspendAsOne>},
  };
  return all;
}

}  // namespace

std::span<const PolicyEntry> policies() { return all_policies().all(); }

std::optional<Error> add_policy(const PolicyEntry& policy) {
  if (policy.make == nullptr || policy.behaviour.empty()) {
    return Error{fmt::format("policy {} has no name or no `make`", quote(policy.behaviour))};
  }
  const auto clashes = [&](const PolicyEntry& other) {
    return other.behaviour == policy.behaviour;
  };
  return why_not_added(all_policies().add(policy, clashes), "policy", "policies", policy.behaviour,
                       kMost);
}

bool is_own_policy(const PolicyEntry& policy) {
  const auto own = all_policies().added();
  return std::any_of(own.begin(), own.end(),
                     [&](const PolicyEntry& each) { return each.behaviour == policy.behaviour; });
}

Result<std::unique_ptr<Policy>> MethodPolicy::make(const System& system,
                                                   const Verdict& verdict) const {
  try {
    return entry->make(system, verdict);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& problem) {
    return Error{fmt::format("the policy {} failed: {}", quote(entry->behaviour), problem.what())};
  } catch (...) {
    return Error{fmt::format("the policy {} failed", quote(entry->behaviour))};
  }
}

trace::Scenario MethodPolicy::admit(trace::Scenario scenario) const {
  if (method->behaviour.fixes_releases) scenario.releases = trace::Releases::kOffsets;
  scenario.preemptive = scenario.preemptive && method->behaviour.may_preempt;
  return scenario;
}

Result<MethodPolicy> find_policy(const Method& method) {
  for (const PolicyEntry& entry : policies()) {
    if (entry.behaviour == method.behaviour.name) return MethodPolicy{&method, &entry};
  }
  return Error{fmt::format("there is no policy behind {} to simulate: {}", method.id,
                           why_no("a policy", method.behaviour))};
}

Result<MethodPolicy> find_policy(std::string_view id) {
  const Method* method = find_method(id);
  if (method == nullptr) return Error{fmt::format("there is no method {}", quote(id))};
  return find_policy(*method);
}

Result<const Recipe*> hunting_ground(const Method& method) {
  const std::string_view name = method.behaviour.recipe;
  if (const Recipe* recipe = find_recipe(name)) return recipe;
  return Error{
      name.empty()
          ? fmt::format("{} does not say in which systems to look for violations", method.id)
          : fmt::format("there is no recipe {}, in which {} would look for violations", quote(name),
                        method.id)};
}

}  // namespace tactus::simulate
