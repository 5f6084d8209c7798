#include "tactus/simulate/registry.hpp"

#include <array>

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

constexpr auto kAll = std::to_array<PolicyEntry>({
    {"gcaps.suspend", kGcapsDoc, "gcaps-small", gcaps<false>},
    {"gcaps.busy", kGcapsDoc, "gcaps-small", gcaps<true>},
    {"gcaps.suspend.prio", kGcapsDoc, "gcaps-small", gcaps<false>},
    {"gcaps.busy.prio", kGcapsDoc, "gcaps-small", gcaps<true>},
    {"tsg-rr.suspend", kRoundRobinDoc, "gcaps-small", round_robin<false>},
    {"tsg-rr.busy", kRoundRobinDoc, "gcaps-small", round_robin<true>},
    {"mpcp.suspend", kMpcpDoc, "gcaps-small", locking<false, Queue::kPriority>},
    {"mpcp.busy", kMpcpDoc, "gcaps-small", locking<true, Queue::kPriority>},
    {"fmlp.suspend", kFmlpDoc, "gcaps-small", locking<false, Queue::kFifo>},
    {"fmlp.busy", kFmlpDoc, "gcaps-small", locking<true, Queue::kFifo>},
    {"dag.balanced", kSmPoolDoc, "dag-small", make_sm_pool},
    {"dag.greedy", kSmPoolDoc, "dag-small", make_sm_pool},
    {"dag.greedy-unaware", kSmPoolDoc, "dag-small", make_sm_pool},
    {"dag.graham", kSmPoolDoc, "dag-small", make_sm_pool},
    {"gang.wc", kWcDoc, "gang-small", gang<Skipping::kWalkOn>, false, true},
    {"gang.swc", kSwcDoc, "gang-small", gang<Skipping::kStop>, false, true},
    {"pbs.graph", kTableDoc, "pbs-small", make_table_player, true},
    {"pbs.edf-serial", kTableDoc, "pbs-small", edf<pbs::Batching::kSerial>, true},
    {"pbs.edf-parallel", kTableDoc, "pbs-small", edf<pbs::Batching::kParallel>, true},
    {"rtgpu", kFederatedDoc, "rtgpu-small", federated<Waiting::kSuspend>},
    {"rtgpu.greedy", kFederatedDoc, "rtgpu-small", federated<Waiting::kSuspend>},
    {"self-suspension", kAcceleratorDoc, "rtgpu-small", federated<Waiting::kSuspendAsOne>},
    {"stgm", kBusyWaitDoc, "rtgpu-small", federated<Waiting::kBusy>},
});

}  // namespace

std::span<const PolicyEntry> policies() { return kAll; }

const PolicyEntry* find_policy(std::string_view method) {
  for (const PolicyEntry& entry : kAll) {
    if (entry.method == method) return &entry;
  }
  return nullptr;
}

std::string_view why_no_policy(std::string_view method) {
  if (find_policy(method) != nullptr) return {};
  return "its bounds take the smaller of the waits under two lock protocols (FIFO, and one like "
         "the "
         "OMLP), and no lock that has both is described";
}

const Recipe* hunting_ground(std::string_view method) {
  const PolicyEntry* entry = find_policy(method);
  return entry == nullptr ? nullptr : find_recipe(entry->recipe);
}

}  // namespace tactus::simulate
