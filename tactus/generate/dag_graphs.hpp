#pragma once

#include <vector>

#include "tactus/base/random.hpp"
#include "tactus/model/graph.hpp"

/// Graphs of kernels for experiments with the dag methods: random layers and three shapes from
/// numerical codes. Only integers are used, so that every platform makes the same
/// graphs.
namespace tactus::dag {

/// Node count and edges, nodes in topological order.
struct Shape {
  NodeIndex size = 0;
  std::vector<Edge> edges;
};

struct LayeredOptions {
  std::int64_t widest = 8;  ///< P: an inner layer has 2 .. P nodes
  std::int64_t depth_min = 5, depth_max = 8;
  double probability = 0.5;  ///< of an edge between nodes of neighbouring layers
};

/// A source, layers of random width, a sink. Draws: the depth; the width of each inner layer in
/// turn; then for each pair of neighbouring inner layers, node by node of the earlier one, one draw
/// for each node of the later one. A node without predecessor is joined to the
/// source, one without successor to the sink. @pre widest >= 2, 2 <= depth_min <=
/// depth_max.
Shape layered(const LayeredOptions& options, Random& random);

/// Diamond of k * k nodes: layers of 1, 2, .., k, .., 2, 1.
Shape laplace(NodeIndex k);
/// Elimination of an m * m matrix: tasks T(k, j), 1 <= k < m, k <= j <= m, in the order of (k, j).
/// @pre m >= 2.
Shape gauss(NodeIndex m);
/// `steps` layers of `width` nodes, each before its neighbours in the next; a source and a sink.
Shape stencil(NodeIndex width, NodeIndex steps);

/// Loads that average to `mean`, whole numbers >= 1: uniform draws in (0, 1], one per node,
/// scaled to sum to mean * n and rounded half up. With unit ends the first and last node get
/// load 1, and the others share mean * n - 2. @pre mean * n is below 2^62; with unit ends n >=
/// 2.
std::vector<std::int64_t> draw_loads(NodeIndex n, std::int64_t mean, bool unit_ends,
                                     Random& random);

}  // namespace tactus::dag
