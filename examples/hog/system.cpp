#include "examples/hog/system.hpp"

#include <algorithm>

#include "examples/hog/hog.hpp"

namespace hog {
namespace {

using tactus::Edge;
using tactus::ElementKind;
using tactus::Node;
using tactus::NodeIndex;
using tactus::System;
using tactus::Task;
using tactus::Time;

constexpr int kRuns = 5;
constexpr std::int64_t kPeriodMs = 20, kDeadlineMs = 10;
/// No kernel counts as shorter than this: several times the cost of a launch.
constexpr Time kShortest = Time::from_us(40);
/// What a kernel may take longer than it ever did, in percent; and what it takes to notice the end
/// of one kernel and launch the next.
constexpr std::int64_t kMargin = 30;
constexpr Time kDispatch = Time::from_us(30);

Time with_margin(Time time) { return mul_div_up(time, 100 + kMargin, 100); }

/// SMs of a gang: as many as are useful.
std::int64_t width_of(const std::string& step, std::int64_t sms) {
  const bool small = step.starts_with("cells") || step.starts_with("blocks");
  return std::min<std::int64_t>(small ? 6 : 12, sms);
}

System system_of(std::string name, std::int64_t sms, int pipelines) {
  System system;
  system.name = std::move(name);
  system.time_unit = tactus::TimeUnit::kUs;
  tactus::Element gpu;
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.units = sms;
  system.platform.elements.push_back(gpu);
  const std::vector<Step> all = steps();
  std::vector<Edge> edges;
  for (NodeIndex i = 0; i < all.size(); ++i) {
    for (const std::string& before : all[i].after) {
      const auto found = std::find_if(all.begin(), all.end(),
                                      [&](const Step& step) { return step.name == before; });
      edges.emplace_back(static_cast<NodeIndex>(found - all.begin()), i);
    }
  }
  for (int i = 0; i < pipelines; ++i) {
    Task task;
    task.name = task_name(i);
    task.period = Time::from_ms(kPeriodMs);
    task.deadline = Time::from_ms(kDeadlineMs);
    for (const Step& step : all) {
      Node node;
      node.name = step.name;
      task.nodes.push_back(std::move(node));
    }
    task.graph = tactus::Graph(static_cast<NodeIndex>(all.size()), edges);
    system.tasks.push_back(std::move(task));
  }
  return system;
}

}  // namespace

std::string task_name(int pipeline) { return "hog" + std::to_string(pipeline + 1); }

std::vector<Step> steps() {
  std::vector<Step> all;
  for (int s = 0; s < kScales; ++s) {
    const std::string n = std::to_string(s);
    if (s > 0) all.push_back({"resize" + n, {}});
    all.push_back({"gradient" + n, {}});
    if (s > 0) all.back().after.push_back("resize" + n);
    all.push_back({"cells" + n, {"gradient" + n}});
    all.push_back({"blocks" + n, {"cells" + n}});
    all.push_back({"score" + n, {"blocks" + n}});
  }
  return all;
}

tactus::Result<NodeTimes> measure_nodes(const tactus::runtime::Workload& work) {
  using namespace tactus::runtime;
  System system = system_of("hog-measured", 1, 1);
  for (Node& node : system.tasks.front().nodes) node.load = Time::from_us(1);
  BackendOptions options;
  options.workload = &work;
  const auto device = open_backend("cuda", system, options);
  if (!device) return device.error();
  if (auto problem = (*device)->start()) return *problem;
  NodeTimes times;
  for (NodeIndex node = 0; node < system.tasks.front().nodes.size(); ++node) {
    auto& longest = times.longest.emplace_back();
    for (std::int64_t sms = 1; sms <= (*device)->capabilities().sms; ++sms) {
      Kernel kernel;
      kernel.node = node;
      kernel.blocks = sms;
      Time most;
      for (int i = 0; i <= kRuns; ++i) {
        if (auto problem = (*device)->launch(kernel, 0)) return *problem;
        const auto done = (*device)->wait(std::nullopt);
        if (!done) return done.error();
        if (done->front().failed) return tactus::Error{done->front().problem};
        if (i > 0) most = std::max(most, done->front().end - done->front().start);
      }
      longest.push_back(most);
    }
  }
  return times;
}

System dag_system(const NodeTimes& times) {
  System system = system_of("hog-dag", times.sms(), 1);
  system.platform.elements.front().t_min = kShortest;
  for (std::size_t i = 0; i < times.longest.size(); ++i) {
    Time load = Time::from_us(1);
    for (std::int64_t m = 1; m <= times.sms(); ++m) {
      const Time time = with_margin(times.longest[i][static_cast<std::size_t>(m - 1)]);
      if (time > kShortest) load = std::max(load, m * time);
    }
    system.tasks.front().nodes[i].load = load;
  }
  return system;
}

System gang_system(const NodeTimes& times, int pipelines) {
  System system = system_of("hog-gang", times.sms(), pipelines);
  for (Task& task : system.tasks) {
    for (std::size_t i = 0; i < task.nodes.size(); ++i) {
      const std::int64_t width = width_of(task.nodes[i].name, times.sms());
      task.nodes[i].parallelism = width;
      task.nodes[i].wcet =
          with_margin(times.longest[i][static_cast<std::size_t>(width - 1)]) + kDispatch;
    }
  }
  return system;
}

}  // namespace hog
