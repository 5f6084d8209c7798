#include "tests/methods/gcaps/random_systems.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

namespace tactus::gcaps::tests {
namespace {

constexpr std::int64_t kMs = 1'000'000;

template <typename T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1],
              items[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
  }
}

/// Draws times on one of three grids, so that exact ties (whole milliseconds) and awkward
/// remainders (nanoseconds) both happen.
class Clock {
 public:
  explicit Clock(Random& random) : random_(random) {
    constexpr std::int64_t kGrids[] = {kMs, kMs / 4, 1};
    grid_ = kGrids[random.integer(0, 2)];
  }
  Time between(std::int64_t low, std::int64_t high) {
    return Time::from_ns(random_.integer(low / grid_, high / grid_) * grid_);
  }
  Time up_to(std::int64_t high) { return between(0, high); }

 private:
  Random& random_;
  std::int64_t grid_;
};

struct Elements {
  ElementIndex cpu = 0, gpu = 0;
  std::vector<ElementIndex> copies;
  bool has_gpu = true;
};

Elements add_platform(System& system, Random& random, std::int64_t cores) {
  Elements elements;
  elements.has_gpu = !random.chance(0.05);
  const std::int64_t copies =
      elements.has_gpu && random.chance(0.5) ? (random.chance(0.3) ? 2 : 1) : 0;
  std::vector<ElementKind> kinds = {ElementKind::kCpu};
  if (elements.has_gpu) kinds.push_back(ElementKind::kGpu);
  for (std::int64_t k = 0; k < copies; ++k) kinds.push_back(ElementKind::kCopy);
  shuffle(kinds, random);
  for (const ElementKind kind : kinds) {
    const auto index = static_cast<ElementIndex>(system.platform.elements.size());
    Element element;
    element.kind = kind;
    if (kind == ElementKind::kCpu) {
      element.name = "cpu";
      element.units = cores;
      elements.cpu = index;
    } else if (kind == ElementKind::kCopy) {
      element.name = fmt::format("copy{}", elements.copies.size() + 1);
      element.units = random.chance(0.7) ? 1 : random.integer(2, 3);
      if (random.chance(0.5)) {
        element.sharing = random.chance(0.5) ? CopySharing::kShared : CopySharing::kExclusive;
      }
      elements.copies.push_back(index);
    } else {
      element.name = "gpu";
      elements.gpu = index;
    }
    system.platform.elements.push_back(std::move(element));
  }
  return elements;
}

void set_overheads(Element& gpu, Random& random, Clock& clock) {
  constexpr std::int64_t kSlices[] = {kMs / 2, kMs, 1'024'000, 2 * kMs};
  gpu.time_slice = Time::from_ns(kSlices[random.integer(0, 3)]);
  gpu.context_switch = random.chance(0.3) ? Time() : clock.up_to(kMs);
  gpu.runlist_update = random.chance(0.2) ? Time() : clock.up_to(kMs);
  if (random.chance(0.4)) gpu.preemption_delay = clock.up_to(2 * kMs);
}

/// What one job may need at most on CPU and GPU, spread over its nodes.
struct Budget {
  std::int64_t cpu = 0, gpu = 0;
};

void add_node(Task& task, ElementIndex on, Time wcet, Time launch = {}) {
  Node node;
  node.name = fmt::format("n{}", task.nodes.size() + 1);
  node.on = on;
  node.wcet = wcet;
  node.launch = launch;
  task.nodes.push_back(std::move(node));
}

void add_gpu_segment(Task& task, const Elements& elements, Budget budget, Random& random,
                     Clock& clock) {
  const std::int64_t count = random.chance(0.7) ? 1 : random.integer(2, 3);
  const bool empty = random.chance(0.1);
  for (std::int64_t k = 0; k < count; ++k) {
    const bool copy = !elements.copies.empty() && random.chance(0.4);
    const auto engine = static_cast<std::size_t>(
        copy ? random.integer(0, static_cast<std::int64_t>(elements.copies.size()) - 1) : 0);
    const Time wcet = empty ? Time() : clock.up_to(budget.gpu / count);
    const Time launch = empty || random.chance(0.3) ? Time() : clock.up_to(budget.gpu / 4 / count);
    add_node(task, copy ? elements.copies[engine] : elements.gpu, wcet, launch);
  }
}

void add_nodes(Task& task, const Elements& elements, Budget budget, Random& random, Clock& clock) {
  const std::int64_t eta = elements.has_gpu && random.chance(0.65) ? random.integer(1, 3) : 0;
  const Budget share{budget.cpu / (eta + 1), budget.gpu / std::max<std::int64_t>(eta, 1)};
  for (std::int64_t j = 0; j < eta; ++j) {
    // Only the first CPU segment may be missing: two GPU segments need one between them.
    if (j > 0 || random.chance(0.8)) add_node(task, elements.cpu, clock.up_to(share.cpu));
    add_gpu_segment(task, elements, share, random, clock);
  }
  if (eta == 0 || random.chance(0.6)) {
    add_node(task, elements.cpu, clock.up_to(share.cpu));
    if (random.chance(0.2)) add_node(task, elements.cpu, clock.up_to(share.cpu / 2));
  }
}

