#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/recurrence.hpp"
#include "tactus/methods/rtgpu/lexicographic.hpp"
#include "tactus/methods/rtgpu/rtgpu_methods.hpp"
#include "tactus/methods/rtgpu/spare_sms.hpp"

/// STGM, the busy-waiting baseline: a job occupies the one core from
/// its start to its end, also while its copies and kernels run.
///
///     R_k = least t:  t = O_k + sum over hp ceil(t / T_i) O_i
namespace tactus::rtgpu {
namespace {

/// What a job occupies the core with, by kind; O is the sum.
struct Occupation {
  Time cpu, copies, kernels, blocking;
  Time total() const { return cpu + copies + kernels + blocking; }
};

class BusyTest {
 public:
  BusyTest(const TaskSet& set, std::string_view variant)
      : set_(set), paper_(variant == kPaper), blocking_(copy_blocking(set)) {}

  /// R_k falls with the SMs of every task, so at best all have the most.
  void assume(const CountRange& range) {
    range_ = range;
    occupied_.clear();
    for (std::size_t k = 0; k < set_.real_time; ++k) {
      occupied_.push_back(occupation(k, range.most[k]).total());
    }
  }

  bool may_meet(std::size_t k, std::int64_t sms) {
    set_up(k, occupation(k, sms));
    if (!solve(set_.tasks[k].deadline).found()) return false;
    return !by_count_ || sms != range_.most[k] || may_meet_sharing(k);
  }

  std::vector<Term> demand(std::size_t k, std::int64_t sms) {
    set_up(k, occupation(k, sms));
    return recurrence_.terms(solve(set_.tasks[k].deadline).window);
  }

  /// The whole job meets each more urgent task; sharing out an SM costs about as much.
  std::int64_t steps(std::size_t k) const {
    const auto tasks = static_cast<std::int64_t>(k + 1);
    return by_count_ ? 4 * (tasks + range_.spare) : tasks;
  }

  void look_closer() {
    by_count_ = TimesByCount::make(
        set_, [this](std::size_t k, std::int64_t sms) { return occupation(k, sms).total(); });
  }
  bool raise(CountRange& /*range*/) { return false; }
  /// `may_meet` sees to it.
  std::optional<std::size_t> overloaded(std::int64_t /*most_steps*/) const { return std::nullopt; }

  std::optional<Time> response(std::size_t k, std::int64_t sms, Time limit) {
    set_up(k, occupation(k, sms));
    const FixedPoint response = solve(limit);
    return response.found() ? std::optional(response.value) : std::nullopt;
  }

  std::vector<TaskReport> reports(const Counts& counts, const Options& options) {
    assume({counts, counts, 0});
    std::vector<TaskReport> all;
    for (std::size_t k = 0; k < set_.real_time; ++k) {
      check_stop(options);
      set_up(k, occupation(k, counts[k]));
      const FixedPoint response = solve(set_.tasks[k].deadline);
      TaskReport& report = all.emplace_back();
      if (response.found()) report.bound = response.value;
      report.terms = recurrence_.terms(response.window);
    }
    return all;
  }

 private:
  Occupation occupation(std::size_t k, std::int64_t sms) const {
    Occupation all;
    for (const Segment& segment : set_.tasks[k].chain) {
      if (segment.absent()) continue;
      if (segment.kind == Segment::Kind::kCpu) {
        all.cpu += segment.upper;
      } else if (segment.kind == Segment::Kind::kKernel) {
        all.kernels += segment.kernel.longest(sms, Interleaving::kNone);
      } else {
        all.copies += segment.upper;
        // A less urgent copy in flight delays this one, and the delay is spent on the core.
        if (!paper_) all.blocking += blocking_[segment.bus][k];
      }
    }
    return all;
  }

  void set_up(std::size_t k, const Occupation& own) {
    recurrence_.clear();
    recurrence_.add("own CPU work", own.cpu, "its nodes on the cpu");
    recurrence_.add("own copies", own.copies, "its copies");
    recurrence_.add("own GPU work", own.kernels, "its kernels on its own SMs");
    recurrence_.add("copy blocking", own.blocking,
                    "the longest less urgent copy, once per own copy");
    for (std::size_t h = 0; h < k; ++h) {
      recurrence_.add_demand("preemption, busy waiting included", set_.tasks[h].index,
                             {.work = occupied_[h], .period = set_.tasks[h].period});
    }
  }

  /// Can task k meet its deadline when it and the more urgent tasks share what is spare, in the way
  /// that is best for it? In each window another way may be: whatever way is taken, R is beyond a
  /// window whose least demand is.
  bool may_meet_sharing(std::size_t k) {
    const Time deadline = set_.tasks[k].deadline;
    std::vector<std::int64_t> jobs(k + 1, 1);
    for (Time window = Time::from_ns(1); window <= deadline;) {
      for (std::size_t h = 0; h < k; ++h) jobs[h] = jobs_in(window, set_.tasks[h].period, Time());
      const __int128 least = by_count_->least_sum(jobs, range_.least, range_.most, range_.spare);
      if (least <= window.ns()) return true;
      if (least > deadline.ns()) return false;
      window = Time::from_ns(static_cast<std::int64_t>(least));
    }
    return false;
  }

  FixedPoint solve(Time limit) {
    const FixedPoint response = recurrence_.solve(limit);
    if (response.outcome == FixedPoint::Outcome::kLimit) {
      throw LimitReached("a response-time recurrence needs too many steps");
    }
    return response;
  }

  const TaskSet& set_;
  bool paper_;
  std::vector<std::vector<Time>> blocking_;  ///< [bus][rank]
  std::vector<Time> occupied_;               ///< O of every task, with the counts assumed
  Recurrence recurrence_;
  CountRange range_;                      ///< assumed
  std::optional<TimesByCount> by_count_;  ///< O of every task by its count: for a closer look
};

std::optional<Refusal> refuse_several_cores(const System& system, const TaskSet& set) {
  if (set.cores <= 1) return std::nullopt;
  const auto other = std::find_if(set.tasks.begin(), set.tasks.end(), [&](const ChainTask& task) {
    return task.core != set.tasks.front().core;
  });
  return Refusal{fmt::format("tasks {} and {} are on different cores; stgm takes one",
                             quote(set.tasks.front().name), quote(other->name)),
                 system.tasks[other->index].at};
}

constexpr Analysis kStgmAnalysis = {PlanKind::kPlain, analyze_given<BusyTest>,
                                    search_lexicographically<BusyTest>, refuse_several_cores};

}  // namespace

const Method kStgm = [] {
  Method method = family_member(
      "stgm", "baseline: jobs keep the core while their copies and kernels run", Part::kFirstRival);
  method.assumes =
      "chains of cpu, copy and gpu nodes on one core; D <= T; priorities on all or none";
  method.needs = "busy waiting on one core; SMs of their own for each task";
  method.variants = kBaselineVariants;
  method.analyze = analyze_on_time<analyze_by<kStgmAnalysis>, Instead::kSporadic>;
  method.options = kSearchOptions;
  method.behaviour.name = "own-sms-busy";
  return method;
}();

}  // namespace tactus::rtgpu
