#include "tests/methods/gcaps/pipelines.hpp"

#include <algorithm>

#include "tactus/model/paths.hpp"

namespace tactus::gcaps::tests {

System with_pipelines(System system, Random& random, const Pipelines& what) {
  std::vector<TaskIndex> real_time;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    Task& task = system.tasks[i];
    if (task.best_effort) continue;
    if (task.period) {
      real_time.push_back(i);
    } else if (random.chance(what.jitters)) {
      const Time most = task.deadline.value_or(Time::from_ms(10));
      task.jitter = Time::from_ns(most.ns() / 100 * random.integer(0, 30));
    }
  }
  const auto part_of = [&](Time time, std::int64_t most_percent) {
    return Time::from_ns(time.ns() / 100 * random.integer(0, most_percent));
  };
  std::vector<TaskIndex> seen;  // each may be started by one before it here
  for (std::size_t k = real_time.size(); k > 1; --k) {
    std::swap(real_time[k - 1],
              real_time[static_cast<std::size_t>(random.integer(0, static_cast<int>(k) - 1))]);
  }
  for (const TaskIndex i : real_time) {
    Task& task = system.tasks[i];
    for (Node& node : task.nodes) {
      if (node.wcet && random.chance(0.5)) node.bcet = part_of(*node.wcet, 100);
    }
    if (random.chance(what.deadlines)) {
      task.deadline = Time::from_ns(
          std::max<std::int64_t>(1, task.deadline->ns() / 100 * random.integer(60, 100)));
    }
    if (!seen.empty() && random.chance(what.afters)) {
      task.after = seen[static_cast<std::size_t>(
          random.integer(0, static_cast<std::int64_t>(seen.size()) - 1))];
      task.offset = Time();
    }
    if (random.chance(what.jitters))
      task.jitter = part_of(*task.period, task.after ? 10 : what.longest);
    seen.push_back(i);
  }
  follow_periods(system);
  for (Task& task : system.tasks) {
    if (task.after && *task.deadline > *task.period) task.deadline = task.period;
  }
  for (int c = 0; c < 3 && !seen.empty(); ++c) {
    if (!random.chance(what.chains)) continue;
    Chain chain;
    chain.name = "chain " + std::to_string(c);
    for (const TaskIndex i : seen) {
      if (random.chance(0.6)) chain.tasks.push_back(i);
    }
    if (chain.tasks.empty()) chain.tasks.push_back(seen.front());
    if (random.chance(0.5)) chain.phases = Chain::Phases::kFixed;
    if (random.chance(0.3)) std::reverse(chain.tasks.begin(), chain.tasks.end());
    system.chains.push_back(chain);
  }
  return system;
}

}  // namespace tactus::gcaps::tests
