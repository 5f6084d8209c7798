#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <random>

#include "tactus/model/system.hpp"

namespace tactus::gang {

/// Small random systems for comparison with slow versions: few nodes, all structures.
class RandomSystems {
 public:
  explicit RandomSystems(unsigned seed) : random_(seed) {}

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  struct Shape {
    std::int64_t tasks = 1, nodes = 10, elements = 3, units = 8, wcet = 9;
    bool lanes = true, blocks = true;
    bool times = false;   ///< measured curves on some GPUs without lanes
    bool launch = false;  ///< launch times of some GPU nodes
  };

  System make(const Shape& shape) {
    System system;
    system.name = "random";
    system.time_unit = TimeUnit::kUnit;
    const std::int64_t elements = pick(1, shape.elements);
    for (std::int64_t p = 0; p < elements; ++p) {
      Element element;
      element.name = fmt::format("e{}", p);
      element.kind = p == 0 ? ElementKind::kCpu : ElementKind::kGpu;
      element.units = pick(1, shape.units);
      if (shape.lanes && p > 0 && pick(0, 1) == 0) element.lanes = pick(2, 8);
      system.platform.elements.push_back(element);
    }
    const std::int64_t tasks = pick(1, shape.tasks);
    for (std::int64_t t = 0; t < tasks; ++t) system.tasks.push_back(task(system, shape, t));
    return system;
  }

 private:
  Task task(const System& system, const Shape& shape, std::int64_t index) {
    Task task;
    task.name = fmt::format("t{}", index);
    const std::int64_t count = pick(1, shape.nodes);
    for (std::int64_t v = 0; v < count; ++v) {
      Node node;
      node.name = fmt::format("n{}", v);
      node.on = static_cast<ElementIndex>(
          pick(0, static_cast<std::int64_t>(system.platform.elements.size()) - 1));
      const Element& element = system.platform.elements[node.on];
      const std::int64_t room = element.lanes > 1 ? element.lanes : element.units;
      const bool gpu = element.kind == ElementKind::kGpu;
      if (shape.launch && gpu && pick(0, 2) == 0) node.launch = Time::from_ms(pick(1, 3));
      if (shape.times && gpu && element.lanes == 1 && pick(0, 3) > 0) {
        node.times = times(element.units, shape.wcet);
        task.nodes.push_back(node);
        continue;
      }
      node.parallelism = pick(1, pick(1, room));
      node.wcet = Time::from_ms(pick(pick(0, 4) == 0 ? 0 : 1, shape.wcet));
      if (shape.blocks && element.lanes > 1 && pick(0, 2) == 0) node.blocks = pick(2, 3);
      task.nodes.push_back(node);
    }
    // Edges follow a random order, so that the listed order is not always topological.
    std::vector<NodeIndex> order(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<NodeIndex>(i);
    if (pick(0, 1) == 0) std::shuffle(order.begin(), order.end(), random_);
    const std::int64_t percent = pick(0, 60);
    std::vector<Edge> edges;
    for (std::size_t a = 0; a < order.size(); ++a) {
      for (std::size_t b = a + 1; b < order.size(); ++b) {
        if (pick(1, 100) <= percent) edges.emplace_back(order[a], order[b]);
      }
    }
    task.graph = Graph(static_cast<NodeIndex>(count), edges);
    task.period = task.deadline = Time::from_ms(pick(1, 30 + 6 * count));
    return task;
  }

  /// One to three points; times mostly fall with the units, and need not.
  std::vector<TimesEntry> times(std::int64_t room, std::int64_t wcet) {
    std::vector<TimesEntry> times;
    std::int64_t units = pick(1, pick(1, room));
    for (std::int64_t left = pick(1, 3); left > 0 && units <= room; --left) {
      const Time most = Time::from_ms(pick(1, wcet));
      times.push_back(
          {units, most, pick(0, 2) == 0 ? Time::from_ns(pick(0, most.ns())) : Time(), {}});
      units += pick(1, 3);
    }
    if (pick(0, 9) == 0) return times;
    std::vector<Time> sorted;
    for (const TimesEntry& entry : times) sorted.push_back(entry.wcet);
    std::sort(sorted.rbegin(), sorted.rend());
    for (std::size_t i = 0; i < times.size(); ++i) {
      times[i].wcet = sorted[i];
      times[i].bcet = std::min(times[i].bcet, sorted[i]);
    }
    return times;
  }

  std::mt19937 random_;
};

}  // namespace tactus::gang
