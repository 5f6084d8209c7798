#include "tactus/methods/promise.hpp"

#include <algorithm>

namespace tactus {

bool is_guaranteed(std::string_view variant) { return variant != "paper" && variant != "released"; }

bool promises(const Verdict& verdict) {
  if (verdict.status == Status::kSchedulable) return true;
  if (verdict.status != Status::kUnschedulable) return false;
  // Where only a chain fails, the tasks keep their bounds.
  return !verdict.hold_only_together ||
         std::all_of(verdict.tasks.begin(), verdict.tasks.end(),
                     [](const TaskVerdict& task) { return task.schedulable; });
}

namespace {

/// Chains count on arrivals that are exactly a period apart, and with `fixed` phases at the offsets.
bool keeps(const trace::Observed& observed, const trace::ObservedChain& chain) {
  using trace::Releases;
  if (!observed.scenario) return true;  // a run of real tasks, which says itself what it keeps
  const Releases releases = observed.scenario->releases;
  if (observed.scenario->script) return false;
  return chain.fixed_phases ? releases == Releases::kOffsets : releases != Releases::kSporadic;
}

}  // namespace

void hold_to(const Verdict& verdict, trace::Observed& observed) {
  observed.method = verdict.method;
  observed.variant = verdict.variant;
  for (trace::ObservedTask& task : observed.tasks) task.bound.reset();
  hold_chains_to(verdict, observed);
  if (!promises(verdict)) return;
  for (const TaskVerdict& entry : verdict.tasks) observed.tasks[entry.task].bound = entry.bound;
}

void hold_chains_to(const Verdict& verdict, trace::Observed& observed) {
  for (trace::ObservedChain& chain : observed.chains) {
    chain.bound.reset();
    if (!promises(verdict)) continue;
    if (chain.chain >= verdict.chains.size() || !keeps(observed, chain)) continue;
    chain.bound = verdict.chains[chain.chain].bound;
  }
}

}  // namespace tactus
