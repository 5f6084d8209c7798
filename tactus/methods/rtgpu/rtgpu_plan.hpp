#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tactus/base/json.hpp"
#include "tactus/methods/plan.hpp"
#include "tactus/methods/rtgpu/rtgpu_task_set.hpp"

namespace tactus::rtgpu {

/// The bound of a segment: GR^ of a kernel, MR of a copy, CR of a CPU segment, XR of a suspension.
struct SegmentBound {
  std::string_view kind;      ///< cpu, copy, gpu or suspension
  ChainRange nodes;           ///< of the chain; a launch stands for its kernel
  std::optional<Time> bound;  ///< nothing when beyond the deadline
  Time lower;                 ///< the least time it takes
};

/// How many SMs each task owns, under which priorities, and the bounds that hold then.
class AllocationPlan final : public Plan {
 public:
  struct Entry {
    TaskIndex task = 0;
    std::int64_t priority = 0;  ///< larger is more urgent
    std::int64_t sms = 0;       ///< physical
    std::int64_t virtual_sms = 0;
    std::optional<Time> bound;
    Time deadline;
    std::optional<Time> per_copy, whole_job;  ///< of the rtgpu methods
    std::vector<SegmentBound> segments;
    std::vector<NodeIndex> chain;  ///< its nodes in order
    /// Of each of its kernels. Fixed: on more SMs it could end sooner than the analysis assumes.
    std::vector<KernelUnits> units;

    std::span<const NodeIndex> nodes(const SegmentBound& segment) const {
      return std::span(chain).subspan(segment.nodes.first, segment.nodes.count);
    }
  };
  std::vector<Entry> entries;  ///< most urgent first
  /// Do malleable kernels interleave with themselves, so that an SM counts as two virtual ones?
  bool interleaved = false;
  std::int64_t spare_sms = 0;

  void write_fields(json::Writer& out, const System& system) const override;
  std::vector<PlanTable> tables(const System& system) const override;
};

/// A plan as its file states it, entries in the order of the set. @throws plan_source::Malformed.
AllocationPlan read_stated_plan(const System& system, const TaskSet& set, const json::Value& plan);

/// `Method::read_plan` of the four methods.
Verdict read_plan(const System& system, const json::Value& plan);

/// Re-verifies a plan of any of the four methods (see check_plan.cpp).
std::vector<std::string> check_plan(const System& system, const json::Value& plan);

}  // namespace tactus::rtgpu
