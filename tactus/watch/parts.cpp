#include "tactus/watch/parts.hpp"

#include "tactus/methods/chain.hpp"

namespace tactus::watch {

std::vector<Part> parts_of(const System& system, const Task& task) {
  const auto chain = chain_of(task, "");
  const auto* const order = std::get_if<std::vector<NodeIndex>>(&chain);
  std::vector<Part> parts;
  if (order == nullptr) return parts;
  for (const NodeIndex index : *order) {
    const Node& node = task.nodes[index];
    const bool on_gpu = system.platform.elements[node.on].kind != ElementKind::kCpu;
    if (parts.empty() || parts.back().on_gpu != on_gpu)
      parts.push_back({on_gpu, {}, Time(), Time()});
    Part& part = parts.back();
    part.nodes.push_back(index);
    if (!node.wcet) part.most.reset();
    if (part.most) *part.most += *node.wcet;
    part.launch += node.launch;
  }
  return parts;
}

std::string name_of(const Part& part, const Task& task) {
  std::string name;
  for (const NodeIndex node : part.nodes) {
    if (!name.empty()) name += " + ";
    name += task.nodes[node].name;
  }
  return name;
}

}  // namespace tactus::watch
