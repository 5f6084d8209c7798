#pragma once

#include <string_view>

#include "tactus/runtime/device.hpp"
#include "tactus/trace/observed.hpp"

/// What executors share about nodes that run a graph of the user (`UserGraph`).
namespace tactus::runtime {

/// Brings the graph into its partition, and notes how that was done.
std::optional<Error> prepare_replay(Device& device, const System& system, const Replay& replay,
                                    trace::Observed& observed);

/// "`detect` of task `camera` runs a graph, <why>".
Error refuse_graph(const System& system, TaskIndex task, NodeIndex node, std::string_view why);

/// Refuses every graph and every callback of a task whose nodes cannot have any.
std::optional<Error> refuse_bound(const Device& device, const System& system, TaskIndex task,
                                  std::string_view why_no_graph, std::string_view why_no_callback);

}  // namespace tactus::runtime
