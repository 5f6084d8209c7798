#include "tactus/runtime/executors/replays.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"

namespace tactus::runtime {
namespace {

std::string name_of(const System& system, TaskIndex task, NodeIndex node) {
  return fmt::format("{} of task {}", quote(system.tasks[task].nodes[node].name),
                     quote(system.tasks[task].name));
}

}  // namespace

std::optional<Error> prepare_replay(Device& device, const System& system, const Replay& replay,
                                    trace::Observed& observed) {
  const auto how = device.prepare(replay);
  const std::string name = name_of(system, replay.task, replay.node);
  if (!how) return Error{fmt::format("the graph of {}: {}", name, how.error().message)};
  observed.notes.push_back(fmt::format("the graph of {}: {}", name, *how));
  return std::nullopt;
}

Error refuse_graph(const System& system, TaskIndex task, NodeIndex node, std::string_view why) {
  return Error{fmt::format("{} runs a graph, {}", name_of(system, task, node), why)};
}

std::optional<Error> refuse_bound(const Device& device, const System& system, TaskIndex task,
                                  std::string_view why_no_graph, std::string_view why_no_callback) {
  for (NodeIndex node = 0; node < system.tasks[task].nodes.size(); ++node) {
    if (device.runs_graph(task, node)) return refuse_graph(system, task, node, why_no_graph);
    for (const Phase phase : {Phase::kBefore, Phase::kAfter}) {
      if (!device.has_callback(task, node, phase)) continue;
      return Error{fmt::format("{} has a callback {} it, {}", name_of(system, task, node),
                               phase == Phase::kBefore ? "before" : "after", why_no_callback)};
    }
  }
  return std::nullopt;
}

}  // namespace tactus::runtime
