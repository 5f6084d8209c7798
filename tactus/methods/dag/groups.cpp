#include "tactus/methods/dag/groups.hpp"

#include <set>

#include "tactus/methods/dag/ancestors.hpp"

namespace tactus::dag {
namespace {

/// Step 2: of each join node the ancestors that are in no earlier block, then all nodes left.
NodeLists make_blocks(const KernelGraph& kernels, const Ancestry& ancestry) {
  const Graph& graph = *kernels.graph;
  std::vector<NodeIndex> joins;
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    if (graph.predecessors(node).size() > 1) joins.push_back(node);
  }
  // Ascending: every join then follows the joins among its ancestors (A1).
  std::stable_sort(joins.begin(), joins.end(),
                   [&](NodeIndex a, NodeIndex b) { return ancestry.loads[a] < ancestry.loads[b]; });

  NodeLists blocks;
  std::vector<bool> used(graph.size());
  std::vector<NodeIndex> stack;
  const auto use = [&](NodeIndex node) {
    if (used[node]) return;
    used[node] = true;
    blocks.push(node);
    stack.push_back(node);
  };
  for (NodeIndex join : joins) {
    // `used` is closed under predecessors, so the walk stops at it and is linear over all joins.
    stack.push_back(join);
    while (!stack.empty()) {
      const NodeIndex node = stack.back();
      stack.pop_back();
      for (NodeIndex before : graph.predecessors(node)) use(before);
    }
    blocks.end_list();
  }
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    if (!used[node]) blocks.push(node);
  }
  blocks.end_list();
  return blocks;
}

/// The heads of what is left of a block: nodes whose predecessors in the block are gone. The first
/// `cap` of them by rank are the candidates of the next group and also sorted by load.
class Heads {
 public:
  Heads(const KernelGraph& kernels, const Ancestry& ancestry, std::size_t cap)
      : kernels_(kernels), ancestry_(ancestry), cap_(cap) {}

  bool empty() const { return first_.empty(); }
  void add(NodeIndex node) {
    insert_first(ancestry_.ranks[node]);
    if (first_.size() <= cap_) return;
    const NodeIndex last = *first_.rbegin();
    erase_first(last);
    others_.insert(last);
  }
  void remove(NodeIndex node) {
    erase_first(ancestry_.ranks[node]);
    if (others_.empty()) return;
    insert_first(*others_.begin());
    others_.erase(others_.begin());
  }

  /// Steps b and c: the next group, in order of rank.
  void next_group(GroupRule rule, std::vector<NodeIndex>& group) const {
    group.clear();
    if (first_.size() > 1 && runs_alone(rule)) {
      group.push_back(largest());
      return;
    }
    for (NodeIndex rank : first_) group.push_back(ancestry_.by_rank[rank]);
  }

 private:
  /// By load, ties in reverse file order: the last is the largest, the one listed first among
  /// equals.
  using ByLoad = std::set<std::pair<Time, NodeIndex>>;
  std::pair<Time, NodeIndex> load_key(NodeIndex node) const {
    return {kernels_.loads[node], kernels_.size() - 1 - node};
  }
  NodeIndex largest() const { return kernels_.size() - 1 - by_load_.rbegin()->second; }

  /// m_max grows with the load, so the largest kernel decides "some", the smallest "every".
  bool runs_alone(GroupRule rule) const {
    if (rule == GroupRule::kSomeLarge) {
      return kernels_.useful_sms(by_load_.rbegin()->first) >= kernels_.sms;
    }
    return kernels_.useful_sms(by_load_.begin()->first) > kernels_.sms;
  }

  void insert_first(NodeIndex rank) {
    first_.insert(rank);
    by_load_.insert(load_key(ancestry_.by_rank[rank]));
  }
  void erase_first(NodeIndex rank) {
    first_.erase(rank);
    by_load_.erase(load_key(ancestry_.by_rank[rank]));
  }

  const KernelGraph& kernels_;
  const Ancestry& ancestry_;
  std::size_t cap_;
  std::set<NodeIndex> first_;   ///< ranks of the first `cap` heads
  std::set<NodeIndex> others_;  ///< ranks of the rest
  ByLoad by_load_;              ///< of the first
};

}  // namespace

Ancestry make_ancestry(const KernelGraph& kernels, const std::stop_token& stop) {
  Ancestry out;
  out.loads = ancestor_loads(kernels, stop);
  out.by_rank.resize(kernels.size());
  for (NodeIndex node = 0; node < kernels.size(); ++node) out.by_rank[node] = node;
  std::stable_sort(out.by_rank.begin(), out.by_rank.end(),
                   [&](NodeIndex a, NodeIndex b) { return out.loads[a] > out.loads[b]; });
  out.ranks.resize(kernels.size());
  for (NodeIndex rank = 0; rank < kernels.size(); ++rank) out.ranks[out.by_rank[rank]] = rank;
  out.blocks = make_blocks(kernels, out);
  return out;
}

NodeLists make_groups(const KernelGraph& kernels, const Ancestry& ancestry, GroupRule rule,
                      std::int64_t cap) {
  const Graph& graph = *kernels.graph;
  constexpr std::size_t kNoBlock = static_cast<std::size_t>(-1);
  std::vector<std::size_t> block_of(graph.size(), kNoBlock);
  NodeLists groups;
  std::vector<NodeIndex> group;
  for (std::size_t b = 0; b < ancestry.blocks.size(); ++b) {
    const auto block = ancestry.blocks[b];
    for (NodeIndex node : block) block_of[node] = b;
    Heads heads(kernels, ancestry, static_cast<std::size_t>(cap));
    for (NodeIndex node : block) {
      // At most one predecessor lies in the block, so a node is a head once that one is gone.
      const auto before = graph.predecessors(node);
      if (std::none_of(before.begin(), before.end(),
                       [&](NodeIndex p) { return block_of[p] == b; })) {
        heads.add(node);
      }
    }
    while (!heads.empty()) {
      heads.next_group(rule, group);
      for (NodeIndex node : group) {
        heads.remove(node);
        groups.push(node);
      }
      groups.end_list();
      for (NodeIndex node : group) {
        for (NodeIndex next : graph.successors(node)) {
          if (block_of[next] == b) heads.add(next);
        }
      }
    }
  }
  return groups;
}

}  // namespace tactus::dag
