// A short GPU segment, N times, as the most urgent client of an arbiter that opens gates, and how long
// each took from its begin to its completion. Whoever else runs under the arbiter is taken off N times.
//
//     gate_pulse N WORK_US PAUSE_US [WAIT_S]     (the arbiter: $TACTUS_SOCKET, tactusd --protocol boost)
//
// First it measures how much work takes WORK_US, which is GPU work that no arbiter knows of; then it waits
// WAIT_S seconds (0), so that others can do the same without being in the way.

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tactus/arbiter/tiers/gpu_work.hpp"
#include "tactus/client.h"
#include "tactus/host/clock.hpp"

namespace {

using tactus::arbiter::tiers::GpuWork;

int fail(const char* why) { return std::fprintf(stderr, "gate_pulse: %s\n", why), 3; }

void print(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::printf(
      "begin to completion: n %zu, min %.1f, p50 %.1f, p90 %.1f, p99 %.1f, p99.9 %.1f, max %.1f "
      "us\n",
      times.size(), at(0), at(0.5), at(0.9), at(0.99), at(0.999), at(1));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5)
    return std::fprintf(stderr, "usage: gate_pulse N WORK_US PAUSE_US [WAIT_S]\n"), 2;
  const long count = std::atol(argv[1]), work_us = std::atol(argv[2]),
             pause_us = std::atol(argv[3]);
  auto work = GpuWork::open(0, tactus::arbiter::tiers::Waiting::kSuspend);
  if (!work) return fail(work.error().message.c_str());
  if (const auto problem = (*work)->calibrate(tactus::Time::from_us(20)))
    return fail(problem->message.c_str());
  const auto items = (*work)->items_for(tactus::Time::from_us(work_us));
  const long wait_s = argc == 5 ? std::atol(argv[4]) : 0;
  tactus::host::sleep_until_ns(tactus::host::now_ns() + wait_s * 1'000'000'000);
  std::vector<double> times;
  long shared = 0, wrong = 0;
  for (long i = 0; i < count; ++i) {
    const std::int64_t begin = tactus::host::now_ns();
    if (tactus_segment_begin_stream((*work)->stream(), 1000, TACTUS_OWN_PRIORITY) != TACTUS_RUNNING)
      return fail(tactus_problem());
    if (const auto problem = (*work)->start(items)) return fail(problem->message.c_str());
    const int result = tactus_segment_end();
    times.push_back(static_cast<double>(tactus::host::now_ns() - begin) / 1e3);
    if (result == TACTUS_SHARED) ++shared;
    if (result < 0 || result == TACTUS_UNARBITRATED) return fail(tactus_problem());
    if (i % 100 == 0) {
      const auto right = (*work)->correct();
      wrong += right && *right ? 0 : 1;
    }
    tactus::host::sleep_until_ns(tactus::host::now_ns() + pause_us * 1000);
  }
  print(std::move(times));
  std::printf("shared %ld, wrong results %ld, gates forced %lu\n", shared, wrong,
              tactus_gates_forced());
  return wrong > 0 ? 1 : 0;
}
