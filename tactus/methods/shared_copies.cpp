#include "tactus/methods/shared_copies.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"

namespace tactus {
namespace {

/// As `tactus measure` names them.
bool measured_beside_copies(const Node& node) {
  return node.measured && node.measured->enemy &&
         node.measured->enemy->find("copies") != std::string::npos;
}

}  // namespace

void warn_of_shared_copies(const System& system, Verdict& verdict) {
  const auto& elements = system.platform.elements;
  for (ElementIndex e = 0; e < elements.size(); ++e) {
    if (elements[e].sharing != CopySharing::kShared) continue;
    std::size_t tasks = 0, nodes = 0;
    std::string first;
    for (const Task& task : system.tasks) {
      const auto copies = [&](const Node& node) { return node.on == e; };
      if (std::any_of(task.nodes.begin(), task.nodes.end(), copies)) ++tasks;
      for (const Node& node : task.nodes) {
        if (!copies(node) || task.best_effort || measured_beside_copies(node)) continue;
        if (nodes++ == 0) first = quote(task.name + "." + node.name);
      }
    }
    if (tasks < 2 || nodes == 0) continue;
    verdict.warnings.push_back(
        fmt::format("copies on element {} are shared, but `measured` does not say that {}{} was "
                    "measured beside "
                    "`copies` of others: the bounds do not cover them",
                    quote(elements[e].name), first,
                    nodes == 1 ? "" : fmt::format(" (and {} more)", nodes - 1)));
  }
}

}  // namespace tactus
