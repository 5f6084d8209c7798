#include "tactus/methods/pbs/search/beam.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace tactus::pbs {

Beam::Beam(Knowledge& knowledge) : know_(knowledge), weights_(knowledge.demand.widest()) {
  Ticks longest = 0;
  for (const Kernel& kernel : know_.set.kernels) longest = std::max(longest, kernel.period);
  ample_ = longest / 8;
}

std::int64_t Beam::weight_of(Mask batch) const {
  std::int64_t sum = 0;
  for_each(batch, [&](std::size_t i) { sum += weights_[i]; });
  return sum;
}

/// Of states with the same ready jobs only the best; for equal jobs it is nearly always the earliest.
void Beam::keep_best(std::vector<Node>& nodes, std::size_t width) const {
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) {
    return std::tie(a.score, a.state.time, a.state.ready, a.parent) <
           std::tie(b.score, b.state.time, b.state.ready, b.parent);
  });
  std::unordered_set<Mask> seen;
  std::erase_if(nodes, [&](const Node& node) {
    return seen.size() >= width || !seen.insert(node.state.ready).second;
  });
}

std::optional<Move> Beam::expand(std::uint32_t at, bool careful) {
  const Node node = kept_[at];
  ++know_.counters.states;
  moves_.clear();
  if (know_.source.by_level()) {
    know_.expander.greedy(node.state, moves_);
  } else {
    know_.expander.packings(node.state, moves_);
  }
  const int shift = know_.constraints.shift();
  for (const Move& move : moves_) {
    const auto next = know_.windows.after(node.state, move);
    if (!next) return move;
    const Ticks slack = know_.infeasible_from(*next) - next->time;
    if (slack <= 0) continue;
    Node child = {*next, move, at, node.waste, 0};
    child.waste += ((next->time - node.state.time) << shift) - weight_of(move.batch);
    child.score = child.waste;
    if (careful && slack < ample_) child.score += (ample_ - slack) << (shift - 1);
    waiting_[next->window].push_back(child);
  }
  return std::nullopt;
}

std::optional<std::vector<Beam::Step>> Beam::run(const State& root, std::size_t width,
                                                 bool careful) {
  kept_.clear();
  waiting_.assign(know_.windows.count(), {});
  waiting_[root.window].push_back({root, {}, kNoParent, 0, 0});
  for (std::vector<Node>& here : waiting_) {
    while (!here.empty()) {
      std::vector<Node> layer;
      layer.swap(here);  // successors in the same window make the next layer
      keep_best(layer, width);
      for (const Node& node : layer) {
        if (know_.spent(kept_.size())) return std::nullopt;
        kept_.push_back(node);
        const auto last = static_cast<std::uint32_t>(kept_.size() - 1);
        if (const auto move = expand(last, careful)) return path(last, *move);
      }
      // What waits for later windows is bounded too.
      for (std::vector<Node>& later : waiting_) {
        if (later.size() > 16 * width) keep_best(later, 4 * width);
      }
    }
  }
  return std::nullopt;
}

std::vector<Beam::Step> Beam::path(std::uint32_t last, const Move& move) const {
  std::vector<Step> steps = {{kept_[last].state, move}};
  for (std::uint32_t at = last; kept_[at].parent != kNoParent; at = kept_[at].parent) {
    steps.push_back({kept_[kept_[at].parent].state, kept_[at].move});
  }
  std::reverse(steps.begin(), steps.end());
  return steps;
}

}  // namespace tactus::pbs
