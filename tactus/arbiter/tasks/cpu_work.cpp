#include "tactus/arbiter/tasks/cpu_work.hpp"

#include <algorithm>
#include <thread>

#include "tactus/arbiter/tier.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/threads.hpp"

namespace tactus::arbiter::tasks {
namespace {

/// Steps a nanosecond, here and now.
double best_speed() {
  constexpr std::uint64_t kSteps = 2'000'000;
  double best = 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const std::int64_t start = host::now_ns();
    cpu_work(kSteps);
    const std::int64_t took = std::max<std::int64_t>(1, host::now_ns() - start);
    best = std::max(best, static_cast<double>(kSteps) / static_cast<double>(took));
  }
  return best;
}

}  // namespace

void cpu_work(std::uint64_t steps) {
  std::uint64_t state = steps;
  for (std::uint64_t i = 0; i < steps; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(state));  // each step depends on the one before, and none is dropped
  }
}

double calibrate_cpu_work(const std::vector<int>& cpus) {
  if (cpus.empty()) return best_speed();
  std::vector<double> speeds(cpus.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    threads.emplace_back([&, i] {
      host::pin_to(cpus[i]);
      speeds[i] = best_speed();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return *std::min_element(speeds.begin(), speeds.end());
}

}  // namespace tactus::arbiter::tasks
