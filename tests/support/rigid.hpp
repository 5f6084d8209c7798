#pragma once

#include <vector>

#include "tactus/methods/gang/widths.hpp"
#include "tactus/model/system.hpp"

namespace tactus::support {

/// The file with nothing left to choose or derive: measured kernels are rigid gangs of the widths
/// given (by task), launches are nodes of their own on the only cpu element, listed before their
/// kernels. Written apart from the views of the methods, which must come to the same.
inline System rigid(const System& system, const gang::Widths& widths) {
  System made = system;
  ElementIndex cpu = 0;
  for (ElementIndex p = 0; p < system.platform.elements.size(); ++p) {
    if (system.platform.elements[p].kind == ElementKind::kCpu) cpu = p;
  }
  for (std::size_t t = 0; t < system.tasks.size(); ++t) {
    const Task& source = system.tasks[t];
    Task& task = made.tasks[t];
    task.nodes.clear();
    std::vector<NodeIndex> first, last;
    std::vector<Edge> edges;
    for (NodeIndex v = 0; v < source.nodes.size(); ++v) {
      Node node = source.nodes[v];
      first.push_back(static_cast<NodeIndex>(task.nodes.size()));
      if (node.launch > Time()) {
        Node launch;
        launch.name = node.name + "-launch";
        launch.on = cpu;
        launch.wcet = node.launch;
        node.launch = Time();
        edges.emplace_back(first[v], first[v] + 1);
        task.nodes.push_back(launch);
      }
      for (const NodeUnits& width : widths[t]) {
        if (width.node != v) continue;
        for (const TimesEntry& entry : source.nodes[v].times) {
          if (entry.units != width.units) continue;
          node.parallelism = entry.units;
          node.wcet = entry.wcet;
          node.bcet = entry.bcet;
          node.times.clear();
        }
      }
      last.push_back(static_cast<NodeIndex>(task.nodes.size()));
      task.nodes.push_back(node);
    }
    for (const auto& [from, to] : source.graph.edges()) edges.emplace_back(last[from], first[to]);
    task.graph = Graph(static_cast<NodeIndex>(task.nodes.size()), edges);
  }
  return made;
}

/// With the widths that a verdict rests on.
inline System rigid(const System& system, const Verdict& verdict) {
  return rigid(system, gang::noted_widths(verdict, system));
}

/// Every way to give the measured kernels of a task one of their widths of at most `units` (by
/// element).
inline std::vector<std::vector<NodeUnits>> all_widths(const Task& task,
                                                      const std::vector<std::int64_t>& units) {
  std::vector<std::vector<NodeUnits>> all = {{}};
  for (NodeIndex v = 0; v < task.nodes.size(); ++v) {
    if (task.nodes[v].times.empty()) continue;
    std::vector<std::vector<NodeUnits>> next;
    for (const auto& widths : all) {
      for (const TimesEntry& entry : task.nodes[v].times) {
        if (entry.units > units[task.nodes[v].on]) continue;
        next.push_back(widths);
        next.back().push_back({v, entry.units});
      }
    }
    all = std::move(next);
  }
  return all;
}

}  // namespace tactus::support
