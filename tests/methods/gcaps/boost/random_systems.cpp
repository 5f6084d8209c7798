#include <algorithm>
#include <numeric>

#include "tests/methods/gcaps/boost/support.hpp"
#include "tests/methods/gcaps/random_systems.hpp"

namespace tactus::gcaps::boost::tests {
namespace {

void draw_costs(Element& gpu, Random& random) {
  const auto cost = [&] { return Time::from_ns(random.integer(0, 12) * 125'000); };
  if (random.chance(0.5)) gpu.preempt_cost = cost();
  if (random.chance(0.5)) gpu.resume_cost = cost();
  if (random.chance(0.5)) gpu.start_cost = cost();
  if (!gpu.runlist_update && !(gpu.preempt_cost && gpu.resume_cost)) gpu.runlist_update = cost();
}

void invert(System& system, Random& random) {
  std::vector<std::int64_t> levels(system.tasks.size());
  std::iota(levels.begin(), levels.end(), 1);
  for (std::size_t k = levels.size(); k > 1; --k) {
    std::swap(
        levels[k - 1],
        levels[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(k) - 1))]);
  }
  for (std::size_t i = 0; i < system.tasks.size(); ++i) {
    if (!system.tasks[i].best_effort) system.tasks[i].gpu_priority = levels[i];
  }
}

void draw_thresholds(System& system, Random& random) {
  std::int64_t highest = 0;
  for (const Task& task : system.tasks) {
    if (!task.best_effort) highest = std::max(highest, task.gpu_priority.value_or(*task.priority));
  }
  for (Task& task : system.tasks) {
    if (task.best_effort) continue;
    const std::int64_t own = task.gpu_priority.value_or(*task.priority);
    for (Node& node : task.nodes) {
      if (system.platform.elements[node.on].kind == ElementKind::kCpu) continue;
      if (random.chance(0.5)) node.gpu_threshold = random.integer(own, highest);
    }
  }
}

}  // namespace

System random_system(Random& random, Given given) {
  System system = gcaps::tests::random_system(random);
  std::int64_t cores = 1;
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kCpu) cores = element.units;
  }
  for (Element& element : system.platform.elements) {
    if (element.kind != ElementKind::kGpu) continue;
    draw_costs(element, random);
    if (given.arbiter_core) element.arbiter_core = random.integer(1, cores);
  }
  if (given.inverted) invert(system, random);
  if (given.thresholds) draw_thresholds(system, random);
  return system;
}

System random_system(Random& random) {
  Given given;
  given.thresholds = random.chance(0.3);
  given.inverted = random.chance(0.4);
  given.arbiter_core = random.chance(0.25);
  return random_system(random, given);
}

}  // namespace tactus::gcaps::boost::tests
