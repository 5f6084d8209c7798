#include "tactus/arbiter/tasks/pieces.hpp"

#include <fmt/core.h>

#include "tactus/methods/chain.hpp"

namespace tactus::arbiter::tasks {

Result<std::vector<Piece>> pieces_of(const System& system, const Task& task, int fill) {
  const auto chain = chain_of(task, "a task that runs as a process needs a chain");
  if (!chain) return Error{chain.error().reason};
  // Down: the work must not exceed what was promised of it.
  const auto filled = [&](Time bound) {
    return static_cast<std::int64_t>(static_cast<__int128>(bound.ns()) * fill / 100);
  };
  std::vector<Piece> pieces;
  for (const NodeIndex index : std::get<std::vector<NodeIndex>>(chain)) {
    const Node& node = task.nodes[index];
    if (!node.wcet) return Error{fmt::format("task {}: node {} has no wcet", task.name, node.name)};
    const bool on_gpu = system.platform.elements[node.on].kind != ElementKind::kCpu;
    if (pieces.empty() || pieces.back().on_gpu != on_gpu) pieces.push_back({on_gpu});
    Piece& piece = pieces.back();
    (on_gpu ? piece.gpu_ns : piece.cpu_ns) += filled(*node.wcet);
    piece.cpu_ns += filled(node.launch - node.overlap);  // here the GPU begins after all launches
    piece.cpu_bound_ns += (on_gpu ? node.launch : *node.wcet).ns();
  }
  if (pieces.size() > kMaxPieces)
    return Error{fmt::format("task {}: more than {} segments", task.name, kMaxPieces)};
  return pieces;
}

}  // namespace tactus::arbiter::tasks
