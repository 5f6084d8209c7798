#include "tactus/runtime/gpu/switches.hpp"

#include <algorithm>

namespace tactus::runtime::gpu {
namespace {

/// The runs between holes; the first and the last are cut off, and left out.
std::vector<Hole> runs_between(const std::vector<Hole>& holes) {
  std::vector<Hole> runs;
  for (std::size_t i = 1; i < holes.size(); ++i) {
    runs.emplace_back(holes[i - 1].second, holes[i].first);
  }
  return runs;
}

}  // namespace

SwitchTimes switch_times(const std::vector<Hole>& a, const std::vector<Hole>& b) {
  SwitchTimes times;
  struct Run {
    Hole when;
    bool first;
  };
  std::vector<Run> all;
  for (const Hole& run : runs_between(a)) all.push_back({run, true});
  for (const Hole& run : runs_between(b)) all.push_back({run, false});
  std::sort(all.begin(), all.end(), [](const Run& x, const Run& y) { return x.when < y.when; });
  for (std::size_t i = 0; i < all.size(); ++i) {
    times.slices.push_back(static_cast<double>(all[i].when.second - all[i].when.first));
    if (i == 0 || all[i].first == all[i - 1].first) continue;
    const std::int64_t idle = all[i].when.first - all[i - 1].when.second;
    if (idle >= 0) times.switches.push_back(static_cast<double>(idle));
  }
  return times;
}

}  // namespace tactus::runtime::gpu
