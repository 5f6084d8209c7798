#include "tactus/methods/gcaps/fast/fmlp.hpp"

#include <algorithm>

namespace tactus::gcaps {

void FastFmlp::begin(const Inquiry& inquiry) {
  set_ = &inquiry.set;
  reading_ = {is_printed(inquiry.variant), inquiry.mode};
  r_.restart(/*for_terms=*/false);
  users_.clear();
  user_of_.resize(set_->tasks.size());
  for (std::size_t x : set_->gpu_users) {
    user_of_[x] = static_cast<std::uint32_t>(users_.size());
    users_.push_back(user(x));
  }
}

FixedPoint FastFmlp::window_of(std::size_t i, std::span<const Time> responses) {
  const GpuTask& task = set_->tasks[i];
  r_.clear();
  if (reading_.closes_window(task)) r_.close_window();
  add_own_work(r_, task);
  for (std::size_t h : set_->hpp(i)) {
    add_locking_preemption(r_, reading_.mode, set_->tasks[h], responses[h]);
  }
  prepare(i);
  return r_.solve(task.limit(), [&](Time window) { return delay(window); });
}

FastFmlp::User FastFmlp::user(std::size_t x) const {
  const GpuTask& task = set_->tasks[x];
  User user{x, task.core, task.eta(), {}, {}, task.longest_section, reading_.boost(task), 0};
  user.requests = reading_.requests(task, Time::from_ns(1));
  if (user.requests == kUnlimited) return user;
  user.period = *task.period;
  user.jitter = reading_.jitter(task);
  return user;
}

/// Collects, once for task i, who can be before it in the queue, and who can be boosted over it.
/// Whoever is in the way as often as possible in any window is summed up at once.
void FastFmlp::prepare(std::size_t i) {
  const std::size_t core = set_->tasks[i].core;
  eta_ = set_->tasks[i].eta();
  queue_.clear();
  boosts_.clear();
  remote_settled_ = 0;
  Time settled;  // once each
  for (const User& x : users_) {
    if (eta_ == 0) break;  // who asks for no lock waits for none
    const bool local = x.core == core;
    if (x.task == i || !reading_.queue_counts(local)) continue;
    if (x.requests < eta_) {
      queue_.push_back(rival(x, eta_, x.section, !local));
    } else {
      settled += x.section;
      if (!local) remote_settled_ += eta_;
    }
  }
  settled_ = eta_ * settled;
  const bool suspensions_settled = reading_.suspensions(eta_, remote_settled_) == eta_;
  for (std::size_t place : set_->lower_on_core(i)) {
    if (!set_->tasks[place].uses_gpu()) continue;
    const User& l = users_[user_of_[place]];
    if (l.requests <= eta_ || !suspensions_settled) {
      boosts_.push_back(rival(l, 1 + eta_, l.boost, false));
    } else {
      settled_ += (1 + eta_) * l.boost;
    }
  }
}

/// What waiting for the lock costs. @pre windows only grow
Time FastFmlp::delay(Time window) {
  Time sum = settled_;
  std::int64_t remote = remote_settled_;
  for (Rival& x : queue_) {
    const std::int64_t ahead = x.requests(window);
    if (x.remote) remote += ahead;
    sum += ahead * x.each;
  }
  const std::int64_t most = 1 + reading_.suspensions(eta_, remote);
  for (Rival& l : boosts_) sum += std::min(most, l.requests(window)) * l.each;
  return sum;
}

}  // namespace tactus::gcaps
