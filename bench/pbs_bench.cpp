#include <benchmark/benchmark.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "tactus/generate/pbs_slowdown.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/pbs/pbs_methods.hpp"
#include "tactus/methods/pbs/search/race.hpp"

/// The targets of pbs.graph: how long sets of the mixed slowdown class take, from the system to the
/// table, on one core. A run is one pass over all sets of a size; the counters tell the
/// distribution over the sets, in CPU time of the thread, so that a busy machine does not blur it.
namespace tactus::pbs {
namespace {

std::vector<System> sets(std::int64_t n, double u, int count, const char* lo, const char* hi,
                         const char* model, std::uint64_t seed) {
  std::vector<System> systems;
  for (int i = 0; i < count; ++i) {
    const tactus::Settings settings(kSlowdown.parameters, {{"n", std::to_string(n)},
                                                           {"u", std::to_string(u)},
                                                           {"lo", lo},
                                                           {"hi", hi},
                                                           {"model", model}});
    auto system = generate(kSlowdown, settings, seed, static_cast<std::uint64_t>(i));
    if (!system) throw std::runtime_error(system.error().message);
    systems.push_back(std::move(*system));
  }
  return systems;
}

double cpu_ms() { return static_cast<double>(host::thread_ns()) / 1e6; }

double at_share(const std::vector<double>& sorted, double share) {
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

/// n tasks, U from 0.4 to `most_u` (in tenths) in steps of 0.2, `count` sets each.
void decide(benchmark::State& state) {
  const std::int64_t n = state.range(0), most_u = state.range(1);
  const int count = static_cast<int>(state.range(2));
  constexpr double kDecidedWithinMs = 10'000;
  constexpr std::int64_t kWallLimitMs = 60'000;
  std::vector<double> ms, searched_ms;
  double bytes = 0, records = 0, states = 0, long_ms = 0, long_batches = 0;
  double undecided = 0;
  for (auto _ : state) {
    for (std::int64_t tenths = 4; tenths <= most_u; tenths += 2) {
      for (const System& system : sets(n, static_cast<double>(tenths) / 10, count, "1.1", "1.9",
                                       "slowdown", static_cast<std::uint64_t>(tenths))) {
        const double start = cpu_ms();
        const auto set = std::get<TaskSet>(make_task_set(system));
        Budget budget;
        budget.time_ms = kWallLimitMs;
        const SearchResult result = race(set, Oracle(set), false, {}, budget, 1);
        const double took = cpu_ms() - start;
        ms.push_back(took);
        if (result.proof != Proof::kProbe) searched_ms.push_back(took);
        const bool decided = result.answer != Answer::kStopped && took <= kDecidedWithinMs;
        undecided += decided ? 0 : 1;
        const auto expanded = result.counters.states + result.counters.relaxed_states;
        states += static_cast<double>(expanded);
        if (expanded < 20'000) continue;
        long_ms += took;
        long_batches += static_cast<double>(result.counters.batches);
        records += static_cast<double>(result.counters.records);
        bytes += static_cast<double>(result.counters.record_bytes);
      }
    }
  }
  std::sort(ms.begin(), ms.end());
  std::sort(searched_ms.begin(), searched_ms.end());
  state.counters["searched"] = static_cast<double>(searched_ms.size());
  if (!searched_ms.empty()) state.counters["median_searched_ms"] = at_share(searched_ms, 0.5);
  state.counters["sets"] = static_cast<double>(ms.size());
  state.counters["median_ms"] = at_share(ms, 0.5);
  state.counters["p95_ms"] = at_share(ms, 0.95);
  state.counters["worst_ms"] = ms.back();
  state.counters["undecided"] = undecided;
  state.counters["states_a_set"] = states / static_cast<double>(ms.size());
  if (long_ms > 0) {
    state.counters["batches_a_second"] = long_batches / long_ms * 1000;
    state.counters["bytes_a_state"] = bytes / records;
  }
}
BENCHMARK(decide)
    ->ArgNames({"tasks", "most_u_tenths", "sets_a_point"})
    ->Args({5, 16, 60})
    ->Args({8, 16, 60})
    ->Args({12, 16, 60})
    ->Args({15, 16, 40})
    ->Args({20, 16, 30})
    ->Args({30, 14, 20})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

/// Fig. 4 of the paper: three panels, U = 0.2 to 2.0, 50 sets a point, three methods.
void figure_4(benchmark::State& state) {
  constexpr std::pair<const char*, const char*> kPanels[] = {
      {"1", "1.4"}, {"1.7", "1.9"}, {"1.1", "1.9"}};
  double accepted[3] = {0, 0, 0};
  for (auto _ : state) {
    for (const auto& [lo, hi] : kPanels) {
      for (int tenths = 2; tenths <= 20; tenths += 2) {
        for (const System& system :
             sets(5, tenths / 10.0, 50, lo, hi, "table", static_cast<std::uint64_t>(tenths))) {
          const Method* methods[] = {&kGraph, &kEdfSerial, &kEdfParallel};
          for (int m = 0; m < 3; ++m) {
            accepted[m] += analyze(*methods[m], system).status == Status::kSchedulable ? 1 : 0;
          }
        }
      }
    }
  }
  state.counters["graph"] = accepted[0];
  state.counters["serial"] = accepted[1];
  state.counters["parallel"] = accepted[2];
}
BENCHMARK(figure_4)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace tactus::pbs

BENCHMARK_MAIN();
