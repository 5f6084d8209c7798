#include "tests/methods/dag/sample.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "tactus/generate/dag_graphs.hpp"

namespace tactus::dag {

Sample sample_of(std::int64_t sms, std::vector<std::int64_t> loads, std::vector<Edge> edges) {
  for (std::int64_t& load : loads) load *= Sample::kUnit;
  return {sms, Sample::kUnit, std::move(loads), std::move(edges)};
}

System system_of(const Sample& sample) {
  System system;
  system.name = "sample";
  system.time_unit = TimeUnit::kUnit;
  Element& gpu = system.platform.elements.emplace_back();
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.units = sample.sms;
  gpu.t_min = Time::from_ns(sample.t_min);
  Task& task = system.tasks.emplace_back();
  task.name = "dag";
  task.nodes.resize(sample.size());
  for (NodeIndex node = 0; node < sample.size(); ++node) {
    task.nodes[node].name = fmt::format("v{}", node + 1);
    task.nodes[node].load = Time::from_ns(sample.loads[node]);
  }
  task.graph = Graph(sample.size(), sample.edges);
  return system;
}

Verdict analyze_sample(const Sample& sample, std::string_view method, std::string_view variant,
                       std::string_view effort) {
  Options options;
  options.variant = variant;
  options.settings["effort"] = effort;
  return analyze(*find_method(method), system_of(sample), options);
}

std::int64_t bound_of(const Verdict& verdict) { return verdict.tasks.at(0).bound.value().ns(); }

std::int64_t bound_of(const Sample& sample, std::string_view method, std::string_view variant,
                      std::string_view effort) {
  return bound_of(analyze_sample(sample, method, variant, effort));
}

const DagPlan& plan_of(const Verdict& verdict) {
  return dynamic_cast<const DagPlan&>(*verdict.plan);
}

namespace {

std::vector<Edge> random_edges(NodeIndex n, double probability, Random& random) {
  std::vector<Edge> edges;
  for (NodeIndex to = 1; to < n; ++to) {
    for (NodeIndex from = 0; from < to; ++from) {
      if (random.chance(probability)) edges.emplace_back(from, to);
    }
  }
  return edges;
}

Shape random_shape(Random& random) {
  const auto integer = [&](std::int64_t low, std::int64_t high) {
    return static_cast<NodeIndex>(random.integer(low, high));
  };
  Shape shape;
  switch (random.integer(0, 7)) {
    case 0:  // layered
      return layered({.widest = integer(2, 6), .depth_min = 2, .depth_max = 6}, random);
    case 1: {  // parallel chains between a source and a sink
      const NodeIndex chains = integer(2, 5), length = integer(1, 5);
      shape.size = chains * length + 2;
      for (NodeIndex c = 0; c < chains; ++c) {
        const NodeIndex first = 1 + c * length;
        shape.edges.emplace_back(0, first);
        for (NodeIndex i = 1; i < length; ++i) shape.edges.emplace_back(first + i - 1, first + i);
        shape.edges.emplace_back(first + length - 1, shape.size - 1);
      }
      return shape;
    }
    case 2:  // out-tree
      shape.size = integer(1, 20);
      for (NodeIndex v = 1; v < shape.size; ++v) shape.edges.emplace_back(integer(0, v - 1), v);
      return shape;
    case 3:  // in-tree
      shape.size = integer(1, 20);
      for (NodeIndex v = 0; v + 1 < shape.size; ++v) {
        shape.edges.emplace_back(v, integer(v + 1, shape.size - 1));
      }
      return shape;
    case 4:  // dense
      shape.size = integer(1, 14);
      shape.edges = random_edges(shape.size, 0.6, random);
      return shape;
    case 5:  // sparse, several sources and sinks
      shape.size = integer(1, 20);
      shape.edges = random_edges(shape.size, 0.12, random);
      return shape;
    case 6:  // wide: nearly independent
      shape.size = integer(10, 40);
      shape.edges = random_edges(shape.size, 0.01, random);
      return shape;
    default: {  // chain
      shape.size = integer(1, 10);
      for (NodeIndex v = 1; v < shape.size; ++v) shape.edges.emplace_back(v - 1, v);
      return shape;
    }
  }
}

/// Relabels the nodes, so that file order is not topological order.
void shuffle(Sample& sample, Random& random) {
  std::vector<NodeIndex> place(sample.size());
  for (NodeIndex v = 0; v < sample.size(); ++v) place[v] = v;
  for (NodeIndex v = sample.size(); v > 1; --v) {
    std::swap(place[v - 1], place[static_cast<std::size_t>(random.integer(0, v - 1))]);
  }
  for (auto& [from, to] : sample.edges) {
    from = place[from];
    to = place[to];
  }
}

}  // namespace

Sample random_sample(std::uint64_t index) {
  Random random(20260, index);
  Shape shape = random_shape(random);
  Sample sample;
  sample.sms = std::array{
      1, 2, 3, 4, 5, 6, 7, 8, 13, 32, 128}[static_cast<std::size_t>(random.integer(0, 10))];
  sample.edges = std::move(shape.edges);
  const std::int64_t kind = random.integer(0, 4);
  sample.t_min = kind == 2 ? random.integer(Sample::kUnit / 2, 2 * Sample::kUnit) : Sample::kUnit;
  for (NodeIndex v = 0; v < shape.size; ++v) {
    switch (kind) {
      case 0:  // small whole numbers
        sample.loads.push_back(random.integer(1, 8) * Sample::kUnit);
        break;
      case 1:  // larger whole numbers
        sample.loads.push_back(random.integer(1, 60) * Sample::kUnit);
        break;
      case 2:  // fractional, also below t_min
        sample.loads.push_back(random.integer(1, 20'000) * 1'000);
        break;
      case 3:  // all equal
        sample.loads.push_back(v == 0 ? random.integer(1, 20) * Sample::kUnit : sample.loads[0]);
        break;
      default: {  // 1e-3 .. 1e6 units
        std::int64_t scale = 1'000;
        for (std::int64_t decade = random.integer(0, 8); decade > 0; --decade) scale *= 10;
        sample.loads.push_back(random.integer(1, 9) * scale);
      }
    }
  }
  if (random.chance(0.5)) shuffle(sample, random);
  return sample;
}

Sample random_layered(std::uint64_t index, std::int64_t sms) {
  Random random(1, index);
  Shape shape = layered({}, random);
  return sample_of(sms, draw_loads(shape.size, 20, true, random), std::move(shape.edges));
}

std::string describe(const Sample& sample) {
  return fmt::format("M {} t_min {} loads {} edges {}", sample.sms, sample.t_min, sample.loads,
                     sample.edges);
}

}  // namespace tactus::dag
