#include <algorithm>

#include "tactus/methods/gcaps/locking.hpp"
#include "tactus/methods/gcaps/methods.hpp"
#include "tactus/methods/gcaps/plan.hpp"
#include "tactus/methods/terms.hpp"

/// FMLP+: the GPU is a lock with a FIFO queue (docs/use/methods/gcaps.md, "fmlp").
namespace tactus::gcaps {
namespace {

/// A task that uses the GPU, as the others see it.
struct User {
  std::size_t task, core;
  std::int64_t eta;
  Time period, jitter;  ///< of its jobs, where they are limited
  Time section, boost;  ///< the longest
  std::int64_t
      requests;  ///< req_x in every window, however short; `kUnlimited` where any number may come
};

class FmlpTest {
 public:
  void begin(const Inquiry& inquiry) {
    set_ = &inquiry.set;
    mode_ = inquiry.mode;
    paper_ = is_printed(inquiry.variant);
    terms_ = inquiry.options.terms;
    r_.restart(terms_);
    users_.clear();
    user_of_.resize(set_->tasks.size());
    for (std::size_t x : set_->gpu_users) {
      user_of_[x] = static_cast<std::uint32_t>(users_.size());
      users_.push_back(user(x));
    }
  }

  FixedPoint window_of(std::size_t i, std::span<const Time> responses) {
    const GpuTask& task = set_->tasks[i];
    r_.clear();
    if (task.ends_in_request && !paper_) r_.close_window();  // F10
    add_own_work(r_, task);
    for (std::size_t h : set_->hpp(i)) {
      add_locking_preemption(r_, mode_, set_->tasks[h], responses[h]);
    }
    prepare(i);
    const auto delay = [&](Time window) {
      Time sum = settled_;
      for_each_delay(window, [&](const Delay& one) { sum += one.count * one.each; });
      return sum;
    };
    return r_.solve(task.limit(), delay);
  }

  /// @pre of the window that was looked at last
  std::vector<Term> terms_of(std::size_t, Time found) {
    std::vector<Term> all = r_.terms(found);
    for_each_delay(r_.reach(found), [&](const Delay& one) {
      const Time amount = one.count * one.each;
      if (amount == Time()) return;
      all.push_back({.label = one.label,
                     .by = set_->tasks[one.task].index,
                     .amount = amount,
                     .jobs = one.count,
                     .each = one.each,
                     .how = one.how});
    });
    return readable_terms(std::move(all));
  }

 private:
  /// Who can be in the way, how often at most, and for how long each time.
  struct Rival {
    std::size_t task;
    RisingJobs jobs;
    std::int64_t eta, most;
    bool settled;  ///< `most`, however short the window is
    Time each;
    bool remote;

    /// Its requests in windows that only grow.
    std::int64_t requests(Time window) {
      if (settled) return most;
      if (jobs.rises(window)) jobs.rise(window);
      return std::min(most, checked::mul(eta, jobs.count()));
    }
  };

  User user(std::size_t x) const {
    const GpuTask& task = set_->tasks[x];
    const bool short_boost = mode_ == Mode::kSuspend && !paper_;
    const Time boost = short_boost ? task.longest_launch : task.longest_section;
    User user{x, task.core, task.eta(), {}, {}, task.longest_section, boost, kUnlimited};
    // Of a task without a period there may be any number of jobs.
    if (!task.period || (task.best_effort && !paper_)) return user;
    user.period = *task.period;
    user.jitter = paper_ ? user.period : task.deadline;
    user.requests = checked::mul(user.eta, jobs_in(Time::from_ns(1), user.period, user.jitter));
    return user;
  }

  static Rival rival(const User& x, std::int64_t most, Time each, bool remote) {
    return {x.task, RisingJobs(x.period, x.jitter), x.eta, most, x.requests >= most, each, remote};
  }

