#pragma once

#include <vector>

#include "tactus/methods/pbs/batches/oracle.hpp"
#include "tactus/methods/pbs/search/budget.hpp"
#include "tactus/methods/pbs/search/relaxation.hpp"
#include "tactus/methods/pbs/table.hpp"

namespace tactus::pbs {

/// Which vertex Algorithm 1 extracts next (line 5); the paper leaves it open.
enum class Extraction { kFirstIn, kLastIn, kEarliest };

struct GpuSchedResult {
  Answer answer = Answer::kStopped;
  Stop stop = Stop::kNone;
  /// The path to the schedulable vertex; where a vertex was split, the table idles.
  std::vector<Frame> frames;
  Counters counters;
};

/// GPUSched as the paper prints it (Algorithms 1 to 4), faults included (docs/errata.md, PBS 1). Only
/// R1 and R2 of its theory.md are granted, without which hardly any verdict would be right.
/// Equal orders of a batch are tried once, small batches first.
///
/// @pre at most 64 kernels.
GpuSchedResult gpusched(const TaskSet& set, const Oracle& oracle, Extraction extraction,
                        Budget budget);

}  // namespace tactus::pbs
