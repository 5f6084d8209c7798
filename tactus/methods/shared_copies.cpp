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

bool copies_on(const Task& task, ElementIndex element) {
  return std::any_of(task.nodes.begin(), task.nodes.end(),
                     [&](const Node& node) { return node.on == element; });
}

std::string CopiesMeasuredAlone::text() const {
  return count == 1 ? quote(first) : fmt::format("{} (and {} more)", quote(first), count - 1);
}

std::vector<CopiesMeasuredAlone> copies_measured_alone(const System& system) {
  std::vector<CopiesMeasuredAlone> all;
  for (ElementIndex e = 0; e < system.platform.elements.size(); ++e) {
    if (system.platform.elements[e].sharing != CopySharing::kShared) continue;
    CopiesMeasuredAlone found{e, {}, 0};
    std::size_t tasks = 0;
    for (const Task& task : system.tasks) {
      if (copies_on(task, e)) ++tasks;
      for (const Node& node : task.nodes) {
        if (node.on != e || task.best_effort || measured_beside_copies(node)) continue;
        if (found.count++ == 0) found.first = task.name + "." + node.name;
      }
    }
    if (tasks >= 2 && found.count > 0) all.push_back(std::move(found));
  }
  return all;
}

void warn_of_shared_copies(const System& system, Verdict& verdict) {
  for (const CopiesMeasuredAlone& found : copies_measured_alone(system)) {
    verdict.warnings.push_back(fmt::format(
        "copies on element {} are shared, but `measured` does not say that {} was measured beside "
        "`copies` of others: the bounds cover them only where copies of others are taken off",
        quote(system.platform.elements[found.element].name), found.text()));
  }
}

}  // namespace tactus
