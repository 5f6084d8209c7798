#include <benchmark/benchmark.h>

#include <filesystem>

#include "tactus/experiment/describe/bundled.hpp"
#include "tactus/experiment/judge/judge.hpp"
#include "tactus/experiment/store/store.hpp"

/// Where the time of an experiment goes: drawing sets, judging them, storing what was found.
namespace tactus::experiment {
namespace {

Experiment bundled(std::string_view name) {
  for (const BundledFile& file : bundled_files()) {
    if (file.name == name) return *read_experiment(std::string(file.text)).experiment;
  }
  return {};
}

/// Sets of one experiment, point after point; `draw_share` is the part of the time that drawing
/// took.
void judge_sets(benchmark::State& state, const char* name) {
  const Experiment experiment = bundled(name);
  const Judge judge(experiment);
  std::int64_t set = 0, drawing = 0, judging = 0;
  for (auto _ : state) {
    const auto points = static_cast<std::int64_t>(judge.points().size());
    const auto judged = judge(static_cast<std::size_t>(set % points), set / points, {});
    drawing += judged->draw_ns.value_or(0);
    for (const CurveVerdict& curve : judged->curves) judging += curve.ns.value_or(0);
    ++set;
  }
  state.SetItemsProcessed(set);
  state.counters["draw_share"] =
      static_cast<double>(drawing) / static_cast<double>(drawing + judging);
}
BENCHMARK_CAPTURE(judge_sets, gcaps_fig8b, "gcaps-fig8b")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(judge_sets, dag_fig4, "dag-fig4")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(judge_sets, gang_fig8a, "gang-fig8a")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(judge_sets, gang_fig9, "gang-fig9")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(judge_sets, gang_fig10, "gang-fig10")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(judge_sets, pbs_fig4a, "pbs-fig4a")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(judge_sets, rtgpu_fig9, "rtgpu-fig9")->Unit(benchmark::kMicrosecond);

/// Transactions of 1,000 sets with 16 verdicts each.
void store_sets(benchmark::State& state) {
  constexpr std::int64_t kSets = 1000;
  const Experiment experiment = bundled("gcaps-fig8b");
  std::string folder = (std::filesystem::temp_directory_path() / "tactus-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return state.SkipWithError("no temporary folder");
  std::int64_t written = 0;
  {
    auto store = Store::open(folder, "bench", false);
    (*store)->put(experiment, "", INT64_MAX, {0});
    std::vector<JudgedSet> sets(kSets);
    for (auto _ : state) {
      for (JudgedSet& set : sets) {
        set.set = written++;
        set.curves.assign(16, {Status::kSchedulable, std::nullopt, 12'345});
      }
      (*store)->write(sets);
    }
  }
  state.SetItemsProcessed(written);
  state.counters["bytes_a_set"] =
      static_cast<double>(std::filesystem::file_size(folder + "/results.db")) /
      static_cast<double>(written);
  std::filesystem::remove_all(folder);
}
BENCHMARK(store_sets)->Name("store_1000_sets")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tactus::experiment
