#include "tactus/methods/dag/ancestor_chains.hpp"

#include <algorithm>
#include <array>

#include "tactus/methods/method.hpp"

namespace tactus::dag {
namespace {

constexpr std::size_t kLanes = 16;  ///< chains of a pass: their counts fill one cache line
using Counts = std::array<std::int32_t, kLanes>;
constexpr std::uint32_t kNone = UINT32_MAX;

struct Place {
  std::uint32_t chain = kNone;
  std::int32_t number = 0;  ///< in its chain, from 1
};

struct Chains {
  std::vector<Place> places;
  std::vector<NodeIndex> first;       ///< by chain, ascending
  std::vector<std::int32_t> lengths;  ///< by chain
};

/// Greedy: a node continues the chain of the first predecessor that nobody else has continued.
Chains make_chains(const SortedGraph& graph) {
  std::vector<char> leads_on(graph.size());
  for (const NodeIndex before : graph.previous) leads_on[before] = 1;
  Chains chains;
  chains.places.resize(graph.size());
  for (NodeIndex v = 0; v < graph.size(); ++v) {
    if (leads_on[v] == 0) continue;
    Place& place = chains.places[v];
    for (std::uint32_t e = graph.start[v]; e < graph.start[v + 1] && place.chain == kNone; ++e) {
      const Place& before = chains.places[graph.previous[e]];
      if (before.number == chains.lengths[before.chain]) place.chain = before.chain;
    }
    if (place.chain == kNone) {
      place.chain = static_cast<std::uint32_t>(chains.lengths.size());
      chains.lengths.push_back(0);
      chains.first.push_back(v);
    }
    place.number = ++chains.lengths[place.chain];
  }
  return chains;
}

/// Nodes visited by all passes.
std::size_t visits(const Chains& chains, std::size_t size) {
  std::size_t sum = 0;
  for (std::size_t c = 0; c < chains.first.size(); c += kLanes) sum += size - chains.first[c];
  return sum;
}

/// The weights of the first few places of each chain of a pass.
class PrefixWeights {
 public:
  void reset(const Chains& chains, std::size_t first_chain) {
    sums_.clear();
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      begin_[lane] = sums_.size();
      const std::size_t chain = first_chain + lane;
      const std::size_t length =
          chain < chains.lengths.size() ? static_cast<std::size_t>(chains.lengths[chain]) : 0;
      sums_.resize(sums_.size() + length + 1);
    }
  }
  /// Places come in their order in the chain.
  void add(std::size_t lane, std::int32_t number, std::int64_t weight) {
    const std::size_t at = begin_[lane] + static_cast<std::size_t>(number);
    sums_[at] = sums_[at - 1] + weight;
  }
  std::int64_t of(const Counts& counts) const {
    std::int64_t sum = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sum += sums_[begin_[lane] + static_cast<std::size_t>(counts[lane])];
    }
    return sum;
  }

 private:
  std::vector<std::int64_t> sums_;
  std::array<std::size_t, kLanes> begin_{};
};

}  // namespace

std::optional<std::vector<std::int64_t>> sums_by_chains(const SortedGraph& graph,
                                                        std::size_t most_visits,
                                                        const std::stop_token& stop) {
  const std::size_t size = graph.size();
  const Chains chains = make_chains(graph);
  if (visits(chains, size) > most_visits) return std::nullopt;

  std::vector<std::int64_t> sums(size);
  std::vector<Counts> counts(size);
  PrefixWeights weights;
  for (std::size_t first_chain = 0; first_chain < chains.first.size(); first_chain += kLanes) {
    Stopped::check(stop);
    weights.reset(chains, first_chain);
    const NodeIndex begin = chains.first[first_chain];
    for (NodeIndex v = begin; v < size; ++v) {
      Counts most{};
      for (std::uint32_t e = graph.start[v]; e < graph.start[v + 1]; ++e) {
        const NodeIndex before = graph.previous[e];
        if (before < begin) continue;
        const Counts& other = counts[before];
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          most[lane] = std::max(most[lane], other[lane]);
        }
      }
      const Place& place = chains.places[v];
      if (const std::size_t lane = place.chain - first_chain;
          place.chain >= first_chain && lane < kLanes) {
        most[lane] = place.number;
        weights.add(lane, place.number, graph.weight[v]);
      }
      counts[v] = most;
      sums[v] += weights.of(most);
    }
  }
  for (std::size_t v = 0; v < size; ++v) {
    if (chains.places[v].chain == kNone) sums[v] += graph.weight[v];
  }
  return sums;
}

}  // namespace tactus::dag
