#include "tactus/generate/gang_dags.hpp"
#include "tactus/generate/gang_recipes.hpp"

namespace tactus::gang {
namespace {

constexpr Parameter kFig9Parameters[] = {
    kNodesMin,
    kNodesMax,
    kEdgeProbability,
    kGpuShare,
    kGranularity,
    kBlockLength,
    kCpus,
    kSms,
    {"stretch", "10", "period and deadline as a multiple of the longest path"},
};

System make_fig9(Settings& settings, Random& random) {
  System system;
  system.time_unit = TimeUnit::kUnit;
  system.platform.elements = draw_cpu_gpu(settings, random);
  expect_graphs(settings, 1, 3);
  if (!settings.error().empty()) return system;
  const double probability = edge_probability(settings, random);
  CpuGpuTask made =
      draw_cpu_gpu_task(settings, random, system.platform.elements[1].units, probability);
  made.task.name = "dag";
  made.task.period = made.task.deadline = settings.integer("stretch", 1, 1'000'000) * made.length;
  system.tasks.push_back(std::move(made.task));
  return system;
}

}  // namespace

const Recipe kFig9 = {
    "gang-fig9", "a graph on CPU cores and GPU SMs, kernels block by block (gang paper, Fig. 9)",
    kFig9Parameters, make_fig9};

}  // namespace tactus::gang
