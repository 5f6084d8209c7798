#pragma once

#include <stop_token>
#include <vector>

#include "tactus/methods/dag/kernel_graph.hpp"

namespace tactus::dag {

/// Wanc(v): the load of v and of all its transitive predecessors (Eq. 2), by node.
///
/// Exact, and without the quadratic reachability matrix. Large graphs are first tried by short lists
/// (ancestor_lists.hpp), then by few chains (ancestor_chains.hpp). Otherwise the nodes, in topological
/// order, are taken as columns, 512 at a time; one pass over the edges gives every later node the set
/// of its ancestors among those columns, as eight words of bits, and the loads of that set are added
/// to its sum. Time O(V * E / 64) word operations, memory O(V) and independent of the density:
/// 64 bytes per node, so 6.4 MB for 100,000 nodes; the matrix takes 1.25 GB. In layered graphs
/// neighbours have the same far ancestors, so the last set of each word is remembered with its
/// weight and most weights are not added up again. @throws Stopped when the caller asks to
/// stop.
std::vector<Time> ancestor_loads(const KernelGraph& kernels, const std::stop_token& stop = {});

}  // namespace tactus::dag
