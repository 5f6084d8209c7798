#pragma once

#include <benchmark/benchmark.h>

#include <vector>

#include "tactus/methods/method.hpp"

namespace tactus {

/// Analyses one system after the other, again and again. How many are schedulable is shown, because
/// a set that fails may take another way through an analysis than one that passes.
inline void analyse_in_turn(benchmark::State& state, const Method& method,
                            const std::vector<System>& all, const char* variant) {
  Options options;
  options.variant = variant;
  std::size_t next = 0, passed = 0;
  for (auto _ : state) {
    const Verdict verdict = analyze(method, all[next], options);
    passed += verdict.status == Status::kSchedulable ? 1 : 0;
    next = (next + 1) % all.size();
  }
  state.counters["schedulable"] =
      benchmark::Counter(static_cast<double>(passed), benchmark::Counter::kAvgIterations);
}

}  // namespace tactus
