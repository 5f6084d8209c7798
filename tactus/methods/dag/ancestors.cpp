#include "tactus/methods/dag/ancestors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <queue>

#include "tactus/methods/method.hpp"

namespace tactus::dag {
namespace {

constexpr std::size_t kWords = 8;
constexpr std::size_t kColumns = 64 * kWords;
using Row = std::array<std::uint64_t, kWords>;

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

/// The graph with its nodes renumbered in topological order: predecessors come first.
struct SortedGraph {
  std::vector<NodeIndex> order;  ///< by place
  std::vector<std::uint32_t> start;
  std::vector<NodeIndex> previous;  ///< places of the predecessors of each place
  std::vector<std::uint32_t> next_start;
  std::vector<NodeIndex> next;  ///< and of its successors
  std::vector<std::int64_t> weight;
};

SortedGraph sort(const KernelGraph& kernels) {
  SortedGraph out;
  const Graph& graph = *kernels.graph;
  out.order = topological_order(graph);
  std::vector<NodeIndex> place(graph.size());
  for (NodeIndex i = 0; i < graph.size(); ++i) place[out.order[i]] = i;
  out.start.reserve(graph.size() + 1);
  out.start.push_back(0);
  out.previous.reserve(graph.edge_count());
  out.weight.reserve(graph.size());
  out.next_start.reserve(graph.size() + 1);
  out.next_start.push_back(0);
  out.next.reserve(graph.edge_count());
  for (NodeIndex node : out.order) {
    for (NodeIndex before : graph.predecessors(node)) out.previous.push_back(place[before]);
    out.start.push_back(static_cast<std::uint32_t>(out.previous.size()));
    for (NodeIndex after : graph.successors(node)) out.next.push_back(place[after]);
    out.next_start.push_back(static_cast<std::uint32_t>(out.next.size()));
    out.weight.push_back(kernels.loads[node].ns());
  }
  return out;
}

/// Which nodes have only near predecessors: a steady node has predecessors, all of them at most
/// `reach` places before it, and one of them is steady. So when in the last `reach` places every
/// steady node has the same ancestors among the columns of a block, and the others have no more,
/// all later steady nodes have these too, except behind a node that has more.
class Steady {
 public:
  explicit Steady(const SortedGraph& graph) : steady_(graph.order.size()) {
    constexpr std::size_t kRare = 1'000;  // one node in so many may reach back further
    const std::size_t size = graph.order.size();
    std::vector<std::size_t> distances;
    for (std::size_t v = 0; v < size; ++v) {
      if (graph.start[v] < graph.start[v + 1]) distances.push_back(v - furthest(graph, v));
    }
    if (!distances.empty()) {
      const auto at = static_cast<std::ptrdiff_t>(distances.size() - 1 - distances.size() / kRare);
      std::nth_element(distances.begin(), distances.begin() + at, distances.end());
      reach_ = distances[static_cast<std::size_t>(at)];
    }
    // The first places count as steady: before a sweep can end, it has passed them.
    for (std::size_t v = 0; v < size; ++v) {
      bool steady = v < reach_;
      const bool near = graph.start[v] < graph.start[v + 1] && v - furthest(graph, v) <= reach_;
      for (std::uint32_t e = graph.start[v]; near && e < graph.start[v + 1] && !steady; ++e) {
        steady = steady_[graph.previous[e]];
      }
      steady_[v] = steady;
      if (!steady) others_.push_back(static_cast<NodeIndex>(v));
    }
  }

  bool is(std::size_t v) const { return steady_[v]; }
  std::size_t reach() const { return reach_; }
  /// The nodes from `first` on that are not steady, ascending.
  std::span<const NodeIndex> others_from(std::size_t first) const {
    const auto at = std::lower_bound(others_.begin(), others_.end(), first);
    return {others_.data() + (at - others_.begin()), static_cast<std::size_t>(others_.end() - at)};
  }

 private:
  static std::size_t furthest(const SortedGraph& graph, std::size_t v) {
    const auto* const begin = graph.previous.data();
    return *std::min_element(begin + graph.start[v], begin + graph.start[v + 1]);
  }

  std::vector<bool> steady_;
  std::vector<NodeIndex> others_;
  std::size_t reach_ = 0;
};

bool contains(const Row& row, const Row& part) {
  std::uint64_t more = 0;
  for (std::size_t word = 0; word < kWords; ++word) more |= part[word] & ~row[word];
  return more == 0;
}

/// The nodes of a block as columns; for every node, which of them are its ancestors or itself.
class Block {
 public:
  Block(const SortedGraph& graph, const Steady& steady)
      : graph_(graph),
        steady_(steady),
        rows_(graph.order.size()),
        looked_at_(graph.order.size()),
        sums_(graph.order.size()),
        from_here_on_(graph.order.size()) {}

