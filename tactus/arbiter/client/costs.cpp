#include "tactus/arbiter/client/costs.hpp"

#include <algorithm>

namespace tactus::arbiter::client {

std::vector<SeenCost> costs_of(const Snapshot& snapshot) {
  const Summary& s = snapshot.summary;
  const BoostSummary& b = snapshot.boost;
  std::vector<SeenCost> costs;
  if (s.rule == kRuleBoost) {
    if (b.start_max_ns == 0) return costs;  // nobody saw when they were started
    costs.push_back({"start_cost", b.start_max_ns});
    if (b.offs > 0) costs.push_back({"preempt_cost", b.off_max_ns});
    // A batch that is put back switches the context like one that is started.
    if (b.ons > 0) costs.push_back({"resume_cost", b.on_max_ns + b.gate_max_ns});
    return costs;
  }
  // Somebody is taken off or leaves by itself, then somebody is put back.
  const std::int64_t theta = std::max(s.take_off_max_ns, s.leave_max_ns) + s.put_back_max_ns;
  if (theta == 0) return costs;
  // The wait for work that leaves by itself is the delay, and counts once.
  costs.push_back(
      {"runlist_update", std::max(s.take_off_max_ns + s.put_back_max_ns, s.prompt_update_max_ns)});
  costs.push_back({"context_switch", theta});
  costs.push_back({"preemption_delay", s.leave_max_ns});
  return costs;
}

}  // namespace tactus::arbiter::client
