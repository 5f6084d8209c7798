// Speed of the rtgpu family: the search for SMs on small and large systems, and all methods on the
// task sets of the paper's Figures 8 to 11.
#include <benchmark/benchmark.h>

#include <string>

#include "bench/analyse.hpp"
#include "tactus/generate/rtgpu_table1.hpp"
#include "tactus/methods/rtgpu/rtgpu_methods.hpp"

namespace tactus {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

System one_set(const Given& given, std::uint64_t index) {
  return *generate(rtgpu::kTable1, Settings(rtgpu::kTable1.parameters, given), 1, index);
}

/// A set that fails stops early, but then looks for what would help.
void analyse(benchmark::State& state, const Method* method, const char* variant, Given given,
             std::uint64_t count) {
  std::vector<System> all;
  for (std::uint64_t index = 0; index < count; ++index) all.push_back(one_set(given, index));
  analyse_in_turn(state, *method, all, variant);
}

const Given kOneCopy = {{"copies", "1"}, {"utilization", "0.8"}};
const Given kTwoCopies = {{"copies", "2"}, {"utilization", "0.8"}};
const Given k20x132 = {{"copies", "1"}, {"utilization", "0.6"}, {"tasks", "20"}, {"sms", "132"}};
const Given k20x132Two = {{"copies", "2"}, {"utilization", "0.6"}, {"tasks", "20"}, {"sms", "132"}};
const Given k200x1024 = {
    {"copies", "1"}, {"utilization", "0.6"}, {"tasks", "200"}, {"sms", "1024"}};
const Given k200x1024Two = {
    {"copies", "2"}, {"utilization", "0.6"}, {"tasks", "200"}, {"sms", "1024"}};

void register_all() {
  const auto add = [](const std::string& name, const Method& method, const char* variant,
                      const Given& given, std::uint64_t count, benchmark::TimeUnit unit) {
    benchmark::RegisterBenchmark((name + "/" + std::string(method.id) + "/" + variant).c_str(),
                                 [=, chosen = &method](benchmark::State& state) {
                                   analyse(state, chosen, variant, given, count);
                                 })
        ->Unit(unit);
  };
  for (const char* variant : {"safe", "tight"}) {
    add("5x10/one_copy", rtgpu::kRtgpu, variant, kOneCopy, 100, benchmark::kMicrosecond);
    add("5x10/two_copies", rtgpu::kRtgpu, variant, kTwoCopies, 100, benchmark::kMicrosecond);
  }
  add("5x10/one_copy", rtgpu::kRtgpuGreedy, "safe", kOneCopy, 100, benchmark::kMicrosecond);
  for (const Method* method : {&rtgpu::kSelfSuspension, &rtgpu::kStgm}) {
    add("5x10/one_copy", *method, "safe", kOneCopy, 100, benchmark::kMicrosecond);
  }
  for (const char* variant : {"safe", "tight"}) {
    add("20x132/one_copy", rtgpu::kRtgpu, variant, k20x132, 20, benchmark::kMicrosecond);
    add("20x132/two_copies", rtgpu::kRtgpu, variant, k20x132Two, 20, benchmark::kMicrosecond);
    add("200x1024/one_copy", rtgpu::kRtgpu, variant, k200x1024, 3, benchmark::kMillisecond);
    add("200x1024/two_copies", rtgpu::kRtgpu, variant, k200x1024Two, 3, benchmark::kMillisecond);
  }
}

/// Every point of Figs. 8 to 11 with 100 sets each: 24 curves, U = 0.2 .. 2.6, seven analyses.
void figures_8_to_11(benchmark::State& state) {
  std::vector<Given> curves;
  for (const char* copies : {"1", "2"}) {
    for (const char* ratio : {"0.5", "2", "8"}) curves.push_back({{"ratio", ratio}});
    for (const char* subtasks : {"3", "5", "7"}) curves.push_back({{"subtasks", subtasks}});
    for (const char* tasks : {"3", "5", "7"}) curves.push_back({{"tasks", tasks}});
    for (const char* sms : {"5", "8", "10"}) curves.push_back({{"sms", sms}});
    for (Given& curve : curves) curve.emplace("copies", copies);  // keeps the first it was given
  }
  struct Run {
    const Method* method;
    const char* variant;
  };
  constexpr Run kRuns[] = {{&rtgpu::kRtgpu, "safe"},
                           {&rtgpu::kRtgpu, "tight"},
                           {&rtgpu::kRtgpuGreedy, "safe"},
                           {&rtgpu::kSelfSuspension, "safe"},
                           {&rtgpu::kSelfSuspension, "paper"},
                           {&rtgpu::kStgm, "safe"},
                           {&rtgpu::kStgm, "paper"}};
  double analyses = 0, undecided = 0;
  for (auto _ : state) {
    for (Given given : curves) {
      for (int tenths = 2; tenths <= 26; tenths += 2) {
        given["utilization"] = std::to_string(tenths / 10.0);
        for (std::uint64_t index = 0; index < 100; ++index) {
          const System system = one_set(given, index);
          for (const Run& run : kRuns) {
            Options options;
            options.variant = run.variant;
            undecided += analyze(*run.method, system, options).status == Status::kUndecided;
            ++analyses;
          }
        }
      }
    }
  }
  state.counters["analyses"] = analyses;
  state.counters["undecided"] = undecided;
}
BENCHMARK(figures_8_to_11)->Unit(benchmark::kSecond)->Iterations(1);

const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace tactus
