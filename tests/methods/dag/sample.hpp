#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/random.hpp"
#include "tactus/methods/dag/dag_plan.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/model/system.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::dag {

/// A graph of kernels in ticks, for tests to make, feed to a method and to the slow versions.
struct Sample {
  std::int64_t sms = 1;
  std::int64_t t_min = kUnit;
  std::vector<std::int64_t> loads;
  std::vector<Edge> edges;

  static constexpr std::int64_t kUnit = 1'000'000;
  NodeIndex size() const { return static_cast<NodeIndex>(loads.size()); }
};

/// Loads in whole units.
Sample sample_of(std::int64_t sms, std::vector<std::int64_t> loads, std::vector<Edge> edges);

System system_of(const Sample& sample);

/// The verdict of `method`, which must have found a bound.
Verdict analyze_sample(const Sample& sample, std::string_view method,
                       std::string_view variant = kSafe, std::string_view effort = "normal");
std::int64_t bound_of(const Verdict& verdict);
std::int64_t bound_of(const Sample& sample, std::string_view method,
                      std::string_view variant = kSafe, std::string_view effort = "normal");
const DagPlan& plan_of(const Verdict& verdict);

/// The index-th of an endless mix: layered graphs, parallel chains, in- and out-trees, dense and
/// sparse random graphs, graphs far wider than the GPU; loads whole, fractional, all equal, or
/// spread over nine decades.
Sample random_sample(std::uint64_t index);

/// The index-th graph of the paper's generator (P = 8, depth 5 to 8, mean load 20, unit ends).
Sample random_layered(std::uint64_t index, std::int64_t sms);

/// How many samples a sweep takes.
inline std::uint64_t sweep(std::uint64_t count) { return support::scaled(count); }

std::string describe(const Sample& sample);

}  // namespace tactus::dag
