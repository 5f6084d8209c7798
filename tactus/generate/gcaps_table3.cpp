#include "tactus/generate/gcaps_table3.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tactus/generate/shares.hpp"

/// Order of draws: for each CPU the number of tasks, its utilisation and the split of it; for each
/// task of it the period, its GPU probability and whether it uses the GPU, then for a GPU user G/C,
/// the number of segments, the split of G, the split of C, and each launch share. Last, the tasks
/// that become best-effort.
namespace tactus::gcaps {
namespace {

constexpr auto kParameters = std::to_array<Parameter>({
    {"cpus", "4", "CPU cores"},
    {"tasks-min", "3", "fewest tasks a CPU"},
    {"tasks-max", "6", "most tasks a CPU"},
    {"util-min", "0.4", "least utilisation of a CPU"},
    {"util-max", "0.6", "largest utilisation of a CPU"},
    {"period-min", "30", "shortest period, ms"},
    {"period-max", "500", "longest period, ms"},
    {"gpu-min", "0.4", "least probability that a task uses the GPU"},
    {"gpu-max", "0.6", "largest probability that a task uses the GPU"},
    {"ratio-min", "0.2", "least G/C of a GPU-using task"},
    {"ratio-max", "2", "largest G/C of a GPU-using task"},
    {"segments-max", "3", "most GPU segments of a task"},
    {"launch-min", "0.1", "least share of a segment that is launch code"},
    {"launch-max", "0.3", "largest share of a segment that is launch code"},
    {"best-effort", "0", "share of the tasks that lose their priority"},
    {"runlist-update", "1", "epsilon, ms"},
    {"context-switch", "0.2", "theta, ms"},
    {"time-slice", "1.024", "L, ms"},
});

struct Range {
  double low, high;
  double draw(Random& random) const { return random.real(low, high); }
};

/// Two parameters NAME-min and NAME-max.
Range range_of(Settings& settings, const std::string& name, double least, double most) {
  const double low = settings.real(name + "-min", least, most);
  return {low, std::max(low, settings.real(name + "-max", least, most))};
}

Time from_ms(double ms) { return Time::from_ns(std::llround(ms * 1e6)); }

struct Draft {
  Task task;
  double utilisation;
};

/// C, G, C, G, ..., C with eta GPU segments, or one CPU segment.
void add_nodes(Task& task, double demand, Settings& settings, Random& random) {
  const auto add = [&](const char* kind, ElementIndex on, double wcet, double launch) {
    Node node;
    node.name = fmt::format("{}{}", kind, task.nodes.size() + 1);
    node.on = on;
    node.wcet = from_ms(wcet);
    node.launch = from_ms(launch);
    task.nodes.push_back(std::move(node));
  };
  if (!random.chance(range_of(settings, "gpu", 0, 1).draw(random))) {
    add("c", 0, demand, 0);
  } else {
    const double ratio = range_of(settings, "ratio", 0, 1e6).draw(random);
    const double cpu = demand / (1 + ratio);
    const auto eta =
        static_cast<std::size_t>(random.integer(1, settings.integer("segments-max", 1, 100)));
    const std::vector<double> gpu_parts = split_uniformly(demand - cpu, eta, random);
    const std::vector<double> cpu_parts = split_uniformly(cpu, eta + 1, random);
    for (std::size_t k = 0; k < eta; ++k) {
      add("c", 0, cpu_parts[k], 0);
      const double launch = gpu_parts[k] * range_of(settings, "launch", 0, 1).draw(random);
      add("g", 1, gpu_parts[k] - launch, launch);
    }
    add("c", 0, cpu_parts[eta], 0);
  }
  task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
}

std::vector<Draft> draw_tasks(std::int64_t cpus, Settings& settings, Random& random) {
  constexpr double kLeastShare = 0.01;
  const std::int64_t fewest = settings.integer("tasks-min", 1, 1000);
  const std::int64_t most = std::max(fewest, settings.integer("tasks-max", 1, 1000));
  const std::int64_t shortest = settings.integer("period-min", 1, 1'000'000);
  const std::int64_t longest = std::max(shortest, settings.integer("period-max", 1, 1'000'000));
  const Range utilisation = range_of(settings, "util", 0, 1);
  std::vector<Draft> drafts;
  for (std::int64_t cpu = 0; cpu < cpus; ++cpu) {
    const auto count = static_cast<std::size_t>(random.integer(fewest, most));
    for (double share : split_uniformly(utilisation.draw(random), count, random)) {
      Draft draft{{}, std::max(share, kLeastShare)};
      draft.task.name = fmt::format("t{}", drafts.size() + 1);
      const std::int64_t period = random.integer(shortest, longest);
      draft.task.period = draft.task.deadline = Time::from_ms(period);
      add_nodes(draft.task, draft.utilisation * static_cast<double>(period), settings, random);
      drafts.push_back(std::move(draft));
    }
  }
  return drafts;
}

/// Rate-monotonic priorities, ties by order of generation.
void assign_priorities(std::vector<Draft>& drafts) {
  std::vector<Draft*> order;
  for (Draft& draft : drafts) order.push_back(&draft);
  std::stable_sort(order.begin(), order.end(), [](const Draft* a, const Draft* b) {
    return *a->task.period < *b->task.period;
  });
  auto priority = static_cast<std::int64_t>(order.size());
  for (Draft* draft : order) draft->task.priority = priority--;
}

/// Worst-fit decreasing: the largest task first, always on the least loaded core.
void assign_cores(std::vector<Draft>& drafts, std::int64_t cpus) {
  std::vector<Draft*> order;
  for (Draft& draft : drafts) order.push_back(&draft);
  std::stable_sort(order.begin(), order.end(),
                   [](const Draft* a, const Draft* b) { return a->utilisation > b->utilisation; });
  std::vector<double> loads(static_cast<std::size_t>(cpus));
  for (Draft* draft : order) {
    const auto least = std::min_element(loads.begin(), loads.end());
    draft->task.core = least - loads.begin() + 1;
    *least += draft->utilisation;
  }
}

void make_some_best_effort(std::vector<Draft>& drafts, double share, Random& random) {
  std::vector<std::size_t> left(drafts.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  const auto count = static_cast<std::size_t>(share * static_cast<double>(drafts.size()));
  for (std::size_t k = 0; k < count; ++k) {
    const auto pick = random.integer(0, static_cast<std::int64_t>(left.size()) - 1);
    Task& task = drafts[left[static_cast<std::size_t>(pick)]].task;
    task.best_effort = true;
    task.priority.reset();
    left.erase(left.begin() + pick);
  }
}

System make(Settings& settings, Random& random) {
  const std::int64_t cpus = settings.integer("cpus", 1, 1024);
  System system;
  Element cpu, gpu;
  cpu.name = "cpu";
  cpu.kind = ElementKind::kCpu;
  cpu.units = cpus;
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.runlist_update = from_ms(settings.real("runlist-update", 0, 1e6));
  gpu.context_switch = from_ms(settings.real("context-switch", 0, 1e6));
  gpu.time_slice = from_ms(settings.real("time-slice", 1e-6, 1e6));
  system.platform.elements = {std::move(cpu), std::move(gpu)};

  std::vector<Draft> drafts = draw_tasks(cpus, settings, random);
  assign_priorities(drafts);
  assign_cores(drafts, cpus);
  make_some_best_effort(drafts, settings.real("best-effort", 0, 1), random);
  for (Draft& draft : drafts) system.tasks.push_back(std::move(draft.task));
  return system;
}

}  // namespace

const Recipe kTable3 = {
    .name = "gcaps-table3",
    .doc = "task sets of the GCAPS evaluation (Table 3), rate monotonic, worst-fit decreasing",
    .parameters = kParameters,
    .make = make,
};

}  // namespace tactus::gcaps
