#include "tactus/generate/boost_small.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tactus/generate/gcaps_small.hpp"

namespace tactus::gcaps::boost {
namespace {

constexpr ElementIndex kCpu = 0, kGpu = 1;
constexpr Time kMs = Time::from_ms(1);

void draw_costs(Element& gpu, Random& random, std::int64_t most) {
  const auto cost = [&] { return random.integer(0, most) * kMs; };
  gpu.preempt_cost = cost();
  gpu.resume_cost = cost();
  gpu.start_cost = cost();
}

void draw_order(System& system, Random& random) {
  std::vector<std::int64_t> levels;
  for (const Task& task : system.tasks) {
    if (!task.best_effort) levels.push_back(static_cast<std::int64_t>(levels.size()) + 1);
  }
  for (Task& task : system.tasks) {
    if (task.best_effort) continue;
    const auto last = static_cast<std::int64_t>(levels.size()) - 1;
    const auto pick = levels.begin() + random.integer(0, last);
    task.gpu_priority = *pick;
    levels.erase(pick);
  }
}

/// For about half of the nodes on the GPU.
void draw_thresholds(System& system, Random& random) {
  std::int64_t highest = 0;
  for (const Task& task : system.tasks) {
    if (!task.best_effort) highest = std::max(highest, task.gpu_priority.value_or(*task.priority));
  }
  for (Task& task : system.tasks) {
    if (task.best_effort) continue;
    const std::int64_t own = task.gpu_priority.value_or(*task.priority);
    for (Node& node : task.nodes) {
      if (node.on == kGpu && random.chance(0.5)) node.gpu_threshold = random.integer(own, highest);
    }
  }
}

constexpr std::array<Parameter, 1> kParameters = {kCopies};

System small(Settings& settings, Random& random) {
  System system = small_system(random, kMs);
  Element& gpu = system.platform.elements[kGpu];
  if (random.chance(0.7)) draw_costs(gpu, random, 2);
  if (random.chance(0.25))
    gpu.arbiter_core = random.integer(1, system.platform.elements[kCpu].units);
  if (random.chance(0.5)) draw_order(system, random);
  if (random.chance(0.4)) draw_thresholds(system, random);
  if (random.chance(0.2)) {
    for (Task& task : system.tasks) {
      for (Node& node : task.nodes) {
        if (random.chance(0.5)) node.wcet = Time();
        if (random.chance(0.5)) node.launch = Time();
      }
    }
  }
  add_copies(system, settings, random, kMs);
  return system;
}

/// Draws tasks one by one, the most urgent first. No two draws are arguments of one call: compilers
/// take those in different orders.
class Rows {
 public:
  Rows(Random& random, std::int64_t cores, std::int64_t most_cost)
      : random_(random), cores_(cores) {
    Element cpu, gpu;
    cpu.name = "cpu";
    cpu.units = cores;
    gpu.name = "gpu";
    gpu.kind = ElementKind::kGpu;
    draw_costs(gpu, random, most_cost);
    system_.platform.elements = {std::move(cpu), std::move(gpu)};
  }

  Task& task(Time period) {
    Task& task = system_.tasks.emplace_back();
    task.name = fmt::format("t{}", system_.tasks.size());
    task.core = random_.integer(1, cores_);
    task.period = task.deadline = period;
    return task;
  }
  static void add(Task& task, ElementIndex on, Time wcet, Time launch = {}) {
    Node node;
    node.name = fmt::format("n{}", task.nodes.size() + 1);
    node.on = on;
    node.wcet = wcet;
    node.launch = launch;
    task.nodes.push_back(std::move(node));
  }
  System done() {
    auto priority = static_cast<std::int64_t>(system_.tasks.size());
    for (Task& task : system_.tasks) {
      task.priority = priority--;
      task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
    }
    return std::move(system_);
  }
  Time time(std::int64_t least, std::int64_t most) { return random_.integer(least, most) * kMs; }

