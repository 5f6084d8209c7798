#include "tactus/runtime/api.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"

namespace tactus::runtime {
namespace {

constexpr unsigned kMostThreads = 1024;

/// In the order of `ElementKind`.
constexpr std::string_view kNodes[] = {"a cpu node", "a copy node", "a gpu node"};

/// Whether the node exists and is on an element of that kind, if only one will do.
std::string misplaced(const System& system, const std::pair<std::string, std::string>& name,
                      std::optional<ElementKind> kind) {
  std::vector<std::string_view> tasks, nodes;
  for (const Task& task : system.tasks) {
    tasks.push_back(task.name);
    if (task.name != name.first) continue;
    for (const Node& node : task.nodes) {
      nodes.push_back(node.name);
      if (node.name != name.second) continue;
      const ElementKind there = system.platform.elements[node.on].kind;
      if (!kind || there == *kind) return {};
      return fmt::format("is {}, not {}", kNodes[static_cast<std::size_t>(there)],
                         kNodes[static_cast<std::size_t>(*kind)]);
    }
    return "is not a node of the task" + suggestion(name.second, nodes);
  }
  return fmt::format("is of no task of the system{}", suggestion(name.first, tasks));
}

std::string fault_of(const UserKernel& kernel) {
  if (kernel.function == nullptr) return "has no kernel";
  if (kernel.blocks < 1 || kernel.blocks > UINT32_MAX) {
    return fmt::format("cannot have {} blocks", kernel.blocks);
  }
  if (kernel.threads < 1 || kernel.threads > kMostThreads) {
    return fmt::format("cannot have {} threads per block (1 to {})", kernel.threads, kMostThreads);
  }
  return {};
}
std::string fault_of(const UserCopy& copy) {
  return copy.to == nullptr || copy.from == nullptr ? "copies from or to nowhere" : "";
}
std::string fault_of(const std::function<void()>& function) {
  return function ? "" : "has no function";
}
std::string fault_of(const UserGraph& graph) {
  return graph.graph == nullptr && !graph.enqueue ? "has neither a graph nor a function" : "";
}
std::string fault_of(const NodeCallbacks& callbacks) {
  return !callbacks.before && !callbacks.after ? "has no callback" : "";
}

}  // namespace

std::optional<Error> Workload::misfit(const System& system) const {
  const auto first_of = [&](const auto& table,
                            std::optional<ElementKind> kind) -> std::optional<Error> {
    for (const auto& [name, bound] : table) {
      std::string why = misplaced(system, name, kind);
      if (why.empty()) why = fault_of(bound);
      if (why.empty()) continue;
      return Error{fmt::format("the work bound to {} of task {} does not fit: it {}",
                               quote(name.second), quote(name.first), why)};
    }
    return std::nullopt;
  };
  if (auto problem = first_of(kernels_, ElementKind::kGpu)) return problem;
  if (auto problem = first_of(copies_, ElementKind::kCopy)) return problem;
  if (auto problem = first_of(functions_, ElementKind::kCpu)) return problem;
  if (auto problem = first_of(graphs_, ElementKind::kGpu)) return problem;
  for (const auto& [name, graph] : graphs_) {
    if (!kernels_.contains(name)) continue;
    return Error{fmt::format("{} of task {} is bound to a kernel and to a graph; it can run one",
                             quote(name.second), quote(name.first))};
  }
  return first_of(callbacks_, std::nullopt);
}

}  // namespace tactus::runtime
