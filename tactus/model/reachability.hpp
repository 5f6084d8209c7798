#pragma once

#include "tactus/base/bits.hpp"
#include "tactus/model/graph.hpp"

namespace tactus {

/// Which nodes of an acyclic graph come before which: the transitive closure, one row of bits per
/// node in both directions. Takes size() squared / 4 bytes and is built in O(edges * size() / 64).
///
///     Reachability order(task.graph);
///     if (!order.ordered(a, b)) ...   // a and b may run at the same time
class Reachability {
 public:
  /// @pre no cycle.
  explicit Reachability(const Graph& graph);

  /// Is there a path of at least one edge from `a` to `b`?
  bool before(NodeIndex a, NodeIndex b) const { return bits::test(descendants_[a], b); }
  bool ordered(NodeIndex a, NodeIndex b) const { return before(a, b) || before(b, a); }

  /// Proper ancestors and descendants.
  bits::ConstRow ancestors(NodeIndex node) const { return ancestors_[node]; }
  bits::ConstRow descendants(NodeIndex node) const { return descendants_[node]; }

 private:
  bits::Matrix ancestors_, descendants_;
};

}  // namespace tactus
