#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tests/model/big_system.hpp"

/// Reading and writing system files of a million nodes. Issue target: read and checked in under 2 s
/// and under 1 GB. Run one benchmark a process (--benchmark_filter) for its own peak of memory.
namespace tactus {
namespace {

double peak_megabytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

BigSystem shape_of(const benchmark::State& state) {
  return {1'000'000, state.range(0) != 0, state.range(1) != 0};
}

void read_big(benchmark::State& state) {
  const std::string text = big_system_text(shape_of(state));
  for (auto _ : state) {
    const ReadResult result = read_system(text);
    if (!result.system || !result.diagnostics.empty()) state.SkipWithError("not accepted");
    benchmark::DoNotOptimize(result);
  }
  state.counters["file_MB"] = static_cast<double>(text.size()) / 1e6;
  state.counters["peak_MB"] = peak_megabytes();
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}

void write_big(benchmark::State& state) {
  const auto system = read_system(big_system_text(shape_of(state))).system;
  for (auto _ : state) benchmark::DoNotOptimize(write_system(*system));
}

BENCHMARK(read_big)
    ->ArgNames({"edges", "pretty"})
    ->ArgsProduct({{0, 1}, {0, 1}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(write_big)->ArgNames({"edges", "pretty"})->Args({1, 0})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tactus
