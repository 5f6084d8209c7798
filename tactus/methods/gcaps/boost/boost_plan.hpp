#pragma once

#include <vector>

#include "tactus/methods/gcaps/gcaps_plan.hpp"

namespace tactus::gcaps::boost {

/// What these methods need at run time: cores and priorities as for the others of the family, and
/// for each GPU segment for whom it may be taken off.
class BoostPlan final : public Plan {
 public:
  PriorityPlan priorities;
  /// By task and segment: taken off only for tasks with a GPU priority above this.
  std::vector<std::vector<std::int64_t>> thresholds;
  /// When each segment is done after the release of its job, at the latest; the analysis knows it, a
  /// file does not say it.
  std::vector<std::vector<Time>> completions;

  void write_fields(json::Writer& out, const System& system) const override;
  std::vector<PlanTable> tables(const System& system) const override;
};

/// The priorities and thresholds of the file; a segment without one may be taken off by every more
/// urgent task. Nothing is promised. @pre the methods apply to `system`
BoostPlan plan_of_file(const System& system, Mode waiting);

/// The system with the GPU priorities and thresholds of a plan in it: a method that searches neither
/// then makes the same plan.
System with_choices(const System& system, const BoostPlan& plan);

/// `{"a": [3], "b": [2, 2]}`, for the tasks that have segments.
void write_thresholds(json::Writer& out, const System& system,
                      const std::vector<std::vector<std::int64_t>>& thresholds);

/// `Method::check_plan` and `Method::read_plan`: with its priorities and thresholds written into the
/// file the method `plain`, which then searches nothing, proves every deadline.
std::vector<std::string> check_boost_plan(const System& system, const json::Value& plan,
                                          const Method& plain, Mode waiting);
Verdict read_boost_plan(const System& system, const json::Value& plan, const Method& plain,
                        Mode waiting);

}  // namespace tactus::gcaps::boost
