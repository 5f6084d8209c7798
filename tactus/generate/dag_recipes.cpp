#include "tactus/generate/dag_recipes.hpp"

#include <array>
#include <charconv>

#include "tactus/generate/dag_graphs.hpp"

namespace tactus::dag {
namespace {

constexpr std::int64_t kMaxWidth = 10'000;
constexpr std::int64_t kMaxNodes = kMostDrawnNodes;
constexpr std::int64_t kMaxLoad = 1'000'000;

constexpr Parameter kMeanLoad = {"load", "20", "mean load of a kernel, in units of t_min"};
constexpr Parameter kSms = {"sms", "32", "SMs of the GPU, M"};

std::string node_name(NodeIndex node) {
  std::array<char, 16> text{'v'};
  const auto end = std::to_chars(text.data() + 1, text.data() + text.size(), node + 1).ptr;
  return {text.data(), end};
}

/// One task on one GPU; names v1, v2, .. in the order of the shape. It has no deadline: only its
/// bound is of interest.
System make_system(Shape shape, std::span<const std::int64_t> loads, std::int64_t sms) {
  System system;
  system.time_unit = TimeUnit::kUnit;
  Element& gpu = system.platform.elements.emplace_back();
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.units = sms;
  gpu.t_min = Time::from_ms(1);
  Task& task = system.tasks.emplace_back();
  task.name = "dag";
  task.nodes.resize(shape.size);
  for (NodeIndex node = 0; node < shape.size; ++node) {
    task.nodes[node].name = node_name(node);
    task.nodes[node].load = Time::from_ms(loads[node]);
  }
  task.graph = Graph(shape.size, std::move(shape.edges));
  return system;
}

/// A fixed shape with random loads.
System with_loads(Shape shape, Settings& settings, Random& random) {
  const std::int64_t mean = settings.integer("load", 1, kMaxLoad);
  const std::int64_t sms = settings.integer("sms", 1, INT32_MAX);
  const auto loads = draw_loads(shape.size, mean, false, random);
  return make_system(std::move(shape), loads, sms);
}

NodeIndex size_setting(Settings& settings, std::string_view name, std::int64_t least) {
  return static_cast<NodeIndex>(settings.integer(name, least, 1000));
}

constexpr Parameter kLayeredParameters[] = {
    {"p", "8", "most nodes of an inner layer, P"},
    {"depth-min", "5", "least number of layers, source and sink included"},
    {"depth-max", "8", "most layers"},
    {"probability", "0.5", "of an edge between nodes of neighbouring layers"},
    kMeanLoad,
    {"unit-ends", "on", "source and sink have load 1"},
    kSms,
};

System make_layered(Settings& settings, Random& random) {
  LayeredOptions options;
  options.widest = settings.integer("p", 2, kMaxWidth);
  options.depth_min = settings.integer("depth-min", 2, kMaxNodes / options.widest);
  options.depth_max = settings.integer("depth-max", options.depth_min, kMaxNodes / options.widest);
  options.probability = settings.real("probability", 0, 1);
  const std::int64_t mean = settings.integer("load", 1, kMaxLoad);
  const bool unit_ends = settings.flag("unit-ends");
  const std::int64_t sms = settings.integer("sms", 1, INT32_MAX);
  const auto widest = static_cast<double>(options.widest);
  const double nodes = widest * static_cast<double>(options.depth_max);
  settings.expect_size(nodes, nodes * (1 + widest * options.probability));
  if (!settings.error().empty()) return {};
  Shape shape = layered(options, random);
  const auto loads = draw_loads(shape.size, mean, unit_ends, random);
  return make_system(std::move(shape), loads, sms);
}

constexpr Parameter kLaplaceParameters[] = {{"k", "6", "width of the diamond"}, kMeanLoad, kSms};
constexpr Parameter kGaussParameters[] = {{"m", "6", "rows of the matrix"}, kMeanLoad, kSms};
constexpr Parameter kStencilParameters[] = {
    {"w", "6", "nodes of a layer"}, {"s", "6", "layers"}, kMeanLoad, kSms};

}  // namespace

const Recipe kLayered = {
    .name = "dag-layered",
    .doc = "one random layered graph of kernels (dag-gen-rnd as the DAC 2026 paper configures it)",
    .parameters = kLayeredParameters,
    .make = make_layered,
};
const Recipe kLaplace = {
    .name = "dag-laplace",
    .doc = "the graph of a Laplace solver: a diamond of k * k kernels, random loads",
    .parameters = kLaplaceParameters,
    .make =
        [](Settings& settings, Random& random) {
          return with_loads(laplace(size_setting(settings, "k", 1)), settings, random);
        },
};
const Recipe kGauss = {
    .name = "dag-gauss",
    .doc = "the graph of Gaussian elimination, random loads",
    .parameters = kGaussParameters,
    .make =
        [](Settings& settings, Random& random) {
          return with_loads(gauss(size_setting(settings, "m", 2)), settings, random);
        },
};
const Recipe kStencil = {
    .name = "dag-stencil",
    .doc = "the graph of a one-dimensional stencil over time, random loads",
    .parameters = kStencilParameters,
    .make =
        [](Settings& settings, Random& random) {
          Shape shape = stencil(size_setting(settings, "w", 1), size_setting(settings, "s", 1));
          return with_loads(std::move(shape), settings, random);
        },
};

}  // namespace tactus::dag
