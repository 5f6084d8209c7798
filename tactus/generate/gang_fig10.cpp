#include <fmt/core.h>

#include "tactus/generate/gang_dags.hpp"
#include "tactus/generate/gang_recipes.hpp"

namespace tactus::gang {
namespace {

constexpr Parameter kFig10Parameters[] = {
    kNodesMin,
    kNodesMax,
    kEdgeProbability,
    kGpuShare,
    kGranularity,
    kBlockLength,
    kCpus,
    kSms,
    {"utilisation", "0.5", "of the coarse graphs together, as a part of the cores"},
};

/// Draws the platform, then task after task: its graph, and its period between one and six lengths
/// (D = T). The period of the last is lengthened until the utilisation is the one asked for.
System make_fig10(Settings& settings, Random& random) {
  System system;
  system.time_unit = TimeUnit::kUnit;
  system.platform.elements = draw_cpu_gpu(settings, random);
  const double target = settings.real("utilisation", 0.001, 1) *
                        static_cast<double>(system.platform.elements[0].units);
  // A graph has at least its length to do in at most six lengths.
  expect_graphs(settings, 6 * target + 1, 3);
  if (!settings.error().empty()) return system;
  const double probability = edge_probability(settings, random);
  for (double sum = 0; sum < target && settings.error().empty();) {
    CpuGpuTask made =
        draw_cpu_gpu_task(settings, random, system.platform.elements[1].units, probability);
    made.task.name = fmt::format("dag{}", system.tasks.size());
    Time period = Time::from_ns(random.integer(made.length.ns(), 6 * made.length.ns()));
    const auto volume = static_cast<double>(made.volume.ns());
    if (sum + volume / static_cast<double>(period.ns()) > target) {
      period = Time::from_ns(static_cast<std::int64_t>(volume / (target - sum)) + 1);
      sum = target;
    } else {
      sum += volume / static_cast<double>(period.ns());
    }
    made.task.period = made.task.deadline = period;
    system.tasks.push_back(std::move(made.task));
  }
  return system;
}

}  // namespace

const Recipe kFig10 = {
    "gang-fig10",
    "several graphs on CPU cores and GPU SMs up to a utilisation (gang paper, Fig. 10)",
    kFig10Parameters, make_fig10};

}  // namespace tactus::gang
