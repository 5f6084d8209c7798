#include "tactus/methods/priorities.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"

namespace tactus {
namespace {

constexpr std::size_t kMostNamed = 3;

/// "camera > lidar > planner", cut where a longer list would not help.
std::string listed(const System& system, const std::vector<TaskIndex>& most_urgent_first) {
  constexpr std::size_t kMost = 12;
  std::string out;
  for (std::size_t k = 0; k < std::min(kMost, most_urgent_first.size()); ++k) {
    if (k > 0) out += " > ";
    out += quote(system.tasks[most_urgent_first[k]].name);
  }
  if (most_urgent_first.size() > kMost) {
    out += fmt::format(" > {} more", most_urgent_first.size() - kMost);
  }
  return out;
}

}  // namespace

Result<Priorities, Refusal> priorities_of(const System& system) {
  Priorities made;
  made.of.resize(system.tasks.size());
  std::vector<TaskIndex> real_time;
  std::vector<TaskIndex> without;
  bool some = false;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.best_effort) continue;
    real_time.push_back(i);
    if (task.priority) {
      some = true;
      made.of[i] = *task.priority;
    } else {
      without.push_back(i);
    }
  }
  if (without.empty()) return made;
  if (some) {
    std::string names;
    for (std::size_t k = 0; k < std::min(kMostNamed, without.size()); ++k) {
      names += fmt::format("{}{}", k == 0 ? "" : ", ", quote(system.tasks[without[k]].name));
    }
    return Refusal{
        fmt::format("{} of {} real-time tasks have no `priority` ({}{}), the others have; give one "
                    "to all of them, or to none",
                    without.size(), real_time.size(), names,
                    without.size() > kMostNamed ? ", ..." : ""),
        system.tasks[without.front()].at};
  }
  std::stable_sort(real_time.begin(), real_time.end(), [&](TaskIndex a, TaskIndex b) {
    const auto &first = system.tasks[a].deadline, &second = system.tasks[b].deadline;
    if (!first || !second) return first.has_value() && !second.has_value();
    return *first < *second;
  });
  for (std::size_t k = 0; k < real_time.size(); ++k) {
    made.of[real_time[k]] = static_cast<std::int64_t>(real_time.size() - k);
  }
  if (real_time.size() > 1) {
    made.note = fmt::format(
        "the file gives no priorities; deadline-monotonic ones are used, and must be at run time: "
        "{}",
        listed(system, real_time));
  }
  return made;
}

}  // namespace tactus
