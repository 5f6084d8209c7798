#pragma once

#include <vector>

#include "tactus/methods/gang/dag.hpp"
#include "tactus/methods/gang/exact.hpp"
#include "tactus/model/reachability.hpp"

namespace tactus::gang {

/// The nodes of a DAG on one element, V_p, and which of them can interfere with which. Everything
/// is indexed by the place of a node in `nodes`, which follows the node order.
struct ElementLoad {
  ElementIndex element = 0;
  std::vector<NodeIndex> nodes;
  std::vector<std::int64_t> width, copies;
  std::vector<Volume> volume;  ///< of all copies together
  /// Row k is I(k) of Def. 5: the nodes of V_p unordered with k. A node with several copies
  /// interferes with itself: its own bit stands for the other copies.
  bits::Matrix interferers;
  bits::Matrix ancestors;  ///< within V_p

  std::int64_t widest = 0;
  Volume total = 0;        ///< vol(V_p)
  Volume least_path = 0;   ///< volmin_p: least vol(path in V_p) of a complete path that touches p
  Volume interfering = 0;  ///< volume of all nodes with interferers, vi of the last (Def. 9)

  /// W_p, the most volume of p off a path that touches p.
  Volume off_path() const { return total - least_path; }
};

/// One load for every element the DAG uses, in the order of the platform.
std::vector<ElementLoad> loads_of(const GangDag& dag);

/// Widths, volumes and what follows from them, of a DAG that got other entries since `loads_of`.
/// Which nodes interfere depends only on the graph and does not change.
void weigh_again(ElementLoad& load, const GangDag& dag);

}  // namespace tactus::gang
