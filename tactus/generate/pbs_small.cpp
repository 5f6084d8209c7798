#include "tactus/generate/pbs_small.hpp"

#include <fmt/core.h>

#include <algorithm>

/// Order of draws: the model, whether there is block data, the number of tasks; then task by task;
/// then (table) set by set in ascending order of the sets as binary numbers; last, task by task, in
/// which form the file gives the time of its kernel.
namespace tactus::pbs {
namespace {

constexpr std::int64_t kPeriods[] = {4, 6, 8, 12, 12, 24};
constexpr std::int64_t kSmallThreadsAnSm = 256;

Task draw_task(std::int64_t index, bool slowdown, bool blocks, Random& random) {
  const std::int64_t period = kPeriods[random.integer(0, std::ssize(kPeriods) - 1)];
  const std::int64_t deadline = random.chance(0.5) ? period : random.integer(2, period);
  const std::int64_t offset = random.chance(0.3) ? random.integer(0, period - deadline) : 0;
  Task task;
  task.name = fmt::format("t{}", index + 1);
  task.period = Time::from_ms(period);
  task.deadline = Time::from_ms(deadline);
  task.offset = Time::from_ms(offset);
  Node node;
  node.name = "k";
  node.wcet = Time::from_ms(random.integer(1, std::clamp<std::int64_t>(period / 3, 1, deadline)));
  if (slowdown) node.slowdown = Factor{random.integer(10, 18) * 100'000'000};
  if (blocks) {
    node.blocks = random.integer(1, 4);
    node.threads = 64 * random.integer(1, 3);
  }
  task.nodes.push_back(std::move(node));
  task.graph = Graph::chain(1);
  return task;
}

/// Completions between that of the longest kernel alone and that of all one after the other.
void add_table(System& system, Random& random) {
  for (std::size_t mask = 1; mask < std::size_t{1} << system.tasks.size(); ++mask) {
    Batch batch;
    Time longest, sum;
    for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
      if ((mask >> i & 1) == 0) continue;
      batch.tasks.push_back(i);
      longest = std::max(longest, *system.tasks[i].nodes[0].wcet);
      sum += *system.tasks[i].nodes[0].wcet;
    }
    if (batch.tasks.size() < 2 || random.chance(0.4)) continue;
    batch.completion =
        random.integer(longest.ns() / Time::from_ms(1).ns(), sum.ns() / Time::from_ms(1).ns()) *
        Time::from_ms(1);
    batch.ordered = random.chance(0.2);
    if (batch.ordered) std::reverse(batch.tasks.begin(), batch.tasks.end());
    system.batches.push_back(std::move(batch));
  }
}

/// The same time with the whole GPU in another form: two kernels in a row, a load, a measured curve
/// with or without all units.
void describe_otherwise(Task& task, std::int64_t sms, Random& random) {
  Node& node = task.nodes.front();
  const Time whole = *node.wcet;
  switch (random.integer(0, 9)) {
    case 0: {
      if (whole < Time::from_ms(2)) return;
      Node rest = node;
      rest.name.push_back('2');
      node.wcet = Time::from_ms(1);
      rest.wcet = whole - Time::from_ms(1);
      task.nodes.push_back(std::move(rest));
      task.graph = Graph::chain(2);
      return;
    }
    case 1:
      node.wcet.reset();
      node.load = sms * whole;
      return;
    case 2:
      node.wcet.reset();
      node.times = {{1, 2 * whole, whole, {}}, {sms, whole, Time(), {}}};
      return;
    case 3:
      node.wcet.reset();
      node.times = {{1, whole, Time::from_ms(1), {}}};
      return;
    default:
      return;
  }
}

System make(tactus::Settings&, Random& random) {
  System system;
  system.time_unit = TimeUnit::kUnit;
  const bool table = random.chance(0.6), blocks = random.chance(0.3);
  Element gpu;
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.units = 2;  // fewer than tasks: kernels share SMs
  if (blocks) gpu.sm = SmLimits{kSmallThreadsAnSm, std::nullopt, std::nullopt, std::nullopt};
  system.platform.elements.push_back(std::move(gpu));
  const std::int64_t count = random.integer(2, 5);
  for (std::int64_t i = 0; i < count; ++i) {
    system.tasks.push_back(draw_task(i, !table, blocks, random));
  }
  system.interference.emplace();
  system.interference->model = table ? InterferenceModel::kTable : InterferenceModel::kSlowdown;
  if (table) add_table(system, random);
  for (Task& task : system.tasks) {
    if (!blocks) describe_otherwise(task, system.platform.elements[0].units, random);
  }
  return system;
}

}  // namespace

const Recipe kSmall = {
    "pbs-small",
    "small systems that are hardly schedulable, to search for violations of the PBS family",
    {},
    make};

}  // namespace tactus::pbs
