// Takes the GPU and gives it back, N times, as the most urgent client of the arbiter, and says how
// long it took to have it alone. Whoever else runs under the arbiter is preempted N times.
//
//     pulse N HOLD_US PAUSE_US          (the arbiter: $TACTUS_SOCKET)

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "tactus/client.h"

namespace {

double now_us() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void sleep_us(long us) {
  const timespec pause{us / 1'000'000, us % 1'000'000 * 1000};
  nanosleep(&pause, nullptr);
}

void print(const char* what, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::printf("%s: n %zu, min %.1f, p50 %.1f, p90 %.1f, p99 %.1f, p99.9 %.1f, max %.1f us\n", what,
              times.size(), at(0), at(0.5), at(0.9), at(0.99), at(0.999), at(1));
  // Figs. 12 and 13 of the paper are histograms; the same, in steps of 100 us.
  std::vector<int> bins(31);
  for (const double time : times)
    ++bins[std::min<std::size_t>(30, static_cast<std::size_t>(time / 100))];
  for (std::size_t bin = 0; bin < bins.size(); ++bin)
    if (bins[bin] > 0)
      std::printf("  %5zu%s us %6d\n", bin * 100, bin == 30 ? "+" : " ", bins[bin]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return std::fprintf(stderr, "usage: pulse N HOLD_US PAUSE_US\n"), 2;
  const long count = std::atol(argv[1]), hold = std::atol(argv[2]), pause = std::atol(argv[3]);
  std::vector<double> begins, ends;
  for (long i = 0; i < count; ++i) {
    const double asked = now_us();
    if (tactus_segment_begin(1000) != TACTUS_RUNNING)
      return std::fprintf(stderr, "pulse: the GPU is not available\n"), 3;
    begins.push_back(now_us() - asked);
    sleep_us(hold);
    const double leaving = now_us();
    tactus_segment_end();
    ends.push_back(now_us() - leaving);
    sleep_us(pause);
  }
  print("begin to exclusive", begins);
  print("end", ends);
  return 0;
}
