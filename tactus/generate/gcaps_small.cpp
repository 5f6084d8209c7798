#include "tactus/generate/gcaps_small.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

/// Order of draws: cores, the three overheads, the number of tasks; then task by task in decreasing
/// priority; then the GPU priorities. The recipe adds to some of these systems a delay, pieces of no
/// length, other words for the same, or copies.
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
      if (task.best_effort) task.deadline = task.period;  // drawn all the same: as ever
    }
    const std::int64_t segments = random_.chance(0.75) ? random_.integer(1, 2) : 0;
    for (std::int64_t j = 0; j < segments; ++j) {
      if (j > 0 || random_.chance(0.9)) add(task, kCpu, time(0, 3), Time());
      const Time launch = time(0, 3);  // no argument: compilers draw those in different orders
      add(task, kGpu, time(0, 4), launch);
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

constexpr Time kMs = Time::from_ms(1);

/// Most pieces take no time, and neither do most updates; periods are few and short, so that much
/// falls on one instant: what a window forgets at its ends shows here.
void thin_out(System& system, Random& random) {
  Element& gpu = system.platform.elements[kGpu];
  if (random.chance(0.8)) gpu.runlist_update = Time();
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      if (random.chance(0.6)) node.wcet = Time();
      if (random.chance(0.6)) node.launch = Time();
    }
    if (task.period) task.period = task.deadline = 5 * random.integer(1, 8) * kMs;
    const bool works = std::any_of(task.nodes.begin(), task.nodes.end(), [](const Node& node) {
      return *node.wcet + node.launch > Time();
    });
    if (!works) task.nodes.front().wcet = kMs;
  }
}

/// The time of a kernel with the whole GPU in other words.
void say_otherwise(Node& node, std::int64_t units, Random& random) {
  const Time whole = *node.wcet;
  switch (random.integer(0, 5)) {
    case 0:
      node.wcet.reset();
      node.overhead = std::min(whole, random.integer(0, 2) * kMs);
      node.load = units * (whole - node.overhead) + node.overhead;
      return;
    case 1:
      node.wcet.reset();
      // One unit fewer may be faster, but the whole GPU is what counts.
      node.times = {{1, 2 * whole, whole, {}},
                    {units - 1, whole - std::min(whole, kMs), Time(), {}},
                    {units, whole, Time(), {}}};
      return;
    case 2:
      node.wcet.reset();
      node.times = {{1, whole + kMs, Time(), {}}, {units - 1, whole, Time(), {}}};
      return;
    case 3:
      node.parallelism = units - 1;
      return;
    default:
      return;
  }
}

/// Says less where the methods derive it: times with the whole GPU, priorities.
void say_less(System& system, Random& random) {
  Element& gpu = system.platform.elements[kGpu];
  gpu.units = 4;
  bool own_order = false;
  for (Task& task : system.tasks) {
    own_order = own_order || task.gpu_priority;
    for (Node& node : task.nodes) {
      if (node.on == kGpu) say_otherwise(node, gpu.units, random);
    }
  }
  if (own_order || random.chance(0.5)) return;
  for (Task& task : system.tasks) task.priority.reset();
}

constexpr Parameter kOverlaps = {
    "overlaps", "0", "part of the systems in which the GPU begins before all is launched"};
constexpr std::array<Parameter, 2> kSmallParameters = {kCopies, kOverlaps};

System make_small(Settings& settings, Random& random) {
  System system = small_system(random, kMs);
  if (random.chance(0.5)) {
    system.platform.elements[kGpu].preemption_delay = random.integer(1, 4) * kMs;
  }
  if (random.chance(0.25)) thin_out(system, random);
  if (random.chance(0.25)) say_less(system, random);
  add_copies(system, settings, random, kMs);
  if (random.chance(settings.real(kOverlaps.name, 0, 1))) add_overlaps(system, random, kMs);
  return system;
}

}  // namespace

System small_system(Random& random, Time unit) { return Draw(random, unit).system(); }

void add_copies(System& system, Settings& settings, Random& random, Time unit) {
  if (!random.chance(settings.real(kCopies.name, 0, 1))) return;
  const auto engine = static_cast<ElementIndex>(system.platform.elements.size());
  Element copy;
  copy.name = "copy";
  copy.kind = ElementKind::kCopy;
  copy.units = random.chance(0.8) ? 1 : 2;
  if (random.chance(0.25)) copy.sharing = CopySharing::kShared;
  system.platform.elements.push_back(std::move(copy));
  for (Task& task : system.tasks) {
    std::vector<Node> nodes;
    const auto add = [&](double chance) {
      if (!random.chance(chance)) return;
      Node& made = nodes.emplace_back();
      made.name = fmt::format("copy{}", nodes.size());
      made.on = engine;
      made.wcet = random.integer(1, task.best_effort ? 6 : 3) * unit;
    };
    for (Node& node : task.nodes) {
      const bool kernel = node.on == kGpu;
      if (kernel) add(0.5);
      nodes.push_back(std::move(node));
      if (kernel) add(0.3);
    }
    task.nodes = std::move(nodes);
    task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  }
}

void add_overlaps(System& system, Random& random, Time unit) {
  for (Task& task : system.tasks) {
    std::vector<Node> nodes;
    for (Node& node : task.nodes) {
      const bool kernel = node.on == kGpu && node.wcet;
      nodes.push_back(std::move(node));
      if (!kernel) continue;
      if (random.chance(0.5)) {
        Node& behind = nodes.emplace_back();
        behind.name = nodes[nodes.size() - 2].name + "+";
        behind.on = kGpu;
        behind.launch = random.integer(0, 2) * unit;
        behind.wcet = random.integer(0, 2) * unit;
      }
    }
    for (Node& node : nodes) {
      if (node.on == kCpu || !node.wcet) continue;
      const std::int64_t most = std::min(node.launch, *node.wcet).ns() / unit.ns();
      if (random.chance(0.8)) node.overlap = random.integer(0, most) * unit;
    }
    task.nodes = std::move(nodes);
    task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  }
}

const Recipe kSmall = {
    "gcaps-small",
    "small systems that are hardly schedulable, to search for violations of the GCAPS family",
    kSmallParameters, make_small};

}  // namespace tactus::gcaps
