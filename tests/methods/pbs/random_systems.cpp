#include "random_systems.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

namespace tactus::pbs::testing {
namespace {

template <typename T, std::size_t N>
T pick(Random& random, const T (&from)[N]) {
  return from[random.integer(0, static_cast<std::int64_t>(N) - 1)];
}

enum class Model { kTable, kSlowdown, kFactor, kNone };

TaskText random_task(Random& random, int index, double load, const std::string& node) {
  constexpr std::int64_t kPeriods[] = {4, 6, 8, 12, 12, 24};
  TaskText task;
  task.name = std::string(1, static_cast<char>('a' + index));
  task.period = pick(random, kPeriods);
  task.deadline = random.chance(0.5) ? task.period : random.integer(2, task.period);
  task.offset = random.chance(0.3) ? random.integer(0, task.period - task.deadline) : 0;
  const auto most = static_cast<std::int64_t>(load * static_cast<double>(task.period));
  task.wcet = random.integer(1, std::clamp<std::int64_t>(most, 1, task.deadline));
  task.more = node;
  return task;
}

/// Entries for some of the sets, some of them for one order only.
std::string random_batches(Random& random, const std::vector<TaskText>& tasks, double density) {
  std::string batches;
  const auto add = [&](const std::vector<std::size_t>& order, bool ordered) {
    std::string names;
    std::int64_t longest = 0, sum = 0;
    for (const std::size_t i : order) {
      names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", tasks[i].name);
      longest = std::max(longest, tasks[i].wcet);
      sum += tasks[i].wcet;
    }
    const std::string value = random.chance(0.15)
                                  ? "\"forbid\": true"
                                  : fmt::format("\"completion\": {}", random.integer(longest, sum));
    batches += fmt::format("{}{{\"tasks\": [{}], {}{}}}", batches.empty() ? "" : ", ", names, value,
                           ordered ? ", \"ordered\": true" : "");
  };
  for (std::size_t mask = 1; mask < std::size_t{1} << tasks.size(); ++mask) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if ((mask >> i & 1) != 0) order.push_back(i);
    }
    if (order.size() < 2 || !random.chance(density)) continue;
    if (random.chance(0.8)) add(order, false);
    std::set<std::vector<std::size_t>> listed;
    while (random.chance(0.25)) {
      for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(
            order[i - 1],
            order[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
      }
      if (listed.insert(order).second) add(order, true);
    }
  }
  return batches;
}

}  // namespace

SystemText random_system(Random& random) {
  SystemText text;
  constexpr Model kModels[] = {Model::kTable,    Model::kTable,  Model::kSlowdown,
                               Model::kSlowdown, Model::kFactor, Model::kNone};
  constexpr const char* kFactors[] = {"1", "1.1", "1.25", "1.5", "1.9", "2.5"};
  const Model model = pick(random, kModels);
  const int n = static_cast<int>(random.integer(2, random.chance(0.2) ? 5 : 4));
  const bool blocks = random.chance(0.4), same_shape = random.chance(0.4);
  const double load = model == Model::kNone ? 0.5 : random.real(0.3, 0.9);
  if (blocks) {
    text.gpu = fmt::format("\"units\": {}, \"sm\": {{\"threads\": 256, \"blocks\": 6{}}}",
                           random.integer(1, 3), random.chance(0.3) ? ", \"registers\": 8192" : "");
  }
  for (int i = 0; i < n; ++i) {
    if (i > 0 && random.chance(0.2)) {
      TaskText twin = text.tasks.back();
      twin.name = std::string(1, static_cast<char>('a' + i));
      text.tasks.push_back(twin);
      continue;
    }
    std::string node;
    if (blocks) {
      constexpr int kShapes[] = {32, 64, 96, 128, 192};
      node += fmt::format(", \"blocks\": {}, \"threads\": {}", random.integer(1, 6),
                          same_shape ? 64 : pick(random, kShapes));
      if (!same_shape && random.chance(0.3)) node += ", \"registers\": 32";
    }
    if (model == Model::kSlowdown || (model == Model::kFactor && random.chance(0.3))) {
      node += fmt::format(", \"slowdown\": {}", pick(random, kFactors));
    }
    text.tasks.push_back(random_task(random, i, load, node));
  }
  if (model == Model::kTable) {
    text.batches = random_batches(random, text.tasks, random.real(0.3, 1.0));
    text.more = ", \"interference\": {\"model\": \"table\"}";
  } else if (model != Model::kNone) {
    text.more = fmt::format(
        ", \"interference\": {{\"model\": \"slowdown\"{}}}",
        model == Model::kFactor ? fmt::format(", \"factor\": {}", pick(random, kFactors)) : "");
    if (random.chance(0.3)) text.batches = random_batches(random, text.tasks, 0.3);
  }
  return text;
}

}  // namespace tactus::pbs::testing
