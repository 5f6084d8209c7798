#pragma once

#include <string>
#include <vector>

#include "tactus/methods/verdict.hpp"
#include "tactus/model/json.hpp"

namespace tactus::gcaps {

/// CPU and GPU priorities under which every bound of the verdict holds.
class PriorityPlan final : public Plan {
 public:
  struct Entry {
    TaskIndex task;
    std::int64_t priority, gpu_priority;
  };
  std::vector<Entry> entries;  ///< in decreasing CPU priority

  void write_fields(json::Writer& out, const System& system) const override;
  std::vector<PlanTable> tables(const System& system) const override;
};

/// Conditions of a priority plan that do not hold: it names every real-time task once, keeps the
/// CPU priorities of the file, and with its GPU priorities written into the file the plain method
/// (without any assignment) proves every deadline.
std::vector<std::string> check_priority_plan(const System& system, const json::Value& plan);

/// `Method::read_plan`: the bounds are those that the plain method finds with these priorities.
Verdict read_priority_plan(const System& system, const json::Value& plan);

}  // namespace tactus::gcaps
