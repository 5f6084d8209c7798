#include "tactus/methods/pbs/search/budget.hpp"

#include <fmt/core.h>

#include "tactus/model/words.hpp"

namespace tactus::pbs {

std::string_view to_string(Stop stop) {
  static constexpr auto kWords = words_up_to<Stop::kLostRace>(
      "", "time limit", "memory limit", "state limit", "interrupted", "another thread was faster");
  return word_of(stop, kWords);
}

void Budget::look_around(const Counters& counters, std::size_t depth) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  if (stop.stop_requested()) reason_ = Stop::kInterrupted;
  if (lost_race != nullptr && lost_race->load(std::memory_order_relaxed)) {
    reason_ = Stop::kLostRace;
  }
  const auto now = Clock::now();
  const auto elapsed = duration_cast<milliseconds>(now - start).count();
  if (elapsed > time_ms) reason_ = Stop::kTime;
  constexpr auto kTellEvery = milliseconds(200);
  if (!progress || now - told_ < kTellEvery) return;
  told_ = now;
  const std::int64_t done = counters.states + counters.relaxed_states;
  progress(fmt::format("{} states, {} states/s, depth {}", done,
                       done * 1000 / std::max<std::int64_t>(elapsed, 1), depth));
}

}  // namespace tactus::pbs
