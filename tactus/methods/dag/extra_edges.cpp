#include "tactus/methods/dag/extra_edges.hpp"

#include <algorithm>

namespace tactus::dag {

Segments::Segments(NodeIndex nodes, const Schedule& schedule)
    : starts_(nodes + 1), places_(schedule.kernels.size()) {
  for (const Kernel& kernel : schedule.kernels) ++starts_[kernel.node + 1];
  for (NodeIndex node = 0; node < nodes; ++node) starts_[node + 1] += starts_[node];
  for (std::uint32_t place = 0; place < places_.size(); ++place) {
    const Kernel& kernel = schedule.kernels[place];
    places_[starts_[kernel.node] + kernel.segment - 1] = place;
  }
}

namespace {

class EdgeList {
 public:
  EdgeList(const Graph& graph, const Schedule& schedule, const Segments& segments)
      : graph_(graph), schedule_(schedule), segments_(segments) {}

  void add(std::uint32_t from, std::uint32_t to) {
    if (!exists(from, to)) edges_.emplace_back(from, to);
  }
  std::vector<KernelEdge> take() {
    std::sort(edges_.begin(), edges_.end());
    return std::move(edges_);
  }

 private:
  /// As a link between segments, or as an edge of the file (from last to first segment).
  bool exists(std::uint32_t from, std::uint32_t to) const {
    const Kernel& a = schedule_.kernels[from];
    const Kernel& b = schedule_.kernels[to];
    if (a.node == b.node) return a.segment + 1 == b.segment;
    if (b.segment != 1 || segments_.last(a.node) != from) return false;
    const auto next = graph_.successors(a.node);
    return std::binary_search(next.begin(), next.end(), b.node);
  }

  const Graph& graph_;
  const Schedule& schedule_;
  const Segments& segments_;
  std::vector<KernelEdge> edges_;
};

/// Every kernel of a step waits for every kernel of the step before.
void add_barriers(const Schedule& schedule, EdgeList& edges) {
  for (std::size_t j = 1; j < schedule.steps.size(); ++j) {
    const Step &before = schedule.steps[j - 1], &after = schedule.steps[j];
    for (std::uint32_t from = before.begin; from < before.end; ++from) {
      for (std::uint32_t to = after.begin; to < after.end; ++to) edges.add(from, to);
    }
  }
}

/// The extra edges of Algorithm 2, read off the finished schedule: a node was in para of every step
/// from the first after its predecessors up to its own last one, and stayed behind in all but that.
void add_printed(const Graph& graph, const Schedule& schedule, const Segments& segments,
                 EdgeList& edges) {
  std::vector<std::uint32_t> step_of(schedule.kernels.size());
  std::vector<std::uint32_t> longest(schedule.steps.size());  // v_R of each step
  for (std::uint32_t j = 0; j < schedule.steps.size(); ++j) {
    const Step& step = schedule.steps[j];
    for (std::uint32_t k = step.begin; k < step.end; ++k) step_of[k] = j;
    const auto primary = schedule.primary(step);
    const auto v_r = std::max_element(primary.begin(), primary.end(),
                                      [](const Kernel& a, const Kernel& b) { return a.c < b.c; });
    longest[j] = step.begin + static_cast<std::uint32_t>(v_r - primary.begin());
    for (std::uint32_t k = step.launched; k < step.end; ++k) {
      for (NodeIndex next : graph.successors(v_r->node)) edges.add(k, segments.first(next));
    }
  }
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    std::uint32_t j = 0;
    for (NodeIndex before : graph.predecessors(node)) {
      j = std::max(j, step_of[segments.last(before)] + 1);
    }
    for (std::uint32_t segment : segments.of(node)) {
      for (; j < step_of[segment]; ++j) edges.add(longest[j], segment);
    }
  }
}

}  // namespace

std::vector<KernelEdge> natural_edges(const Graph& graph, const Segments& segments) {
  std::vector<KernelEdge> edges;
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    const auto own = segments.of(node);
    for (std::size_t i = 1; i < own.size(); ++i) edges.emplace_back(own[i - 1], own[i]);
    for (const NodeIndex next : graph.successors(node)) {
      edges.emplace_back(own.back(), segments.first(next));
    }
  }
  return edges;
}

std::vector<KernelEdge> extra_edges(const Graph& graph, const Schedule& schedule,
                                    const Segments& segments, Ordering ordering) {
  EdgeList edges(graph, schedule, segments);
  if (ordering == Ordering::kBarriers) add_barriers(schedule, edges);
  if (ordering == Ordering::kPrinted) add_printed(graph, schedule, segments, edges);
  return edges.take();
}

}  // namespace tactus::dag
