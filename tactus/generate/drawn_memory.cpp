#include "tactus/generate/drawn_memory.hpp"

#include <array>
#include <utility>

namespace tactus {
namespace {

constexpr std::size_t kMostTasks = 256, kMostNodes = 32;  // of a task

struct Spare {
  std::vector<Task> tasks;
  std::vector<std::vector<Node>> nodes;
  std::array<std::vector<Graph>, kMostNodes + 1> chains;  ///< by size
};

Spare& spare() {
  thread_local Spare all;
  return all;
}

}  // namespace

std::vector<Task> take_task_memory() { return std::exchange(spare().tasks, {}); }

std::vector<Node> take_node_memory() {
  auto& all = spare().nodes;
  if (all.empty()) return {};
  std::vector<Node> taken = std::move(all.back());
  all.pop_back();
  return taken;
}

Graph take_chain(NodeIndex size) {
  if (size > kMostNodes || spare().chains[size].empty()) return Graph::chain(size);
  auto& all = spare().chains[size];
  Graph taken = std::move(all.back());
  all.pop_back();
  return taken;
}

void leave_memory(System&& system) {
  std::vector<Task> tasks = std::move(system.tasks);
  if (tasks.capacity() > kMostTasks) return;
  auto& [kept_tasks, kept_nodes, chains] = spare();
  for (Task& task : tasks) {
    const NodeIndex size = task.graph.size();
    if (task.graph.is_listed_chain() && size <= kMostNodes && chains[size].size() < kMostTasks) {
      chains[size].push_back(std::move(task.graph));
    }
    if (task.nodes.capacity() > kMostNodes || kept_nodes.size() >= kMostTasks) continue;
    task.nodes.clear();
    kept_nodes.push_back(std::move(task.nodes));
  }
  tasks.clear();
  if (tasks.capacity() > kept_tasks.capacity()) kept_tasks = std::move(tasks);
}

}  // namespace tactus
