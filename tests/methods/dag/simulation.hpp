#pragma once

#include <vector>

#include "tactus/base/random.hpp"
#include "tests/methods/dag/sample.hpp"

/// A small simulation of the block dispatcher, to see whether a plan
/// keeps its bound: a kernel is m blocks of one SM each, released when everything before it is
/// complete; a free SM never idles while a block waits; which block it takes is the policy's
/// choice.
namespace tactus::dag {

enum class Policy { kFifo, kLifo, kRandom, kLatestStepFirst };
inline constexpr Policy kPolicies[] = {Policy::kFifo, Policy::kLifo, Policy::kRandom,
                                       Policy::kLatestStepFirst};

/// When the last block ends. `durations` are those of one block, by kernel of the plan.
/// Simultaneous completions are seen one by one in random order.
std::int64_t makespan(const System& system, const DagPlan& plan,
                      const std::vector<std::int64_t>& durations, Policy policy, Random& random);

/// Every block takes its bound.
std::vector<std::int64_t> worst_durations(const DagPlan& plan);
/// Every kernel takes between nothing and its bound, or all of it.
std::vector<std::int64_t> random_durations(const DagPlan& plan, Random& random);

}  // namespace tactus::dag
