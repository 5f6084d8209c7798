#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/rtgpu/federated_methods.hpp"
#include "tactus/methods/rtgpu/rtgpu_methods.hpp"
#include "tactus/methods/rtgpu/search_budget.hpp"

/// The lexicographically first feasible allocation, hence what Algorithm 2 of the paper finds by
/// enumeration, found exactly; theory.md, "The search", has the proofs.
///
/// R_k falls with GN_k, does not depend on less urgent tasks' SMs, and falls with every least
/// kernel time of more urgent tasks. Where those do not rise with the SMs, the feasible allocations
/// have a component-wise least element, and going down the priority order, giving each task the
/// fewest SMs for which R_k <= D_k, finds it. Where a measured kernel is slower at best on more
/// SMs, a larger count may help the tasks below; so the counts at which a least time rises are
/// tried too, one after the other, unless a smaller count that was tried is as slow in every
/// kernel.
namespace tactus::rtgpu {
namespace {

/// More SMs than any gpu has; the file format admits no more either.
constexpr std::int64_t kUnlimited = 2'147'483'647;

struct Fitting {
  std::int64_t sms = 0;
  Time bound;
};

/// The fewest SMs in [least, most] with which a task meets its deadline: R falls with the count.
std::optional<Fitting> fewest_sms(const ChainTask& task, const ResponseTest& test, BusWindow window,
                                  std::int64_t least, std::int64_t most) {
  // R with more SMs, and its kernel time: with fewer SMs, R is later by at least the difference.
  Time known_bound, known_kernels;
  const auto meets = [&](std::int64_t count) {
    const Time kernels = kernel_time(task, count);
    const auto bound = test.bound(kernels, window, known_bound + (kernels - known_kernels));
    if (bound) {
      known_bound = *bound;
      known_kernels = kernels;
    }
    return bound.has_value();
  };
  if (meets(least)) return Fitting{least, known_bound};
  if (least >= most || !meets(most)) return std::nullopt;
  std::int64_t low = least, high = most;  // misses with `low`, meets with `high`
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (meets(middle) ? high : low) = middle;
  }
  return Fitting{high, known_bound};
}

/// What a descent is for: reports of every task, or only whether all meet their deadlines.
enum class Wanted { kReports, kAnswer };

/// How far the descent through the priority order came.
class Descent {
 public:
  Descent(const TaskSet& set, BusWindow window, Wanted wanted, const Options& options)
      : set_(set),
        window_(window),
        wanted_(wanted),
        options_(options),
        budget_(options),
        analysis_(set, options) {
    for (std::size_t k = 0; k < set.real_time; ++k) rises_.push_back(set.tasks[k].rises());
  }

  /// Goes on as long as each task meets its deadline with the SMs it can still get out of `sms`.
  /// If one does not, the last task above it that has another count to try takes that count. If
  /// there is none, the descent stays where it is. @return whether all tasks meet their deadlines.
  bool continue_with(std::int64_t sms) {
    while (placed_.size() < set_.real_time) {
      check_stop(options_);
      const std::size_t k = placed_.size();
      const ChainTask& task = set_.tasks[k];
      if (!test_) begin(k);
      most_ = task.has_kernels() ? sms - used_ - (remaining_minima_ - task.min_sms) : 0;
      const auto fitting = fewest_for(task);
      if (fitting) {
        place(k, *fitting);
      } else if (!step_back()) {
        return false;
      }
    }
    return true;
  }

  std::size_t failing() const { return placed_.size(); }
  /// The task furthest down that was looked at.
  std::size_t furthest() const { return furthest_; }
  std::int64_t most_for_failing() const { return most_; }
  /// What the task at which the descent stopped needs, with all SMs that it can get.
  std::vector<Term> failing_demand() const {
    return test_->terms(kernel_time(set_.tasks[failing()], most_), window_, std::nullopt);
  }
  std::int64_t used() const { return used_; }

