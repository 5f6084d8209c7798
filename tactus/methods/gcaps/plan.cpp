#include "tactus/methods/gcaps/plan.hpp"

namespace tactus::gcaps {

void PriorityPlan::write_fields(json::Writer& out, const System& system) const {
  out.key("priorities").begin_object();
  for (const Entry& entry : entries) out.key(system.tasks[entry.task].name).integer(entry.priority);
  out.end_object();
  out.key("gpu_priorities").begin_object();
  for (const Entry& entry : entries) {
    out.key(system.tasks[entry.task].name).integer(entry.gpu_priority);
  }
  out.end_object();
}

std::vector<PlanTable> PriorityPlan::tables(const System& system) const {
  PlanTable table{"Priorities (larger is more urgent)", {"task", "CPU", "GPU"}, {}};
  for (const Entry& entry : entries) {
    table.rows.push_back({system.tasks[entry.task].name, std::to_string(entry.priority),
                          std::to_string(entry.gpu_priority)});
  }
  return {table};
}

}  // namespace tactus::gcaps
