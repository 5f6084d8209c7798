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
  const auto give_back = [](auto& list) {
    if (list.capacity() > 0) list = std::remove_reference_t<decltype(list)>();
  };
  for (TaskVerdict& task : tasks) {
    give_back(task.terms);
    give_back(task.details);
    give_back(task.widths);
  }
  spare_tasks() = std::move(tasks);
}

}  // namespace tactus