/// Lists the nodes of the chain in another order and says the chain by its edges.
void scramble(Task& task, Random& random) {
  const auto count = static_cast<NodeIndex>(task.nodes.size());
  std::vector<NodeIndex> place(count);  // where node k of the chain is listed
  std::iota(place.begin(), place.end(), 0u);
  shuffle(place, random);
  std::vector<Node> listed(count);
  for (NodeIndex k = 0; k < count; ++k) listed[place[k]] = std::move(task.nodes[k]);
  std::vector<Edge> edges;
  for (NodeIndex k = 1; k < count; ++k) edges.emplace_back(place[k - 1], place[k]);
  task.nodes = std::move(listed);
  task.graph = Graph(count, std::move(edges));
}

void add_task(System& system, const Elements& elements, std::int64_t cores, double load,
              Random& random, Clock& clock) {
  Task task;
  task.name = fmt::format("t{}", system.tasks.size());
  task.core = random.integer(1, cores);
  task.best_effort = !system.tasks.empty() && random.chance(0.2);
  const Time period = clock.between(20 * kMs, random.chance(0.5) ? 60 * kMs : 200 * kMs);
  if (!task.best_effort || random.chance(0.6)) {
    task.period = period;
    task.deadline = period;
    if (!task.best_effort && random.chance(0.3)) {
      task.deadline = clock.between(period.ns() / 2, period.ns());
    }
  }
  const auto demand = static_cast<std::int64_t>(load * static_cast<double>(period.ns()));
  const std::int64_t on_gpu = random.integer(0, demand);
  add_nodes(task, elements, {demand - on_gpu, on_gpu}, random, clock);
  if (random.chance(0.2)) {
    scramble(task, random);
  } else {
    task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  }
  system.tasks.push_back(std::move(task));
}

/// Distinct numbers with gaps, some of them negative, from low to high.
std::vector<std::int64_t> levels(std::size_t count, Random& random) {
  std::vector<std::int64_t> found(count);
  std::int64_t level = random.integer(-10, 5);
  for (std::int64_t& value : found) value = level += random.integer(1, 4);
  return found;
}

std::vector<Task*> real_time_tasks(System& system) {
  std::vector<Task*> found;
  for (Task& task : system.tasks) {
    if (!task.best_effort) found.push_back(&task);
  }
  return found;
}

/// Mostly rate monotonic, as real files are, sometimes anything.
void assign_priorities(System& system, Random& random) {
  std::vector<Task*> tasks = real_time_tasks(system);
  shuffle(tasks, random);
  if (random.chance(0.7)) {
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](const Task* a, const Task* b) { return *a->period > *b->period; });
  }
  const std::vector<std::int64_t> level = levels(tasks.size(), random);
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i]->priority = level[i];
}

}  // namespace

void assign_gpu_priorities(System& system, Random& random) {
  std::vector<Task*> order = real_time_tasks(system);
  shuffle(order, random);
  std::vector<std::int64_t> cores;
  for (const Task* task : order) cores.push_back(*task->core);
  std::sort(order.begin(), order.end(),
            [](const Task* a, const Task* b) { return *a->priority < *b->priority; });
  const std::vector<std::int64_t> level = levels(order.size(), random);
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const auto lowest = std::find_if(order.begin(), order.end(),
                                     [&](const Task* task) { return *task->core == cores[i]; });
    (*lowest)->gpu_priority = level[i];
    order.erase(lowest);
  }
}

void set_overlaps(System& system, Random& random) {
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      const Time most = std::min(node.launch, *node.wcet);
      if (random.chance(0.8)) node.overlap = Time::from_ns(random.integer(0, most.ns()));
    }
  }
}

void make_kernels_of_copies(System& system) {
  const auto& elements = system.platform.elements;
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      for (ElementIndex e = 0; e < elements.size(); ++e) {
        const bool copies = elements[node.on].kind == ElementKind::kCopy;
        if (copies && elements[e].kind == ElementKind::kGpu) node.on = e;
      }
    }
  }
}

System random_system_with_default_gpu_priorities(Random& random) {
  System system;
  system.name = "random";
  Clock clock(random);
  const std::int64_t cores = random.integer(1, 4);
  const std::int64_t count = random.integer(1, 8);
  const Elements elements = add_platform(system, random, cores);
  if (elements.has_gpu) set_overheads(system.platform.elements[elements.gpu], random, clock);
  const double load = random.real(0.05, 0.9);
  for (std::int64_t i = 0; i < count; ++i) {
    add_task(system, elements, cores, load, random, clock);
  }
  assign_priorities(system, random);
  for (Task& task : system.tasks) {
    // A best-effort task's priorities are ignored, whatever they say.
    if (task.best_effort && random.chance(0.2)) task.priority = task.gpu_priority = 1'000;
  }
  return system;
}

System random_system(Random& random) {
  System system = random_system_with_default_gpu_priorities(random);
  if (random.chance(0.4)) assign_gpu_priorities(system, random);
  return system;
}

}  // namespace tactus::gcaps::tests
