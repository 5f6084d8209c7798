#include "tactus/methods/dag/ancestors.hpp"

#include <algorithm>
#include <array>
#include <bit>

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
  for (NodeIndex node : out.order) {
    for (NodeIndex before : graph.predecessors(node)) out.previous.push_back(place[before]);
    out.start.push_back(static_cast<std::uint32_t>(out.previous.size()));
    out.weight.push_back(kernels.loads[node].ns());
  }
  return out;
}

/// Which nodes are sure to have an ancestor in whatever their neighbours have: a steady node has a
/// steady predecessor at most `reach` places before it. So when the last `reach` places in a row of
/// steady nodes have all columns of a block among their ancestors, every later steady node has.
class Steady {
 public:
  explicit Steady(const SortedGraph& graph) : steady_(graph.order.size()) {
    constexpr std::size_t kRare = 1'000;  // one node in so many may reach back further
    const std::size_t size = graph.order.size();
    std::vector<std::size_t> distances;
    for (std::size_t v = 0; v < size; ++v) {
      if (graph.start[v] < graph.start[v + 1]) distances.push_back(v - last(graph, v));
    }
    if (!distances.empty()) {
      const auto at = static_cast<std::ptrdiff_t>(distances.size() - 1 - distances.size() / kRare);
      std::nth_element(distances.begin(), distances.begin() + at, distances.end());
      reach_ = distances[static_cast<std::size_t>(at)];
    }
    // The first nodes count as steady: a block that has them all behind it is looked at node by node.
    for (std::size_t v = 0; v < size; ++v) {
      bool steady = v < reach_;
      for (std::uint32_t e = graph.start[v]; e < graph.start[v + 1] && !steady; ++e) {
        steady = steady_[graph.previous[e]] && v - graph.previous[e] <= reach_;
      }
      steady_[v] = steady;
      if (!steady) others_.push_back(v);
    }
  }

  bool is(std::size_t v) const { return steady_[v]; }
  std::size_t reach() const { return reach_; }
  /// The nodes from `first` on that are not steady, ascending.
  std::span<const std::size_t> others_from(std::size_t first) const {
    const auto at = std::lower_bound(others_.begin(), others_.end(), first);
    return {others_.data() + (at - others_.begin()), static_cast<std::size_t>(others_.end() - at)};
  }

 private:
  static std::size_t last(const SortedGraph& graph, std::size_t v) {
    const auto* const begin = graph.previous.data();
    return *std::max_element(begin + graph.start[v], begin + graph.start[v + 1]);
  }

  std::vector<bool> steady_;
  std::vector<std::size_t> others_;
  std::size_t reach_ = 0;
};

/// The nodes of a block as columns; for every node, which of them are its ancestors or itself.
class Block {
 public:
  explicit Block(const SortedGraph& graph) : graph_(graph), rows_(graph.order.size()) {}

  void begin(std::size_t first) {
    first_ = first;
    const std::size_t size = rows_.size();
    columns_ = std::min(kColumns, size - first);
    words_ = (columns_ - 1) / 64 + 1;
    full_ = {};
    total_ = 0;
    for (std::size_t word = 0; word < words_; ++word) {
      const std::size_t begin = first + 64 * word;
      const std::size_t count = std::min<std::size_t>(64, size - begin);
      weights_[word].reset({graph_.weight.data() + begin, count});
      full_[word] = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
      total_ += weights_[word].of(full_[word]);
    }
  }
  std::size_t end() const { return first_ + columns_; }
  /// Of all columns.
  std::int64_t total() const { return total_; }

  /// Computes the row of a node; `full_from`: steady nodes from there on have all columns.
  void add(std::size_t v, std::size_t full_from, const Steady& steady) {
    Row row{};
    for (std::uint32_t e = graph_.start[v]; e < graph_.start[v + 1]; ++e) {
      const NodeIndex before = graph_.previous[e];
      if (before < first_) continue;
      const Row& other = before >= full_from && steady.is(before) ? full_ : rows_[before];
      for (std::size_t word = 0; word < kWords; ++word) row[word] |= other[word];
    }
    if (v < end()) row[(v - first_) / 64] |= std::uint64_t{1} << ((v - first_) % 64);
    rows_[v] = row;
  }
  bool full(std::size_t v) const { return rows_[v] == full_; }
  std::int64_t weight(std::size_t v) {
    std::int64_t sum = 0;
    for (std::size_t word = 0; word < words_; ++word) sum += weights_[word].of(rows_[v][word]);
    return sum;
  }

 private:
  const SortedGraph& graph_;
  std::vector<Row> rows_;
  std::vector<WordWeight> weights_ = std::vector<WordWeight>(kWords);
  std::size_t first_ = 0, columns_ = 0, words_ = 0;
  Row full_{};
  std::int64_t total_ = 0;
};

}  // namespace

std::vector<Time> ancestor_loads(const KernelGraph& kernels, const std::stop_token& stop) {
  const SortedGraph graph = sort(kernels);
  const std::size_t size = graph.order.size();
  const Steady steady(graph);
  // Every sum is at most the total load, which fits: unchecked from here on.
  std::vector<std::int64_t> sums(size);
  std::vector<std::int64_t> from_here_on(size);  // what a node and all after it have
  Block block(graph);

  for (std::size_t first = 0; first < size; first += kColumns) {
    Stopped::check(stop);
    block.begin(first);
    std::size_t v = first, partial = first;  // the last steady node without all columns
    for (; v < size && (v < block.end() || v <= partial + steady.reach()); ++v) {
      block.add(v, size, steady);
      sums[v] += block.weight(v);
      if (steady.is(v) && !block.full(v)) partial = v;
    }
    if (v == size) continue;
    from_here_on[v] += block.total();
    for (const std::size_t other : steady.others_from(v)) {
      block.add(other, v, steady);
      sums[other] += block.weight(other) - block.total();
    }
  }

  std::vector<Time> by_node(size);
  std::int64_t before = 0;
  for (std::size_t v = 0; v < size; ++v) {
    before += from_here_on[v];
    by_node[graph.order[v]] = Time::from_ns(sums[v] + before);
  }
  return by_node;
}

}  // namespace tactus::dag
