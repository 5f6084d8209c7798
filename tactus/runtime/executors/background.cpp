#include "tactus/runtime/executors/background.hpp"

namespace tactus::runtime {

Background::Background(const System& system, Device& device, const BestEffort& best_effort)
    : device_(device), best_effort_(best_effort) {
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    if (best_effort.runs(task)) orders_[task].nodes = topological_order(system.tasks[task].graph);
  }
}

std::optional<Error> Background::start() {
  for (const auto& [task, order] : orders_) {
    if (auto problem = begin(task)) return problem;
  }
  return std::nullopt;
}

Result<bool> Background::took(const Completion& completion) {
  if (completion.op < kFirst) return false;
  if (completion.failed) return Error{completion.problem};
  if (auto problem = begin(static_cast<TaskIndex>(completion.op - kFirst))) return *problem;
  return true;
}

std::optional<Error> Background::begin(TaskIndex task) {
  Order& order = orders_[task];
  const NodeIndex node = order.nodes[order.next];
  order.next = (order.next + 1) % order.nodes.size();
  const OpId op = kFirst + task;
  return std::visit(
      [&](const auto& work) -> std::optional<Error> {
        using Work = std::decay_t<decltype(work)>;
        if constexpr (std::is_same_v<Work, CpuWork>) {
          return device_.run(work, op);
        } else if constexpr (std::is_same_v<Work, Copy>) {
          return device_.copy(work, op);
        } else {
          return device_.launch(work, op);
        }
      },
      best_effort_.operation({task, node}));
}

}  // namespace tactus::runtime
