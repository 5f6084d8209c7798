#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "tactus/methods/dag/kernel_graph.hpp"

/// Algorithm 1: which kernels run together.
namespace tactus::dag {

/// A list of lists of nodes, stored flat.
class NodeLists {
 public:
  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  std::span<const NodeIndex> operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {nodes_.data() + begin, nodes_.data() + ends_[i]};
  }
  void push(NodeIndex node) { nodes_.push_back(node); }
  /// Ends the list that `push` has been filling; an empty one is dropped.
  void end_list() {
    if (nodes_.size() > (empty() ? 0 : ends_.back())) ends_.push_back(nodes_.size());
  }

 private:
  std::vector<NodeIndex> nodes_;
  std::vector<std::size_t> ends_;
};

/// What the grouping is based on, computed once for a graph.
struct Ancestry {
  std::vector<Time> loads;       ///< Wanc, by node
  std::vector<NodeIndex> ranks;  ///< place of each node by descending Wanc, ties in file order
  std::vector<NodeIndex> by_rank;
  NodeLists blocks;
};

/// Step 1 and 2: ancestor sums, and the blocks between join nodes.
/// @throws Stopped when the caller asks to stop.
Ancestry make_ancestry(const KernelGraph& kernels, const std::stop_token& stop = {});

enum class GroupRule {
  kSomeLarge,   ///< Rule 2: a kernel that can fill the GPU runs alone
  kEveryLarge,  ///< line 12 as printed: only where every kernel of the group could more than fill
                ///< it
};

/// Step 3: the ordered groups, at most `cap` nodes each. An edge always leads from an earlier to a
/// strictly later group. @pre 1 <= cap <= kernels.sms.
NodeLists make_groups(const KernelGraph& kernels, const Ancestry& ancestry, GroupRule rule,
                      std::int64_t cap);

}  // namespace tactus::dag