  /// @pre all tasks were placed, and reports are wanted.
  SearchResult result() && {
    SearchResult result;
    result.reports.reserve(set_.real_time);
    for (std::size_t k = 0; k < set_.real_time; ++k) {
      const Placed& placed = placed_[k];
      auto bound = placed.bound;
      if (!bound) bound = placed.test->bound(kernel_time(set_.tasks[k], placed.sms), window_);
      result.reports.push_back(analysis_.report(k, *placed.test, placed.sms, window_, bound));
      result.counts.push_back(placed.sms);
    }
    return result;
  }

 private:
  using LowerBounds = std::vector<Time>;  ///< of the kernels of a task, on some count of SMs

  struct Placed {
    std::optional<ResponseTest> test;  ///< where reports are wanted
    std::optional<Time> bound;         ///< nothing where it is not computed yet
    std::int64_t sms = 0, most = 0;
    std::size_t next_rise = 0;       ///< the first of its rises that was not tried
    std::vector<LowerBounds> front;  ///< of the counts that were tried
  };

  /// MR and CR of a task depend on those above it only: once for all its counts.
  void begin(std::size_t k) {
    if (went_back_) {
      budget_.spend_allocation();
      budget_.spend(static_cast<std::int64_t>((k + 1) * set_.tasks[k].chain.size()));
    }
    furthest_ = std::max(furthest_, k);
    test_.emplace(analysis_.test_of(k));
    has_segments_ = wanted_ == Wanted::kReports || window_ == BusWindow::kPerCopy;
    if (has_segments_) test_->bound_segments();
  }

  std::optional<Fitting> fewest_for(const ChainTask& task) {
    auto fitting = fewest_sms(task, *test_, window_, task.min_sms, most_);
    // Whole-job windows alone give a bound that is not below R. If it needs more than the least
    // SMs, fewer may be enough with segment bounds.
    if (!has_segments_ && (!fitting || fitting->sms > task.min_sms)) {
      test_->bound_segments();
      has_segments_ = true;
      fitting = fewest_sms(task, *test_, window_, task.min_sms, most_);
    }
    return fitting;
  }

  void place(std::size_t k, const Fitting& fitting) {
    Placed& placed = placed_.emplace_back();
    if (wanted_ == Wanted::kReports) placed.test = std::move(test_);
    test_.reset();
    placed.most = most_;
    const auto& rises = rises_[k];
    placed.next_rise = static_cast<std::size_t>(
        std::upper_bound(rises.begin(), rises.end(), fitting.sms) - rises.begin());
    give(k, fitting.sms);
    placed.bound = fitting.bound;
  }

  /// Gives the last task that was placed these SMs.
  void give(std::size_t k, std::int64_t sms) {
    Placed& placed = placed_[k];
    placed.sms = sms;
    placed.bound.reset();
    if (!rises_[k].empty()) placed.front.push_back(lower_bounds(k, sms));
    analysis_.place(k, sms);
    used_ += sms;
    remaining_minima_ -= set_.tasks[k].min_sms;
  }

  /// The next count that can help the tasks below: R falls with the count, so it fits. A count that
  /// a smaller one dominates cannot help: everything that holds with it holds with the smaller one.
  std::optional<std::int64_t> another_count(std::size_t k) {
    Placed& placed = placed_[k];
    while (placed.next_rise < rises_[k].size() && rises_[k][placed.next_rise] <= placed.most) {
      const std::int64_t count = rises_[k][placed.next_rise++];
      const LowerBounds lower = lower_bounds(k, count);
      const auto dominates = [&](const LowerBounds& tried) {
        return std::equal(lower.begin(), lower.end(), tried.begin(), std::less_equal<>());
      };
      if (std::none_of(placed.front.begin(), placed.front.end(), dominates)) return count;
    }
    return std::nullopt;
  }

  bool step_back() {
    for (std::size_t k = placed_.size(); k-- > 0;) {
      const auto count = another_count(k);
      if (!count) continue;
      went_back_ = true;
      for (std::size_t below = placed_.size(); below-- > k;) {
        used_ -= placed_[below].sms;
        remaining_minima_ += set_.tasks[below].min_sms;
      }
      placed_.resize(k + 1);
      test_.reset();
      analysis_.take_back_from(k);
      give(k, *count);
      return true;
    }
    return false;
  }

