#include "tactus/generate/cores_and_priorities.hpp"

#include <algorithm>
#include <utility>

namespace tactus {
namespace {

/// The places 0 to count - 1 behind their keys, sorted by `key` of a place; equal ones stay as they
/// are.
template <typename Key>
auto sorted_by(std::size_t count, const Key& key) {
  std::vector<std::pair<decltype(key(0)), std::uint32_t>> entries;
  entries.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) entries.emplace_back(key(i), i);
  std::sort(entries.begin(), entries.end());
  return entries;
}

template <typename Key>
void give_priorities(std::vector<Task>& tasks, const Key& key) {
  auto priority = static_cast<std::int64_t>(tasks.size());
  const auto sorted = sorted_by(tasks.size(), [&](std::uint32_t i) { return key(tasks[i]); });
  for (const auto& [value, i] : sorted) tasks[i].priority = priority--;
}

}  // namespace

void give_rate_monotonic_priorities(std::vector<Task>& tasks) {
  give_priorities(tasks, [](const Task& task) { return task.period->ns(); });
}

void give_deadline_monotonic_priorities(std::vector<Task>& tasks) {
  give_priorities(tasks, [](const Task& task) { return task.deadline->ns(); });
}

namespace {

/// The task of each entry goes to the core with the least load so far.
template <typename Entries>
void put_on_least_loaded(std::vector<Task>& tasks, const std::vector<double>& utilisations,
                         std::int64_t cores, const Entries& entries) {
  std::vector<double> loads(static_cast<std::size_t>(cores));
  for (const auto& [value, i] : entries) {
    const auto least = std::min_element(loads.begin(), loads.end());
    tasks[i].core = least - loads.begin() + 1;
    *least += utilisations[i];
  }
}

}  // namespace

void place_on_cores(std::vector<Task>& tasks, const std::vector<double>& utilisations,
                    std::int64_t cores) {
  const auto sorted = sorted_by(tasks.size(), [&](std::uint32_t i) { return -utilisations[i]; });
  put_on_least_loaded(tasks, utilisations, cores, sorted);
}

void place_on_cores_in_order(std::vector<Task>& tasks, const std::vector<double>& utilisations,
                             std::int64_t cores) {
  const auto as_drawn = sorted_by(tasks.size(), [](std::uint32_t i) { return i; });
  put_on_least_loaded(tasks, utilisations, cores, as_drawn);
}

}  // namespace tactus
