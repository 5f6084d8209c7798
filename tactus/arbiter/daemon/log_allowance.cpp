#include "tactus/arbiter/daemon/log_allowance.hpp"

#include <algorithm>
#include <utility>

namespace tactus::arbiter::daemon {

double LogAllowance::lines_at(std::int64_t now) const {
  if (since_ns_ == 0) return lines_;
  return std::min(burst_, lines_ + static_cast<double>(now - since_ns_) * a_second_ / 1e9);
}

bool LogAllowance::take(std::int64_t now) {
  lines_ = lines_at(now);
  since_ns_ = now;
  if (lines_ < 1) {
    ++dropped;
    return false;
  }
  lines_ -= 1;
  return true;
}

bool LogAllowances::take(uid_t user, std::int64_t now, std::uint64_t& missing) {
  LogAllowance& own = users_.try_emplace(user, kUserBurst, kUserASecond).first->second;
  // The user first: who has used up their own takes nothing from the others.
  if (!own.take(now)) return false;
  if (!all_.take(now)) {
    ++own.dropped;
    return false;
  }
  missing = std::exchange(own.dropped, 0);
  if (missing > 0) {
    own.owe_line();
    all_.owe_line();
  }
  return true;
}

void LogAllowances::forget_the_quiet(std::int64_t now) {
  std::erase_if(users_, [&](const auto& user) {
    return user.second.dropped == 0 && user.second.refilled(now);
  });
}

std::uint64_t LogAllowances::take_dropped() {
  std::uint64_t sum = 0;
  for (auto& [user, own] : users_) sum += std::exchange(own.dropped, 0);
  return sum;
}

}  // namespace tactus::arbiter::daemon
