#pragma once

#include <cstdint>

namespace tactus::arbiter {

/// How urgent a segment is. Best effort is below every priority. (This is preloaded, too.)
struct Urgency {
  bool best_effort = true;
  std::int32_t priority = 0;  ///< larger = more urgent; 0 where best effort
  std::int32_t share = 0;     ///< of best effort: percent of its time that is promised
  /// All shares together; the rest is left to who has none.
  static constexpr std::int32_t kMostShare = 95;

  static Urgency real_time(std::int32_t priority) { return {false, priority}; }
  /// Strictly more urgent. Best-effort work is never above other best-effort work.
  bool above(const Urgency& other) const {
    if (best_effort || other.best_effort) return !best_effort && other.best_effort;
    return priority > other.priority;
  }
  friend bool operator==(const Urgency&, const Urgency&) = default;
};

}  // namespace tactus::arbiter
