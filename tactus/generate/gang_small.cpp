#include "tactus/generate/gang_small.hpp"

#include <fmt/core.h>

#include <algorithm>

/// Order of draws: the number of tasks, element by element, then task by task its nodes, edges and
/// period.
namespace tactus::gang {
namespace {

class Draw {
 public:
  explicit Draw(Random& random)
      : random_(random), tasks_(random.chance(0.3) ? random.integer(2, 3) : 1) {}

  System system() {
    System system;
    system.time_unit = TimeUnit::kUnit;
    const std::int64_t elements = random_.integer(1, 3);
    for (std::int64_t p = 0; p < elements; ++p) system.platform.elements.push_back(element(p));
    for (std::int64_t t = 0; t < tasks_; ++t) system.tasks.push_back(task(system.platform, t));
    return system;
  }

 private:
  Element element(std::int64_t index) {
    Element element;
    element.name = fmt::format("e{}", index + 1);
    element.units = random_.integer(1, 8) * tasks_;
    if (random_.chance(0.5)) return element;
    element.kind = ElementKind::kGpu;
    if (random_.chance(0.5)) return element;  // SMs as units, for measured curves
    element.units = random_.integer(1, 4) * tasks_;
    element.lanes = random_.integer(2, 8);
    if (random_.chance(0.3)) {
      element.sm = SmLimits{};
      element.sm->blocks = random_.integer(1, 4);
      element.sm->registers = random_.integer(4, 12);
    }
    return element;
  }

  Task task(const Platform& platform, std::int64_t index) {
    Task task;
    task.name = fmt::format("t{}", index + 1);
    const std::int64_t count = random_.integer(2, tasks_ > 1 ? 5 : 8);
    for (std::int64_t v = 0; v < count; ++v) task.nodes.push_back(node(platform, v));
    std::vector<Edge> edges;
    const double density = random_.real(0.0, 0.6);
    for (NodeIndex to = 1; to < task.nodes.size(); ++to) {
      for (NodeIndex from = 0; from < to; ++from) {
        if (random_.chance(density)) edges.emplace_back(from, to);
      }
    }
    task.graph = Graph(static_cast<NodeIndex>(task.nodes.size()), edges);
    // Several tasks need room for their shares; a single task may miss its deadline.
    task.period = task.deadline = Time::from_ms(random_.integer(tasks_ > 1 ? 20 : 10, 60));
    return task;
  }

  Node node(const Platform& platform, std::int64_t index) {
    Node node;
    node.name = fmt::format("n{}", index + 1);
    node.on = static_cast<ElementIndex>(
        random_.integer(0, static_cast<std::int64_t>(platform.elements.size()) - 1));
    const Element& element = platform.elements[node.on];
    const std::int64_t room = element.lanes > 1 ? element.lanes : element.units / tasks_;
    const bool gpu = element.kind == ElementKind::kGpu;
    if (gpu && has_one_cpu(platform) && random_.chance(0.2)) {
      node.launch = Time::from_ms(random_.integer(1, 3));
    }
    if (gpu && element.lanes == 1 && random_.chance(0.6)) {
      node.times = times(element, room);
      return node;
    }
    node.parallelism = random_.integer(1, room);
    if (element.lanes > 1 && random_.chance(0.4)) node.blocks = random_.integer(2, 4);
    if (element.sm) {
      node.threads = std::min(*node.parallelism, *element.sm->registers);
      node.registers = random_.integer(0, *element.sm->registers / *node.threads);
    }
    node.wcet = Time::from_ms(random_.integer(random_.chance(0.1) ? 0 : 1, 9));
    if (random_.chance(0.3)) node.bcet = Time::from_ns(random_.integer(0, node.wcet->ns()));
    return node;
  }

  /// A measured curve: any widths, but the first fits into what every task can have; times mostly
  /// fall with the units.
  std::vector<TimesEntry> times(const Element& element, std::int64_t room) {
    std::vector<TimesEntry> times;
    std::int64_t units = random_.integer(1, room), wcet = random_.integer(3, 12);
    for (std::int64_t left = random_.integer(1, 3); left > 0 && units <= element.units; --left) {
      const Time most = Time::from_ms(wcet);
      const Time least =
          random_.chance(0.3) ? Time::from_ns(random_.integer(0, most.ns())) : Time();
      times.push_back({units, most, least, {}});
      units += random_.integer(1, 4);
      wcet = random_.chance(0.9) ? random_.integer((wcet + 1) / 2, wcet) : wcet + 1;
    }
    return times;
  }

  static bool has_one_cpu(const Platform& platform) {
    return std::count_if(platform.elements.begin(), platform.elements.end(),
                         [](const Element& e) { return e.kind == ElementKind::kCpu; }) == 1;
  }

  Random& random_;
  std::int64_t tasks_;
};

System make(Settings&, Random& random) { return Draw(random).system(); }

}  // namespace

const Recipe kSmall = {
    .name = "gang-small",
    .doc =
        "tiny graphs of wide gangs, rigid and measured, to search for violations of gang.wc and "
        "gang.swc",
    .parameters = {},
    .make = make,
};

}  // namespace tactus::gang
