#pragma once

#include "tactus/methods/dag/extra_edges.hpp"
#include "tactus/methods/dag/schedule.hpp"
#include "tactus/methods/plan.hpp"

namespace tactus::dag {

/// How to launch the kernels so that the bound holds: the cuts, the width of every launch, and the
/// precedences to add. Edges are derived when asked for, because barriers are many and implied.
class DagPlan final : public Plan {
 public:
  Schedule schedule;
  Ordering ordering = Ordering::kBarriers;
  TaskIndex task = 0;
  std::int64_t sms = 1;
  std::optional<Time> deadline;

  /// Segments beyond one per node.
  std::size_t cuts(const System& system) const {
    return schedule.kernels.size() - system.tasks[task].nodes.size();
  }
  /// "v2", or "v2.1" for a segment of a node that is cut.
  std::string kernel_name(const System& system, const Segments& segments,
                          std::uint32_t place) const;

  void write_fields(json::Writer& out, const System& system) const override;
  std::vector<PlanTable> tables(const System& system) const override;
  /// SMs down, time across: the schedule if every kernel takes its bound. The printed variant may
  /// use SMs that do not exist. Empty for Graham, which fixes no schedule.
  std::vector<PlanBar> bars(const System& system) const override;
  /// Steps as clusters, the file's edges solid, extra edges dashed, cut nodes with double border.
  std::string dot(const System& system) const override;
};

}  // namespace tactus::dag
