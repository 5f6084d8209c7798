#pragma once

#include <string>
#include <vector>

#include "tactus/runtime/driver/graph_api.hpp"

/// Gives a captured graph another context, that is, other SMs.
namespace tactus::runtime::driver {

/// What a graph consists of, child graphs included.
struct GraphContents {
  std::size_t kernels = 0;
  std::size_t fixed_kernels = 0;  ///< that stay in the context they were captured in (only `func`)
  std::size_t memsets = 0, copies = 0;
  std::size_t host_functions = 0;  ///< they run on a thread of the driver, wherever the graph is
};

/// What it consists of. An `Error` names what no plan can cover: work that waits for something
/// outside the graph, and nodes whose kernels cannot be seen.
Result<GraphContents> survey(const Driver& driver, Graph graph);

/// Puts every kernel, memset and copy into `context`. Kernels get another context; a memset or a copy
/// has none that could be changed and would run outside of the partition, where it waits for
/// whatever else is on the GPU: it is added anew, with the same edges. Results never change.
/// Fixed kernels stay where they are.
std::optional<Error> move_into(const Driver& driver, Graph graph, Context context);

/// How many kernels of the graph are in another context than this.
Result<std::size_t> kernels_outside(const Driver& driver, Graph graph, Context context);

/// The nodes without predecessors, or without successors.
struct GraphEnds {
  std::vector<GraphNode> first, last;
};
Result<GraphEnds> ends_of(const Driver& driver, Graph graph);

/// "342 kernels, 14 memsets".
std::string describe(const GraphContents& contents);

}  // namespace tactus::runtime::driver
