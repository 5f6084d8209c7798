#include "tactus/generate/dag_small.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

/// Order of draws: the shape, what the shape asks for, the SMs, then load and least load of every
/// node.
namespace tactus::dag {
namespace {

constexpr Time kUnit = Time::from_ms(1);

struct Shape {
  NodeIndex size = 0;
  std::vector<Edge> edges = {};

  NodeIndex add(std::initializer_list<NodeIndex> before) {
    for (const NodeIndex node : before) edges.emplace_back(node, size);
    return size++;
  }
};

class Draw {
 public:
  explicit Draw(Random& random) : random_(random) {}

  System system() {
    const Shape shape = this->shape();
    System system;
    system.time_unit = TimeUnit::kUnit;
    Element gpu;
    gpu.name = "gpu";
    gpu.kind = ElementKind::kGpu;
    gpu.units = random_.integer(2, 8);
    gpu.t_min = kUnit;
    system.platform.elements = {std::move(gpu)};
    Task task;
    task.name = "t1";
    Time serial;
    for (NodeIndex i = 0; i < shape.size; ++i) {
      task.nodes.push_back(node(i));
      serial += std::max(kUnit, *task.nodes.back().load);
    }
    task.graph = Graph(shape.size, shape.edges);
    // One SM would be enough, so that jobs never wait for each other.
    task.period = task.deadline = serial;
    system.tasks = {std::move(task)};
    return system;
  }

 private:
  Shape shape() {
    switch (random_.integer(0, 3)) {
      case 0:
        return fork_join();
      case 1:
        return joins_at_two_depths();
      case 2:
        return parallel_chains();
      default:
        return any_graph();
    }
  }

  /// E1: shares of one group that round to more SMs than there are.
  Shape fork_join() {
    Shape shape;
    const NodeIndex source = shape.add({});
    const std::int64_t width = random_.integer(2, 5);
    for (std::int64_t i = 0; i < width; ++i) shape.add({source});
    const NodeIndex sink = shape.add({});
    for (NodeIndex node = 1; node < sink; ++node) shape.edges.emplace_back(node, sink);
    return shape;
  }

  /// E2: some of the source's successors meet first, the others fill what they leave.
  Shape joins_at_two_depths() {
    Shape shape;
    const NodeIndex source = shape.add({});
    std::vector<NodeIndex> early, late;
    for (std::int64_t i = random_.integer(2, 3); i > 0; --i) early.push_back(shape.add({source}));
    for (std::int64_t i = random_.integer(1, 3); i > 0; --i) late.push_back(shape.add({source}));
    const NodeIndex join = shape.add({});
    for (const NodeIndex node : early) shape.edges.emplace_back(node, join);
    const NodeIndex sink = shape.add({join});
    for (const NodeIndex node : late) shape.edges.emplace_back(node, sink);
    return shape;
  }

  /// E3: one chain runs ahead and takes the SMs of the others.
  Shape parallel_chains() {
    Shape shape;
    const NodeIndex source = shape.add({});
    std::vector<NodeIndex> ends;
    for (std::int64_t chain = random_.integer(2, 3); chain > 0; --chain) {
      NodeIndex last = source;
      for (std::int64_t i = random_.integer(2, 4); i > 0; --i) last = shape.add({last});
      ends.push_back(last);
    }
    const NodeIndex sink = shape.add({});
    for (const NodeIndex node : ends) shape.edges.emplace_back(node, sink);
    return shape;
  }

  Shape any_graph() {
    Shape shape;
    const std::int64_t size = random_.integer(2, 9);
    const double density = random_.real(0.0, 0.7);
    for (std::int64_t i = 0; i < size; ++i) {
      const NodeIndex node = shape.add({});
      for (NodeIndex before = 0; before < node; ++before) {
        if (random_.chance(density)) shape.edges.emplace_back(before, node);
      }
    }
    return shape;
  }

  Node node(NodeIndex index) {
    Node node;
    node.name = fmt::format("v{}", index + 1);
    node.load = random_.integer(1, random_.chance(0.2) ? 9 : 3) * kUnit;
    if (random_.chance(0.2)) *node.load += Time::from_ns(random_.integer(1, kUnit.ns() - 1));
    if (random_.chance(0.2)) node.load_min = Time::from_ns(random_.integer(0, node.load->ns()));
    return node;
  }

  Random& random_;
};

constexpr std::array<Parameter, 1> kParameters = {
    {{"copies", "0", "part of the systems with copies before and after all kernels"}}};

/// One or two copies before, and one after, or none.
void add_copies(System& system, Random& random) {
  Element engine;
  engine.name = "copy";
  engine.kind = ElementKind::kCopy;
  system.platform.elements.push_back(std::move(engine));
  Task& task = system.tasks.front();
  const auto kernels = task.graph.size();
  std::vector<Edge> edges = task.graph.edges();
  const auto add = [&] {
    Node& copy = task.nodes.emplace_back();
    copy.name = fmt::format("copy{}", task.nodes.size() - kernels);
    copy.on = 1;
    copy.wcet = random.integer(0, 3) * kUnit;
    if (random.chance(0.3)) copy.bcet = Time::from_ns(random.integer(0, copy.wcet->ns()));
    task.period = task.deadline = *task.period + *copy.wcet;
    return static_cast<NodeIndex>(task.nodes.size() - 1);
  };
  NodeIndex last = add();
  if (random.chance(0.5)) {
    edges.emplace_back(last, last + 1);
    last = add();
  }
  const bool back = random.chance(0.7);
  const NodeIndex end = back ? add() : 0;
  for (NodeIndex node = 0; node < kernels; ++node) {
    if (task.graph.predecessors(node).empty()) edges.emplace_back(last, node);
    if (back && task.graph.successors(node).empty()) edges.emplace_back(node, end);
  }
  task.graph = Graph(static_cast<NodeIndex>(task.nodes.size()), edges);
}

System make(Settings& settings, Random& random) {
  System system = Draw(random).system();
  const double copies = settings.real(kParameters[0].name, 0, 1);
  if (random.chance(copies)) add_copies(system, random);
  return system;
}

}  // namespace

const Recipe kSmall = {"dag-small",
                       "tiny graphs on few SMs, to search for violations of the dag family",
                       kParameters, make};

}  // namespace tactus::dag
