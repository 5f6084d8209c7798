#include "tactus/methods/promise.hpp"

namespace tactus {

bool is_guaranteed(std::string_view variant) { return variant != "paper" && variant != "released"; }

bool promises(const Verdict& verdict) {
  if (verdict.status == Status::kSchedulable) return true;
  return verdict.status == Status::kUnschedulable && !verdict.hold_only_together;
}

void hold_to(const Verdict& verdict, trace::Observed& observed) {
  observed.method = verdict.method;
  observed.variant = verdict.variant;
  for (trace::ObservedTask& task : observed.tasks) task.bound.reset();
  if (!promises(verdict)) return;
  for (const TaskVerdict& entry : verdict.tasks) observed.tasks[entry.task].bound = entry.bound;
}

}  // namespace tactus
