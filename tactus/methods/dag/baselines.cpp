#include "tactus/methods/dag/baselines.hpp"

namespace tactus::dag {
namespace {

/// One kernel per step. The sum is a bound only because the plan's chain of edges enforces the
/// order: kernels that run together can take longer than one after another.
Schedule one_after_another(const KernelGraph& kernels, std::int64_t most_blocks) {
  Schedule out;
  out.kernels.reserve(kernels.size());
  out.steps.reserve(kernels.size());
  for (NodeIndex node : topological_order(*kernels.graph)) {
    const Time load = kernels.loads[node];
    const std::int64_t m = std::min(kernels.useful_sms(load), most_blocks);
    const Time c = kernels.time_on(load, m);
    const auto place = static_cast<std::uint32_t>(out.kernels.size());
    out.kernels.push_back({node, 1, load, m, c});
    out.steps.push_back(
        {c, place, place + 1, place + 1, std::max<std::int64_t>(0, kernels.sms - m)});
    out.bound += c;
  }
  return out;
}

/// Nodes on the longest path.
std::int64_t longest_path(const Graph& graph) {
  std::vector<std::int64_t> length(graph.size());
  std::int64_t longest = 0;
  for (NodeIndex node : topological_order(graph)) {
    for (NodeIndex before : graph.predecessors(node)) {
      length[node] = std::max(length[node], length[before]);
    }
    longest = std::max(longest, ++length[node]);
  }
  return longest;
}

}  // namespace

Schedule schedule_greedy(const KernelGraph& kernels) {
  return one_after_another(kernels, kernels.sms);
}

Schedule schedule_greedy_unaware(const KernelGraph& kernels) {
  return one_after_another(kernels, INT64_MAX);
}

Graham graham(const KernelGraph& kernels) {
  Graham out;
  Time work;  // W
  for (NodeIndex node = 0; node < kernels.size(); ++node) {
    const Time load = kernels.loads[node];
    const std::int64_t units = kernels.useful_sms(load);
    work += units * kernels.t_min;
    const std::int64_t waves = (units - 1) / kernels.sms + 1;
    out.plan.kernels.push_back({node, 1, load, units, waves * kernels.t_min});
  }
  out.path = longest_path(*kernels.graph) * kernels.t_min;
  out.sharing = div_up(work - out.path, kernels.sms);
  out.plan.bound = out.path + out.sharing;
  out.plan.steps.push_back({out.plan.bound, 0, kernels.size(), kernels.size(), 0});
  return out;
}

}  // namespace tactus::dag
