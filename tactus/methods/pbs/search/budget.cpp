#include "tactus/methods/pbs/search/budget.hpp"

#include <fmt/core.h>

#include "tactus/base/words.hpp"

namespace tactus::pbs {

std::string_view to_string(Stop stop) {
  static constexpr auto kWords = words_up_to<Stop::kLostRace>(
      "", "time limit", "memory limit", "state limit", "interrupted", "another thread was faster");
  return word_of(stop, kWords);
}

void Budget::look_around(const Counters& counters, std::size_t depth) {
  if (stop.stop_requested()) reason_ = Stop::kInterrupted;
  if (lost_race != nullptr && lost_race->load(std::memory_order_relaxed)) {
    reason_ = Stop::kLostRace;
  }
  const std::int64_t now = host::now_ns();
  const std::int64_t elapsed = (now - start_ns) / 1'000'000;  // ms
  if (elapsed > time_ms) reason_ = Stop::kTime;
  constexpr std::int64_t kTellEveryNs = 200'000'000;
  if (!progress || now - told_ns_ < kTellEveryNs) return;
  told_ns_ = now;
  const std::int64_t done = counters.states + counters.relaxed_states;
  progress(fmt::format("{} states, {} states/s, depth {}", done,
                       done * 1000 / std::max<std::int64_t>(elapsed, 1), depth));
}

}  // namespace tactus::pbs
