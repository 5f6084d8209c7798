#pragma once

#include "tactus/model/field.hpp"

namespace tactus {

/// Reads `edges`: pairs of names of nodes of the task, no self edge, none twice, no cycle. The
/// nodes' names are in `context.nodes`. False if anything is wrong; all has been reported.
bool read_edges(const json::Value& value, ReadContext& context, NodeIndex node_count, Graph& graph);

/// The same rules for the graph of a task in memory. No nodes: no graph was given.
bool check_edges(const Task& task, ReadContext& context, Position at);

}  // namespace tactus
