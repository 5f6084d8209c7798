#include "tactus/generate/gcaps_small.hpp"

#include <fmt/core.h>

#include <algorithm>

/// Order of draws: cores, the three overheads, the number of tasks; then task by task in decreasing
/// priority; last the GPU priorities.
namespace tactus::gcaps {
namespace {

constexpr ElementIndex kCpu = 0, kGpu = 1;

class Draw {
 public:
  Draw(Random& random, Time unit) : random_(random), unit_(unit) {}

  Time time(std::int64_t least, std::int64_t most) { return random_.integer(least, most) * unit_; }

  System system() {
    System system;
    const std::int64_t cores = random_.integer(1, 3);
    Element cpu, gpu;
    cpu.name = "cpu";
    cpu.units = cores;
    gpu.name = "gpu";
    gpu.kind = ElementKind::kGpu;
    gpu.time_slice = time(1, 3);
    gpu.context_switch = time(0, 2);
    gpu.runlist_update = time(0, 2);
    system.platform.elements = {std::move(cpu), std::move(gpu)};
    const std::int64_t count = random_.integer(2, 6);
    for (std::int64_t i = 0; i < count; ++i) {
      Task next = task(cores, i);
      if (!next.best_effort) next.priority = count - i;
      system.tasks.push_back(std::move(next));
    }
    if (random_.chance(0.25)) assign_gpu_priorities(system);
    return system;
  }

 private:
  Task task(std::int64_t cores, std::int64_t index) {
    Task task;
    task.name = fmt::format("t{}", index + 1);
    task.core = random_.integer(1, cores);
    task.best_effort = index > 1 && random_.chance(0.2);
    if (!task.best_effort || random_.chance(0.5)) {
      task.period = task.deadline = time(20, 90);
      if (random_.chance(0.3)) {
        task.deadline = Time::from_ns(task.period->ns() / 2 + time(0, 9).ns());
      }
    }
    const std::int64_t segments = random_.chance(0.75) ? random_.integer(1, 2) : 0;
    for (std::int64_t j = 0; j < segments; ++j) {
      if (j > 0 || random_.chance(0.9)) add(task, kCpu, time(0, 3), Time());
      add(task, kGpu, time(0, 4), time(0, 3));
    }
    if (segments == 0 || random_.chance(0.5))
      add(task, kCpu, time(1, segments == 0 ? 8 : 3), Time());
    // A job without any work would have a bound of zero, even if something delays its start.
    task.nodes.back().wcet = std::max(*task.nodes.back().wcet, unit_);
    task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
    return task;
  }

  void add(Task& task, ElementIndex on, Time wcet, Time launch) {
    Node node;
    node.name = fmt::format("n{}", task.nodes.size() + 1);
    node.on = on;
    node.wcet = wcet;
    node.launch = launch;
    task.nodes.push_back(std::move(node));
  }

  /// A random merge of the cores' tasks that keeps the CPU order on each core.
  void assign_gpu_priorities(System& system) {
    std::vector<Task*> left;  // in decreasing CPU priority
    for (Task& task : system.tasks) {
      if (!task.best_effort) left.push_back(&task);
    }
    while (!left.empty()) {
      const auto pick =
          static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(left.size()) - 1));
      const auto first = std::find_if(left.begin(), left.end(), [&](const Task* task) {
        return task->core == left[pick]->core;
      });
      (*first)->gpu_priority = static_cast<std::int64_t>(left.size());
      left.erase(first);
    }
  }

  Random& random_;
  Time unit_;
};

System make(Settings&, Random& random) { return small_system(random, Time::from_ms(1)); }

}  // namespace

System small_system(Random& random, Time unit) { return Draw(random, unit).system(); }

const Recipe kSmall = {
    .name = "gcaps-small",
    .doc = "small systems near the edge, for hunting violations of the GCAPS family",
    .parameters = {},
    .make = make,
};

}  // namespace tactus::gcaps
