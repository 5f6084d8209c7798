#pragma once

#include "tactus/exchange/graphs.hpp"

namespace tactus::exchange {

/// Was a drawing written by cudaGraphDebugDotPrint? Its nodes are called `graph_1_node_0`.
bool is_cuda_graph(const Drawing& drawing);

/// Puts what the labels of such a drawing say into attributes: name, launch configuration, and where
/// the node runs. Returns what is to be noted.
std::vector<std::string> read_cuda_graph(Drawing& drawing);

}  // namespace tactus::exchange
