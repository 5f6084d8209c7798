#pragma once

#include <vector>

#include "tactus/model/system.hpp"

/// Memory of drawn systems that nobody needs any more, for the next ones that are drawn on the same
/// thread: a small system is drawn in less time than it takes to allocate it.
namespace tactus {

/// Without elements; with the memory that was left, if there is some.
std::vector<Task> take_task_memory();
std::vector<Node> take_node_memory();
/// `Graph::chain(size)`, one that was left if there is one.
Graph take_chain(NodeIndex size);

/// What a small system lies in is kept; a large one is given back.
void leave_memory(System&& system);

}  // namespace tactus
