#pragma once

#include <string>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"
#include "tactus/runtime/backend.hpp"

/// The pipeline as a system file: its nodes, what was measured of them, and what follows for plans.
namespace hog {

std::string task_name(int pipeline);

/// A node of the pipeline, and the nodes before it.
struct Step {
  std::string name;
  std::vector<std::string> after;
};
std::vector<Step> steps();

/// The longest time seen of every node on 1, 2, 3 ... SMs.
struct NodeTimes {
  std::vector<std::vector<tactus::Time>> longest;  ///< by step, by SMs - 1
  std::int64_t sms() const { return std::ssize(longest.front()); }
};

/// Runs every node alone on every number of SMs, five times each.
tactus::Result<NodeTimes> measure_nodes(const tactus::runtime::Workload& work);

/// One pipeline of malleable kernels, on all SMs: for each kernel the smallest load with
/// time(m) <= max(t_min, load / m) for every m.
tactus::System dag_system(const NodeTimes& times);

/// Several pipelines of gangs with fixed widths.
tactus::System gang_system(const NodeTimes& times, int pipelines);

}  // namespace hog
