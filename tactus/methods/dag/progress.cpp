#include "tactus/methods/dag/progress.hpp"

namespace tactus::dag {

Progress::Progress(const KernelGraph& kernels, const Ancestry& ancestry)
    : kernels_(kernels),
      ancestry_(ancestry),
      rest_(kernels.loads),
      segments_(kernels.size()),
      missing_(kernels.size()) {
  schedule_.kernels.reserve(kernels.size());
  for (NodeIndex node = 0; node < kernels.size(); ++node) {
    missing_[node] = static_cast<std::uint32_t>(kernels.graph->predecessors(node).size());
    if (missing_[node] == 0) ready_.insert(ancestry.ranks[node]);
  }
}

void Progress::begin_step(std::span<const NodeIndex> primary) {
  Step step;
  step.begin = static_cast<std::uint32_t>(schedule_.kernels.size());
  schedule_.steps.push_back(step);
  for (NodeIndex node : primary) ready_.erase(ancestry_.ranks[node]);
}

void Progress::begin_launched() {
  schedule_.steps.back().launched = static_cast<std::uint32_t>(schedule_.kernels.size());
}

const Kernel& Progress::add(NodeIndex node, Time load, std::int64_t m) {
  ready_.erase(ancestry_.ranks[node]);
  rest_[node] -= load;
  return schedule_.kernels.emplace_back(
      Kernel{node, ++segments_[node], load, m, kernels_.time_on(load, m)});
}

void Progress::end_step(Time r, std::int64_t spare) {
  Step& step = schedule_.steps.back();
  step.end = static_cast<std::uint32_t>(schedule_.kernels.size());
  step.r = r;
  step.spare = spare;
  schedule_.bound += r;
  for (const Kernel& kernel : schedule_.all(step)) {
    if (!done(kernel.node)) {
      ready_.insert(ancestry_.ranks[kernel.node]);
      continue;
    }
    for (NodeIndex next : kernels_.graph->successors(kernel.node)) {
      if (--missing_[next] == 0) ready_.insert(ancestry_.ranks[next]);
    }
  }
}

}  // namespace tactus::dag
