#include "tactus/methods/dag/ancestors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "tactus/methods/dag/ancestor_chains.hpp"
#include "tactus/methods/dag/ancestor_lists.hpp"
#include "tactus/methods/method.hpp"

namespace tactus::dag {
namespace {

constexpr std::size_t kWords = 8;
constexpr std::size_t kColumns = 64 * kWords;
using Row = std::array<std::uint64_t, kWords>;
/// Smaller graphs take a few sweeps, which are faster.
constexpr std::size_t kListsFrom = 16 * kColumns;

/// The weight of a set of up to 64 columns.
class WordWeight {
 public:
  /// @pre at most 64 weights, whose sum fits.
  void reset(std::span<const std::int64_t> weights) {
    bytes_ = (weights.size() + 7) / 8;
    for (std::size_t byte = 0; byte < bytes_; ++byte) {
      auto& sums = table_[byte];
      sums[0] = 0;
      for (std::size_t set = 1; set < sums.size(); ++set) {
        const auto lowest = static_cast<std::size_t>(std::countr_zero(set));
        const std::size_t column = 8 * byte + lowest;
        sums[set] = sums[set & (set - 1)] + (column < weights.size() ? weights[column] : 0);
      }
    }
    last_set_ = 0;
    last_weight_ = 0;
  }

  std::int64_t of(std::uint64_t set) {
    if (set == last_set_) return last_weight_;
    std::int64_t weight = 0;
    for (std::size_t byte = 0; byte < bytes_; ++byte) {
      weight += table_[byte][(set >> (8 * byte)) & 0xff];
    }
    last_set_ = set;
    last_weight_ = weight;
    return weight;
  }

 private:
  std::array<std::array<std::int64_t, 256>, 8> table_;  ///< by byte of the set
  std::size_t bytes_ = 0;
  std::uint64_t last_set_ = 0;
  std::int64_t last_weight_ = 0;
};

/// The order of the file where it is topological: nodes that belong together stand together there,
/// while a node that could start at once, but is needed late, comes early in other orders.
std::vector<NodeIndex> order_of(const Graph& graph) {
  std::vector<NodeIndex> order(graph.size());
  std::iota(order.begin(), order.end(), NodeIndex{0});
  const bool sorted = std::all_of(order.begin(), order.end(), [&](NodeIndex node) {
    const auto before = graph.predecessors(node);
    return std::all_of(before.begin(), before.end(), [&](NodeIndex other) { return other < node; });
  });
  return sorted ? order : topological_order(graph);
}

SortedGraph sort(const KernelGraph& kernels) {
  SortedGraph out;
  const Graph& graph = *kernels.graph;
  out.order = order_of(graph);
  std::vector<NodeIndex> place(graph.size());
  for (NodeIndex i = 0; i < graph.size(); ++i) place[out.order[i]] = i;
  out.start.reserve(graph.size() + 1);
  out.start.push_back(0);
  out.previous.reserve(graph.edge_count());
  out.weight.reserve(graph.size());
  for (NodeIndex node : out.order) {
    for (NodeIndex before : graph.predecessors(node)) out.previous.push_back(place[before]);
    out.start.push_back(static_cast<std::uint32_t>(out.previous.size()));
    out.weight.push_back(kernels.loads[node].ns());
  }
  return out;
}

/// For any graph: 512 possible ancestors at a time, by one sweep over all nodes after them.
std::vector<std::int64_t> sums_by_sweeps(const SortedGraph& graph, const std::stop_token& stop) {
  const std::size_t size = graph.size();
  std::vector<std::int64_t> sums(size);
  std::vector<Row> rows(size);  // the node itself is in its row
  std::vector<WordWeight> weights(kWords);

  for (std::size_t first = 0; first < size; first += kColumns) {
    Stopped::check(stop);
    const std::size_t columns = std::min(kColumns, size - first);
    const std::size_t words = (columns - 1) / 64 + 1;
    for (std::size_t word = 0; word < words; ++word) {
      const std::size_t begin = first + 64 * word;
      weights[word].reset({graph.weight.data() + begin, std::min<std::size_t>(64, size - begin)});
    }
    for (std::size_t v = first; v < size; ++v) {
      Row row{};
      for (std::uint32_t e = graph.start[v]; e < graph.start[v + 1]; ++e) {
        const NodeIndex before = graph.previous[e];
        if (before < first) continue;
        const Row& other = rows[before];
        for (std::size_t word = 0; word < kWords; ++word) row[word] |= other[word];
      }
      if (v < first + columns) row[(v - first) / 64] |= std::uint64_t{1} << ((v - first) % 64);
      rows[v] = row;
      for (std::size_t word = 0; word < words; ++word) sums[v] += weights[word].of(row[word]);
    }
  }
  return sums;
}

}  // namespace

std::vector<Time> ancestor_loads(const KernelGraph& kernels, const std::stop_token& stop) {
  const SortedGraph graph = sort(kernels);
  // Every sum is at most the total load, which fits: unchecked from here on.
  std::optional<std::vector<std::int64_t>> sums;
  if (graph.size() > kListsFrom) sums = sums_by_lists(graph);
  // A visit costs as much as one of a sweep, of which there are V / 512 over half of the nodes.
  const std::size_t visits_of_sweeps = graph.size() * (graph.size() / kColumns) / 2;
  if (!sums) sums = sums_by_chains(graph, visits_of_sweeps, stop);
  if (!sums) sums = sums_by_sweeps(graph, stop);
  std::vector<Time> by_node(graph.size());
  for (std::size_t v = 0; v < graph.size(); ++v) {
    by_node[graph.order[v]] = Time::from_ns((*sums)[v]);
  }
  return by_node;
}

}  // namespace tactus::dag
