#include "tactus/methods/reuse.hpp"

namespace tactus {
namespace {

std::vector<TaskVerdict>& spare_tasks() {
  thread_local std::vector<TaskVerdict> spare;
  return spare;
}

}  // namespace

std::vector<TaskVerdict> take_spare_tasks() { return std::exchange(spare_tasks(), {}); }

void leave_spare_tasks(std::vector<TaskVerdict>&& tasks) {
  if (tasks.capacity() > kMostTasksToKeepMemoryFor) return;
  if (tasks.capacity() <= spare_tasks().capacity()) return;
  tasks.clear();
  spare_tasks() = std::move(tasks);
}

}  // namespace tactus