  /// Collects, once for task i, who can be before it in the queue, and who can be boosted over it.
  /// Whoever is in the way as often as possible in any window is summed up at once.
  void prepare(std::size_t i) {
    const std::size_t core = set_->tasks[i].core;
    eta_ = set_->tasks[i].eta();
    queue_.clear();
    boosts_.clear();
    remote_settled_ = 0;
    Time settled;  // once each
    for (const User& x : users_) {
      if (eta_ == 0) break;  // who asks for no lock waits for none
      if (x.task == i) continue;
      const bool local = x.core == core;
      if (local && paper_) continue;
      // In a FIFO queue each request of i waits for at most one of x. F6: local tasks queue too.
      if (terms_ || x.requests < eta_) {
        queue_.push_back(rival(x, eta_, x.section, !local));
      } else {
        settled += x.section;
        if (!local) remote_settled_ += eta_;
      }
    }
    settled_ = eta_ * settled;
    // As published, a task suspends only as often as it finds a remote request before it.
    const bool suspensions_settled = !paper_ || remote_settled_ >= eta_;
    for (std::size_t place : set_->lower_on_core(i)) {
      if (!set_->tasks[place].uses_gpu()) continue;
      const User& l = users_[user_of_[place]];
      if (terms_ || l.requests <= eta_ || !suspensions_settled) {
        boosts_.push_back(rival(l, 1 + eta_, l.boost, false));
      } else {
        settled_ += (1 + eta_) * l.boost;
      }
    }
  }

  /// Requests of one task in the way of another, each for so long.
  struct Delay {
    std::string_view label, how;
    std::size_t task;
    std::int64_t count;
    Time each;
  };

  /// Calls `visit(Delay)` for what waiting for the lock costs the task, save those that are settled.
  /// @pre windows only grow
  template <typename Visit>
  void for_each_delay(Time window, Visit visit) {
    std::int64_t remote = remote_settled_;
    for (Rival& x : queue_) {
      const std::int64_t ahead = x.requests(window);
      if (x.remote) remote += ahead;
      visit(Delay{"GPU lock", "requests ahead in the queue, each its longest section", x.task,
                  ahead, x.each});
    }
    const std::int64_t suspensions = paper_ ? std::min(eta_, remote) : eta_;
    for (Rival& l : boosts_) {
      visit(Delay{"boosted", "one per own request and one more, each its longest", l.task,
                  std::min(1 + suspensions, l.requests(window)), l.each});
    }
  }

  const TaskSet* set_ = nullptr;
  Mode mode_ = Mode::kSuspend;
  bool paper_ = false, terms_ = false;
  Recurrence r_;
  std::vector<User> users_;             ///< in the order of the set
  std::vector<std::uint32_t> user_of_;  ///< by task, where it uses the GPU
  // Of the task under analysis:
  std::int64_t eta_ = 0;
  std::vector<Rival> queue_;  ///< who can be before it; for terms all, else who is not settled
  Time settled_;              ///< the delay by those who are not listed there
  std::int64_t remote_settled_ = 0;  ///< and how many of their requests come from other cores
  std::vector<Rival> boosts_;        ///< the same of those who can be boosted over it
};

constexpr std::string_view kNeeds = "GPU segments under one lock with a FIFO queue (FMLP+)";

constexpr Protocol kFmlp = {kLockingAssumes,  kNeeds,    Part::kThirdRival,
                            kLockingMonotone, kVariants, kLockingOptions};

}  // namespace

const Method kFmlpSuspend = in_mode<kFmlpSuspend, Mode::kSuspend>(
    kFmlp, "fmlp.suspend", "GPU behind an FMLP+ lock, tasks suspend while the GPU works",
    "fifo-lock-suspend", kLocking<FmlpTest, Mode::kSuspend, Queue::kFifo>);
const Method kFmlpBusy = in_mode<kFmlpBusy, Mode::kBusy>(
    kFmlp, "fmlp.busy", "GPU behind an FMLP+ lock, tasks spin while the GPU works",
    "fifo-lock-busy", kLocking<FmlpTest, Mode::kBusy, Queue::kFifo>);

}  // namespace tactus::gcaps