  LowerBounds lower_bounds(std::size_t k, std::int64_t sms) const {
    LowerBounds lower;
    for (const Segment& segment : set_.tasks[k].chain) {
      if (segment.kind != Segment::Kind::kKernel || segment.absent()) continue;
      lower.push_back(segment.kernel.shortest(sms, Interleaving::kSelf));
    }
    return lower;
  }

  const TaskSet& set_;
  BusWindow window_;
  Wanted wanted_;
  const Options& options_;
  SearchBudget budget_;
  FederatedAnalysis analysis_;
  std::vector<std::vector<std::int64_t>> rises_;  ///< of each task
  std::optional<ResponseTest> test_;              ///< of the next task, or of the one that failed
  bool has_segments_ = false;                     ///< does that test know MR and CR?
  bool went_back_ = false;                        ///< before that, the descent is short
  std::vector<Placed> placed_;
  std::int64_t used_ = 0, remaining_minima_ = set_.least_sms(), most_ = 0;
  std::size_t furthest_ = 0;
};

/// What would help: more SMs, or the tighter bound of `tight`. The failure is proved already, so a
/// limit reached here only shortens the advice. How many SMs would be enough is known only if the
/// allocation found is the least of all.
std::string what_would_do(const TaskSet& set, BusWindow window, Descent& descent,
                          const Options& options) {
  std::string advice;
  try {
    if (!set.lower_bounds_rise()) {
      advice = descent.continue_with(kUnlimited)
                   ? fmt::format("; {} SMs would be enough", descent.used())
                   : "; no number of SMs would be enough";
    }
    if (window == BusWindow::kPerCopy && set.least_sms() <= set.sms &&
        Descent(set, BusWindow::kWholeJob, Wanted::kAnswer, options).continue_with(set.sms)) {
      advice += "; variant `tight` proves every deadline";
    }
  } catch (const LimitReached&) {
  } catch (const OverflowError&) {
  }
  return advice;
}

/// Why the descent stopped where it did.
std::string describe_failure(const TaskSet& set, const Descent& descent) {
  if (set.lower_bounds_rise()) {
    return fmt::format(
        "no allocation of the SMs makes every task meet its deadline; the search "
        "came as far as task {}",
        quote(set.tasks[descent.furthest()].name));
  }
  const ChainTask& task = set.tasks[descent.failing()];
  std::string reason = fmt::format("task {} misses its deadline", quote(task.name));
  if (task.has_kernels()) {
    reason += fmt::format(" even with all SMs it can still get ({})", descent.most_for_failing());
  }
  return reason;
}

SearchResult search_exactly(const TaskSet& set, const Options& options) {
  const BusWindow window = window_of(options);
  Descent descent(set, window, Wanted::kReports, options);
  SearchResult result;
  result.reason = not_enough_sms(set);
  if (result.reason.empty()) {
    if (descent.continue_with(set.sms)) return std::move(descent).result();
    result.reason = describe_failure(set, descent);
    if (!set.lower_bounds_rise()) {  // else the demand is that under one of many allocations
      result.failing = descent.failing();
      if (options.terms) result.demand = descent.failing_demand();
    }
  }
  result.reason += what_would_do(set, window, descent, options);
  return result;
}

constexpr Analysis kExactAnalysis = {PlanKind::kInterleaved, analyze_given_federated,
                                     search_exactly};

}  // namespace

const Method kRtgpu = [] {
  Method method = federated_member(
      "rtgpu", "SMs of their own for each task, searched exactly; priorities on CPU and bus",
      Part::kProposed);
  method.analyze = analyze_on_time<analyze_by<kExactAnalysis>, Instead::kSporadic>;
  method.options = kSearchOptions;
  return method;
}();

}  // namespace tactus::rtgpu
