#include "tactus/generate/placement.hpp"

#include <algorithm>
#include <utility>

namespace tactus {
namespace {

/// The places 0 to count - 1, sorted by `key` of a place; equal ones stay as they are.
template <typename Key>
std::vector<std::uint32_t> sorted_by(std::size_t count, const Key& key) {
  using Entry = std::pair<decltype(key(0)), std::uint32_t>;
  std::vector<Entry> entries;
  entries.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) entries.emplace_back(key(i), i);
  std::sort(entries.begin(), entries.end());
  std::vector<std::uint32_t> order;
  order.reserve(count);
  for (const Entry& entry : entries) order.push_back(entry.second);
  return order;
}

template <typename Key>
void give_priorities(std::vector<Task>& tasks, const Key& key) {
  auto priority = static_cast<std::int64_t>(tasks.size());
  for (std::uint32_t i : sorted_by(tasks.size(), [&](std::uint32_t k) { return key(tasks[k]); })) {
    tasks[i].priority = priority--;
  }
}

}  // namespace

void give_rate_monotonic_priorities(std::vector<Task>& tasks) {
  give_priorities(tasks, [](const Task& task) { return task.period->ns(); });
}

void give_deadline_monotonic_priorities(std::vector<Task>& tasks) {
  give_priorities(tasks, [](const Task& task) { return task.deadline->ns(); });
}

void place_on_cores(std::vector<Task>& tasks, const std::vector<double>& utilisations,
                    std::int64_t cores) {
  std::vector<double> loads(static_cast<std::size_t>(cores));
  for (std::uint32_t i :
       sorted_by(tasks.size(), [&](std::uint32_t k) { return -utilisations[k]; })) {
    const auto least = std::min_element(loads.begin(), loads.end());
    tasks[i].core = least - loads.begin() + 1;
    *least += utilisations[i];
  }
}

}  // namespace tactus
