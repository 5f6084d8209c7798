#pragma once

#include "tactus/methods/gang/pieces.hpp"

/// The paper's model: a DAG of rigid gang tasks.
namespace tactus::gang {

/// A gang task, or several equal ones: the blocks of one kernel, and neighbours in the node order
/// with equal element, width, WCET, predecessors and successors. They are unordered among
/// themselves. Because they are counted, not listed, a kernel of 10,000 blocks costs as much as one
/// of 10. A moldable node is never merged with others, no matter what width it has now.
struct GangNode {
  ElementIndex on = 0;
  std::int64_t width = 1;  ///< m_i, the dominant share of a unit where the element has `sm`
  Time wcet;               ///< C_i, of one copy
  std::int64_t copies = 1;
  std::vector<NodeIndex> pieces;  ///< of the `GangTask` it stands for

  friend bool operator==(const GangNode&, const GangNode&) = default;
};

/// A task of the file, nodes in the paper's node order: the lexicographically smallest topological
/// order, so that every edge leads to a larger index.
struct GangDag {
  TaskIndex task = 0;
  Time period, deadline;
  std::vector<GangNode> nodes;
  Graph graph;
};

/// The task with these entries: every gang is rigid then. No entries: the first of every piece.
GangDag make_dag(const GangTask& task, const Entries& entries = {});

/// Gives the moldable nodes other entries. Nodes and edges stay what they are.
void set_entries(GangDag& dag, const GangTask& task, const Entries& entries);

/// The longest path, len(G).
Time length_of(const GangDag& dag);

/// "conv" or "conv[0..5]": a gang node as the file names it.
std::string label_of(const System& system, const GangTask& task, const GangNode& node);

/// What a gang must fit into: `count` equal pools of `size` processors. A share of an element with
/// lanes is as many pools as it has units; of an element without, one pool of all its units.
struct Pools {
  std::int64_t size = 0, count = 0;
};
inline Pools pools_of(const Element& element, std::int64_t units) {
  return element.lanes > 1 ? Pools{element.lanes, units} : Pools{units, 1};
}

}  // namespace tactus::gang
