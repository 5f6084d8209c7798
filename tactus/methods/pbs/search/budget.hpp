#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

#include "tactus/host/clock.hpp"

namespace tactus::pbs {

/// Why a search ended without an answer.
enum class Stop { kNone, kTime, kMemory, kStates, kInterrupted, kLostRace };

std::string_view to_string(Stop stop);

/// What a search has done so far.
struct Counters {
  std::int64_t states = 0;          ///< expanded by the work-conserving search
  std::int64_t relaxed_states = 0;  ///< expanded by the relaxation
  std::int64_t batches = 0;         ///< tested against deadlines
  std::int64_t records = 0;         ///< stored
  std::int64_t record_bytes = 0;    ///< of the table of records and the intervals
};

/// The limits of one search. Asking is cheap: the clock is read every few hundred questions. A search
/// can also pause, to try something else, and go on later with what it has learned.
class Budget {
 public:
  std::int64_t time_ms = INT64_MAX;
  std::int64_t memory = INT64_MAX;  ///< bytes
  std::int64_t states = INT64_MAX;  ///< of both searches together
  std::stop_token stop;
  const std::atomic<bool>* lost_race = nullptr;  ///< another search has answered
  std::function<void(std::string_view)> progress;
  std::int64_t start_ns = host::now_ns();

  /// Whether to give up (once yes, always yes) or to pause. `bytes` is the memory in use now.
  bool spent(const Counters& counters, std::int64_t bytes, std::size_t depth) {
    if (reason_ != Stop::kNone) return true;
    if (bytes > memory) reason_ = Stop::kMemory;
    if (counters.states + counters.relaxed_states > states) reason_ = Stop::kStates;
    if (++asked_ % kClockEvery == 0) look_around(counters, depth);
    return reason_ != Stop::kNone || steps(counters) >= pause_at_;
  }
  Stop reason() const { return reason_; }
  /// What work is counted in: batches that are tested, and states, which cost more.
  static std::int64_t steps(const Counters& counters) {
    return counters.batches + 16 * (counters.states + counters.relaxed_states);
  }
  /// Pauses after so many steps from now on.
  void pause_after(const Counters& counters, std::int64_t most) {
    const std::int64_t done = steps(counters);
    pause_at_ = most > INT64_MAX - done ? INT64_MAX : done + most;
  }

 private:
  static constexpr std::uint64_t kClockEvery = 256;
  void look_around(const Counters& counters, std::size_t depth);

  Stop reason_ = Stop::kNone;
  std::int64_t pause_at_ = INT64_MAX;
  std::uint64_t asked_ = 0;
  std::int64_t told_ns_ = start_ns;
};

}  // namespace tactus::pbs