  void sweep(std::size_t first) {
    begin(first);
    const std::size_t size = rows_.size();
    std::size_t v = first;
    std::size_t changed = first;  // there the last of the nodes had other ancestors than `usual`
    Row usual{};
    for (; v < size && (v < end_ || v <= changed + steady_.reach()); ++v) {
      rows_[v] = row_of(v, size, usual);
      sums_[v] += weight(rows_[v]);
      const bool same = steady_.is(v) ? rows_[v] == usual : contains(usual, rows_[v]);
      if (same) continue;
      changed = v;
      if (steady_.is(v)) usual = rows_[v];
    }
    if (v < size) finish(v, usual);
  }

  /// Of all sweeps so far.
  std::vector<std::int64_t> sums() const {
    std::vector<std::int64_t> all(sums_);
    std::int64_t before = 0;
    for (std::size_t v = 0; v < all.size(); ++v) all[v] += before += from_here_on_[v];
    return all;
  }

 private:
  void begin(std::size_t first) {
    first_ = first;
    end_ = std::min(first + kColumns, rows_.size());
    words_ = (end_ - first - 1) / 64 + 1;
    for (std::size_t word = 0; word < words_; ++word) {
      const std::size_t at = first + 64 * word;
      weights_[word].reset({graph_.weight.data() + at, std::min<std::size_t>(64, end_ - at)});
    }
  }

  /// From `rest` on, nodes that were not looked at have the row `usual`.
  Row row_of(std::size_t v, std::size_t rest, const Row& usual) const {
    Row row{};
    for (std::uint32_t e = graph_.start[v]; e < graph_.start[v + 1]; ++e) {
      const NodeIndex before = graph_.previous[e];
      if (before < first_) continue;
      const Row& other = before >= rest && !looked_at_[before] ? usual : rows_[before];
      for (std::size_t word = 0; word < kWords; ++word) row[word] |= other[word];
    }
    if (v < end_) row[(v - first_) / 64] |= std::uint64_t{1} << ((v - first_) % 64);
    return row;
  }

  /// All nodes from `rest` on have the row `usual`, except some that are not steady, and what comes
  /// behind a node that has columns beyond it.
  void finish(std::size_t rest, const Row& usual) {
    const std::int64_t usual_weight = weight(usual);
    from_here_on_[rest] += usual_weight;
    const auto others = steady_.others_from(rest);
    auto other = others.begin();
    std::priority_queue<NodeIndex, std::vector<NodeIndex>, std::greater<>> behind;
    std::vector<NodeIndex> looked_at;
    while (other != others.end() || !behind.empty()) {
      const bool from_others = behind.empty() || (other != others.end() && *other <= behind.top());
      const NodeIndex v = from_others ? *other : behind.top();
      (from_others ? void(++other) : behind.pop());
      if (looked_at_[v]) continue;
      rows_[v] = row_of(v, rest, usual);
      looked_at_[v] = true;
      looked_at.push_back(v);
      sums_[v] += weight(rows_[v]) - usual_weight;
      if (contains(usual, rows_[v])) continue;
      for (std::uint32_t e = graph_.next_start[v]; e < graph_.next_start[v + 1]; ++e) {
        behind.push(graph_.next[e]);
      }
    }
    for (const NodeIndex v : looked_at) looked_at_[v] = false;
  }

  std::int64_t weight(const Row& row) {
    std::int64_t sum = 0;
    for (std::size_t word = 0; word < words_; ++word) sum += weights_[word].of(row[word]);
    return sum;
  }

  const SortedGraph& graph_;
  const Steady& steady_;
  std::vector<Row> rows_;
  std::vector<WordWeight> weights_ = std::vector<WordWeight>(kWords);
  std::vector<bool> looked_at_;  ///< of the nodes behind the end of the sweep
  std::size_t first_ = 0, end_ = 0, words_ = 0;
  // Every sum is at most the total load, which fits: unchecked.
  std::vector<std::int64_t> sums_, from_here_on_;  ///< of a node; of a node and all after it
};

}  // namespace

std::vector<Time> ancestor_loads(const KernelGraph& kernels, const std::stop_token& stop) {
  const SortedGraph graph = sort(kernels);
  const std::size_t size = graph.order.size();
  const Steady steady(graph);
  Block block(graph, steady);
  for (std::size_t first = 0; first < size; first += kColumns) {
    Stopped::check(stop);
    block.sweep(first);
  }
  const std::vector<std::int64_t> sums = block.sums();
  std::vector<Time> by_node(size);
  for (std::size_t v = 0; v < size; ++v) by_node[graph.order[v]] = Time::from_ns(sums[v]);
  return by_node;
}

}  // namespace tactus::dag
