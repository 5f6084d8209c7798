#include <algorithm>

#include "tactus/methods/gcaps/locking.hpp"
#include "tactus/methods/gcaps/methods.hpp"
#include "tactus/methods/gcaps/plan.hpp"
#include "tactus/methods/terms.hpp"

/// FMLP+: the GPU is a lock with a FIFO queue (docs/use/methods/gcaps.md, "fmlp").
namespace tactus::gcaps {
namespace {

/// req_x: requests of x in windows that only grow, counted up to `most`.
class Requests {
 public:
  Requests(const GpuTask& x, std::int64_t most, bool paper)
      : jobs_(x.period.value_or(Time()), paper ? x.period.value_or(Time()) : x.deadline),
        eta_(x.eta()),
        most_(most),
        // One job is always in the window; of a task without a period there may be any number.
        settled_(!x.period || (x.best_effort && !paper) || eta_ >= most) {}

  /// Are there `most`, however short the window is?
  bool settled() const { return settled_; }
  std::int64_t in(Time window) {
    if (settled_) return most_;
    if (jobs_.rises(window)) jobs_.rise(window);
    return std::min(most_, checked::mul(eta_, jobs_.count()));
  }

 private:
  RisingJobs jobs_;
  std::int64_t eta_, most_;
  bool settled_;
};

class FmlpTest {
 public:
  explicit FmlpTest(const Inquiry& inquiry)
      : set_(inquiry.set),
        mode_(inquiry.mode),
        paper_(inquiry.variant == Variant::kPaper),
        terms_(inquiry.options.terms),
        r_(terms_) {
    longest_section_.reserve(set_.tasks.size());
    longest_boost_.reserve(set_.tasks.size());
    for (const GpuTask& task : set_.tasks) {
      Time section, boost;
      for (const Segment& segment : task.segments) {
        section = std::max(section, segment.length());
        boost = std::max(boost, boosted_length(mode_, segment));
      }
      longest_section_.push_back(section);
      longest_boost_.push_back(boost);
    }
  }

  TaskBound bound_of(std::size_t i, std::span<const Time> responses) {
    const GpuTask& task = set_.tasks[i];
    r_.clear();
    if (task.ends_in_request && !paper_) r_.close_window();  // F10
    add_own_work(r_, task);
    for (std::size_t h : set_.hpp(i)) {
      add_locking_preemption(r_, mode_, set_.tasks[h], responses[h]);
    }
    prepare(i);
    const auto delay = [&](Time window) {
      Time sum = settled_;
      for_each_delay(window, [&](std::string_view, std::size_t, Time amount) { sum += amount; });
      return sum;
    };
    TaskBound bound{r_.solve(task.deadline, delay), {}};
    if (terms_) bound.terms = terms(bound.response.window);
    return bound;
  }

 private:
  /// Who can be in the way, and for how long each time.
  struct Rival {
    std::size_t task;
    Requests requests;
    Time each;
    bool remote;
  };

  /// Collects, once for task i, who can be before it in the queue, and who can be boosted over it.
  void prepare(std::size_t i) {
    eta_ = set_.tasks[i].eta();
    queue_.clear();
    boosts_.clear();
    settled_ = Time();
    remote_settled_ = 0;
    for (std::size_t x : set_.gpu_users) {
      if (eta_ == 0) break;  // who asks for no lock waits for none
      if (x == i) continue;
      const bool local = set_.same_core(x, i);
      if (local && paper_) continue;
      // In a FIFO queue each request of i waits for at most one of x. F6: local tasks queue too.
      const Requests ahead(set_.tasks[x], eta_, paper_);
      if (terms_ || !ahead.settled()) {
        queue_.push_back({x, ahead, longest_section_[x], !local});
      } else {
        settled_ += eta_ * longest_section_[x];
        if (!local) remote_settled_ += eta_;
      }
    }
    for (std::size_t l : set_.lower_on_core(i)) {
      if (!set_.tasks[l].uses_gpu()) continue;
      boosts_.push_back({l, Requests(set_.tasks[l], 1 + eta_, paper_),
                         paper_ ? longest_section_[l] : longest_boost_[l], false});
    }
  }

  /// Calls `visit(label, x, amount)` for what waiting for the lock costs the task, save those that
  /// are settled. @pre windows only grow
  template <typename Visit>
  void for_each_delay(Time window, Visit visit) {
    std::int64_t remote = remote_settled_;
    for (Rival& x : queue_) {
      const std::int64_t ahead = x.requests.in(window);
      if (x.remote) remote += ahead;
      visit("GPU lock", x.task, ahead * x.each);
    }
    const std::int64_t suspensions = paper_ ? std::min(eta_, remote) : eta_;
    for (Rival& l : boosts_) {
      visit("boosted", l.task, std::min(1 + suspensions, l.requests.in(window)) * l.each);
    }
  }

  /// @pre of the window that was looked at last
  std::vector<Term> terms(Time found) {
    std::vector<Term> all = r_.terms(found);
    for_each_delay(r_.reach(found), [&](std::string_view label, std::size_t x, Time amount) {
      if (amount != Time()) all.push_back({label, set_.tasks[x].index, amount});
    });
    return readable_terms(std::move(all));
  }

  const TaskSet& set_;
  Mode mode_;
  bool paper_, terms_;
  Recurrence r_;
  std::vector<Time> longest_section_, longest_boost_;  ///< by task
  // Of the task under analysis:
  std::int64_t eta_ = 0;
  std::vector<Rival> queue_;  ///< who can be before it; for terms all, else who is not settled
  Time settled_;              ///< the delay by those who are not listed there
  std::int64_t remote_settled_ = 0;  ///< and how many of their requests come from other cores
  std::vector<Rival> boosts_;
};

constexpr std::string_view kNeeds = "GPU segments under one lock with a FIFO queue (FMLP+)";

constexpr Protocol kFmlp = {kLockingAssumes, kNeeds, Part::kThirdRival, kLockingMonotone};

}  // namespace

const Method kFmlpSuspend = in_mode<kFmlpSuspend, Mode::kSuspend>(
    kFmlp, "fmlp.suspend", "GPU behind an FMLP+ lock, tasks suspend while the GPU works",
    "fifo-lock-suspend", kAnalyzeLocking<FmlpTest, Mode::kSuspend>);
const Method kFmlpBusy = in_mode<kFmlpBusy, Mode::kBusy>(
    kFmlp, "fmlp.busy", "GPU behind an FMLP+ lock, tasks spin while the GPU works",
    "fifo-lock-busy", kAnalyzeLocking<FmlpTest, Mode::kBusy>);

}  // namespace tactus::gcaps
