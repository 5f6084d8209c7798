#include "tactus/simulate/compare.hpp"

namespace tactus::simulate {

bool promises(const Verdict& verdict) {
  if (verdict.status == Status::kSchedulable) return true;
  return verdict.status == Status::kUnschedulable && !verdict.hold_only_together;
}

std::optional<Time> promised_bound(const Verdict& verdict, TaskIndex task) {
  if (!promises(verdict)) return std::nullopt;
  for (const TaskVerdict& entry : verdict.tasks) {
    if (entry.task == task) return entry.bound;
  }
  return std::nullopt;
}

std::vector<Violation> violations(const Verdict& verdict, const Outcome& outcome) {
  std::vector<Violation> found;
  if (!promises(verdict)) return found;
  for (const TaskVerdict& entry : verdict.tasks) {
    const Time observed = outcome.tasks[entry.task].longest_alone;
    if (entry.bound && observed > *entry.bound)
      found.push_back({entry.task, observed, *entry.bound});
  }
  return found;
}

}  // namespace tactus::simulate
