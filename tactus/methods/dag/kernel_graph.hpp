#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

namespace tactus::dag {

/// A copy around the kernels.
struct CopyNode {
  NodeIndex node = 0;  ///< of the task
  Time wcet;
};

/// The one task these methods see: a graph of malleable kernels on an otherwise idle GPU, and copies
/// before and after all of them, one after another (Figure 1 of the paper).
///
/// Invariants: sms >= 1, t_min > 0, every load > 0, the sum of the loads fits `Time`.
struct KernelGraph {
  TaskIndex task = 0;            ///< in the file
  const Graph* graph = nullptr;  ///< of the kernels
  std::vector<Time> loads;       ///< on one SM, by node of that graph
  std::vector<CopyNode> before, after;
  std::vector<NodeIndex> nodes;          ///< of the graph, in the task; empty: they are the same
  std::shared_ptr<const Graph> between;  ///< the graph, where there are copies
  std::int64_t sms = 1;                  ///< M
  Time t_min;
  /// min(deadline, period), as far as given.
  std::optional<Time> deadline;
  std::vector<std::string> remarks;  ///< what was left out of the analysis

  NodeIndex size() const { return graph->size(); }
  NodeIndex node_of(NodeIndex kernel) const { return nodes.empty() ? kernel : nodes[kernel]; }

  /// Eq. 1, rounded up: the time of a kernel cut into `m` blocks of one SM each, alone on the GPU.
  Time time_on(Time load, std::int64_t m) const {
    const std::int64_t waves = (m - 1) / sms + 1;
    return std::max(t_min, mul_div_up(load, waves, m));
  }
  /// m_max: with more SMs a kernel gets no faster, because t_min is reached (A8 in
  /// docs/use/methods/dag.md).
  std::int64_t useful_sms(Time load) const {
    return std::max<std::int64_t>(1, ceil_div(load, t_min));
  }
};

/// Maps a system file to the model, or says why it does not fit.
Result<KernelGraph, Refusal> make_kernel_graph(const System& system);

}  // namespace tactus::dag