 private:
  Random& random_;
  std::int64_t cores_;
  System system_;
};

/// The GPU work of a frequent task comes up to its whole first phase later than it can.
void add_frequent(Rows& rows, Random& random) {
  const Time period = rows.time(10, 24);
  Task& task = rows.task(period);
  Rows::add(task, kCpu, rows.time(1, 5));
  const Time launch = rows.time(0, 1);
  Rows::add(task, kGpu, rows.time(1, 3), launch);
  if (random.chance(0.4)) {
    Rows::add(task, kCpu, rows.time(0, 2));
    Rows::add(task, kGpu, rows.time(1, 2));
  }
  if (random.chance(0.6)) Rows::add(task, kCpu, rows.time(1, 4));
}

void add_rare(Rows& rows, Random& random) {
  Task& task = rows.task(rows.time(45, 110));
  const std::int64_t segments = random.integer(1, 3);
  for (std::int64_t k = 0; k < segments; ++k) {
    Rows::add(task, kCpu, rows.time(1, 5));
    const Time launch = rows.time(0, 1);
    Rows::add(task, kGpu, rows.time(1, 7), launch);
  }
  if (random.chance(0.6)) Rows::add(task, kCpu, rows.time(1, 4));
}

System carry_in(Settings&, Random& random) {
  const std::int64_t most_cost = random.chance(0.3) ? 0 : 1;
  Rows rows(random, random.integer(1, 3), most_cost);
  const std::int64_t tasks = random.integer(2, 4), frequent = random.integer(1, tasks - 1);
  for (std::int64_t k = 0; k < tasks; ++k) {
    if (k < frequent) {
      add_frequent(rows, random);
    } else {
      add_rare(rows, random);
    }
  }
  System system = rows.done();
  if (random.chance(0.25)) draw_order(system, random);
  if (random.chance(0.35)) draw_thresholds(system, random);
  return system;
}

/// A rare task with long phases between its segments, on the core of a frequent one: several of its
/// jobs fall into one phase.
System long_phases(Settings&, Random& random) {
  Rows rows(random, 1, random.integer(0, 1));
  Task& frequent = rows.task(rows.time(8, 16));
  Rows::add(frequent, kCpu, rows.time(1, 3));
  if (random.chance(0.6)) {
    Rows::add(frequent, kGpu, rows.time(0, 1));
    if (random.chance(0.5)) Rows::add(frequent, kCpu, rows.time(1, 2));
  }
  Task& rare = rows.task(rows.time(120, 260));
  const std::int64_t segments = random.integer(1, 3);
  for (std::int64_t k = 0; k < segments; ++k) {
    Rows::add(rare, kCpu, rows.time(5, 13));
    Rows::add(rare, kGpu, rows.time(2, 12));
  }
  Rows::add(rare, kCpu, rows.time(5, 13));
  return rows.done();
}

System tiny(Settings&, Random& random) {
  Rows rows(random, random.integer(1, 2), 1);
  const std::int64_t tasks = random.integer(2, 3);
  for (std::int64_t k = 0; k < tasks; ++k) {
    Task& task = rows.task(rows.time(4 + 3 * k, 8 + 5 * k));
    Rows::add(task, kCpu, rows.time(0, 2));
    if (random.chance(0.85)) {
      const Time launch = rows.time(0, 1);
      Rows::add(task, kGpu, rows.time(0, 3), launch);
      if (random.chance(0.6)) Rows::add(task, kCpu, rows.time(0, 2));
    }
    task.nodes.front().wcet = std::max(*task.nodes.front().wcet, k == 0 ? kMs : Time());
  }
  System system = rows.done();
  if (random.chance(0.3)) draw_order(system, random);
  if (random.chance(0.3)) draw_thresholds(system, random);
  return system;
}

}  // namespace

const Recipe kSmall = {"boost-small", "small systems to search for violations of gcaps.boost",
                       kParameters, small};
const Recipe kCarryIn = {"boost-carry-in",
                         "frequent tasks over rare ones, built for carry-in, for gcaps.boost",
                         {},
                         carry_in};
const Recipe kLongPhases = {"boost-long-phases",
                            "a frequent task over a rare one with long CPU phases, for gcaps.boost",
                            {},
                            long_phases};
const Recipe kTiny = {
    "boost-tiny", "two or three tiny tasks, of which all offsets can be tried", {}, tiny};

}  // namespace tactus::gcaps::boost
