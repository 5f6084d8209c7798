#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>

namespace tactus::arbiter::daemon {

/// How many lines somebody may still cause: a burst, and so many a second after it.
class LogAllowance {
 public:
  LogAllowance(double burst, double a_second) : burst_(burst), a_second_(a_second), lines_(burst) {}

  /// May there be one more?
  bool take(std::int64_t now_ns);
  /// One was written all the same.
  void owe_line() { lines_ -= 1; }
  /// Has everything that was taken been given again? Then it can be forgotten.
  bool refilled(std::int64_t now_ns) const { return lines_at(now_ns) >= burst_; }
  std::uint64_t dropped = 0;

 private:
  double lines_at(std::int64_t now_ns) const;

  double burst_, a_second_, lines_;
  std::int64_t since_ns_ = 0;
};

/// Who may still write how much into the log: each user, however many connections they make one
/// after the other, and all users together.
class LogAllowances {
 public:
  static constexpr double kUserBurst = 10'000, kUserASecond = 1000;
  static constexpr double kAllBurst = 40'000, kAllASecond = 4000;
  /// Those who were never let in count as one user.
  static constexpr uid_t kStrangers = static_cast<uid_t>(-1);

  /// May `user` cause one more line? @param missing how many were dropped before it
  bool take(uid_t user, std::int64_t now_ns, std::uint64_t& missing);
  /// Forgets users whose allowance is whole again.
  void forget_the_quiet(std::int64_t now_ns);
  /// How many lines of all users were dropped and not yet told.
  std::uint64_t take_dropped();

 private:
  std::map<uid_t, LogAllowance> users_;
  LogAllowance all_{kAllBurst, kAllASecond};
};

}  // namespace tactus::arbiter::daemon
