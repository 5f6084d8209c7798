#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/rtgpu/federated_methods.hpp"
#include "tactus/methods/rtgpu/methods.hpp"
#include "tactus/model/diagnostic.hpp"

/// The component-wise least allocation, found exactly; docs/use/methods/rtgpu.md, "The search", has the
/// proof.
///
/// R_k falls with GN_k, does not depend on less urgent tasks' SMs, and rises with more urgent
/// tasks' SMs. So the feasible allocations have a least element, and going down the priority order,
/// giving each task the fewest SMs for which R_k <= D_k, finds it. It is also the lexicographically
/// first, hence what Algorithm 2 of the paper finds by enumeration.
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
  Descent(const TaskSet& set, BusWindow window, Wanted wanted)
      : set_(set), window_(window), wanted_(wanted), analysis_(set) {}

  /// Goes on as long as each task meets its deadline with the SMs it can still get out of `sms`.
  /// @return whether all do.
  bool continue_with(std::int64_t sms, const Options& options) {
    while (counts_.size() < set_.real_time) {
      check_stop(options);
      const std::size_t k = counts_.size();
      const ChainTask& task = set_.tasks[k];
      if (!test_) begin(k);
      most_ = task.has_kernels() ? sms - used_ - (remaining_minima_ - task.min_sms) : 0;
      const auto fitting = fewest_for(task);
      if (!fitting) return false;
      if (wanted_ == Wanted::kReports) placed_.push_back({std::move(*test_), fitting->bound});
      test_.reset();
      counts_.push_back(fitting->sms);
      analysis_.place(k, fitting->sms);
      used_ += fitting->sms;
      remaining_minima_ -= task.min_sms;
    }
    return true;
  }

  std::size_t failing() const { return counts_.size(); }
  std::int64_t most_for_failing() const { return most_; }
  /// What the task at which the descent stopped asks for with all SMs it can get.
  std::vector<Term> failing_demand() const {
    return test_->terms(kernel_time(set_.tasks[failing()], most_), window_, std::nullopt);
  }
  std::int64_t used() const { return used_; }

  /// @pre all tasks were placed, and reports are wanted.
  SearchResult result() && {
    SearchResult result;
    result.reports.reserve(set_.real_time);
    for (std::size_t k = 0; k < set_.real_time; ++k) {
      const auto& [test, bound] = placed_[k];
      result.reports.push_back(analysis_.report(k, test, counts_[k], window_, bound));
    }
    result.counts = std::move(counts_);
    return result;
  }

 private:
  void begin(std::size_t k) {
    test_.emplace(analysis_.test_of(k));
    has_segments_ = wanted_ == Wanted::kReports || window_ == BusWindow::kPerCopy;
    if (has_segments_) test_->bound_segments();
  }

  std::optional<Fitting> fewest_for(const ChainTask& task) {
    auto fitting = fewest_sms(task, *test_, window_, task.min_sms, most_);
    // Whole-job windows alone give a bound that is not below R. Where it asks for more than the
    // least SMs, segment bounds may do with fewer.
    if (!has_segments_ && (!fitting || fitting->sms > task.min_sms)) {
      test_->bound_segments();
      has_segments_ = true;
      fitting = fewest_sms(task, *test_, window_, task.min_sms, most_);
    }
    return fitting;
  }

  struct Placed {
    ResponseTest test;
    Time bound;
  };

  const TaskSet& set_;
  BusWindow window_;
  Wanted wanted_;
  FederatedAnalysis analysis_;
  std::optional<ResponseTest> test_;  ///< of the next task, or of the one that failed
  bool has_segments_ = false;         ///< does that test know MR and CR?
  Counts counts_;
  std::vector<Placed> placed_;  ///< where reports are wanted
  std::int64_t used_ = 0, remaining_minima_ = set_.least_sms(), most_ = 0;
};

/// What would help: more SMs, or the tighter bound of `tight`. The failure is proved already, so a
/// limit reached here only shortens the advice.
std::string what_would_do(const TaskSet& set, BusWindow window, Descent& descent,
                          const Options& options) {
  std::string advice;
  try {
    advice = descent.continue_with(kUnlimited, options)
                 ? fmt::format("; {} SMs would do", descent.used())
                 : "; no number of SMs would do";
    if (window == BusWindow::kPerCopy && set.least_sms() <= set.sms &&
        Descent(set, BusWindow::kWholeJob, Wanted::kAnswer).continue_with(set.sms, options)) {
      advice += "; variant `tight` proves every deadline";
    }
  } catch (const LimitReached&) {
  } catch (const OverflowError&) {
  }
  return advice;
}

/// Why the descent stopped where it did.
std::string describe_failure(const TaskSet& set, const Descent& descent) {
  const ChainTask& task = set.tasks[descent.failing()];
  std::string reason = fmt::format("task {} misses its deadline", quote(task.name));
  if (task.has_kernels()) {
    reason += fmt::format(" even with all SMs it can still get ({})", descent.most_for_failing());
  }
  return reason;
}

SearchResult search(const TaskSet& set, const Options& options) {
  const BusWindow window = window_of(options);
  Descent descent(set, window, Wanted::kReports);
  SearchResult result;
  result.reason = not_enough_sms(set);
  if (result.reason.empty()) {
    if (descent.continue_with(set.sms, options)) return std::move(descent).result();
    result.reason = describe_failure(set, descent);
    result.failing = descent.failing();
    result.demand = descent.failing_demand();
  }
  result.reason += what_would_do(set, window, descent, options);
  return result;
}

constexpr Analysis kAnalysis = {PlanKind::kInterleaved, analyze_given_federated, search};

}  // namespace

const Method kRtgpu = {
    .id = "rtgpu",
    .title = "SMs of their own for each task, searched exactly; priorities on CPU and bus",
    .paper = kPaperTitle,
    .assumes = kAssumes,
    .needs = kFederatedNeeds,
    .variants = kRtgpuVariants,
    .makes_plan = true,
    .analyze = analyze_by<kAnalysis>,
    .options = kOptions,
    .check_plan = check_plan,
    .read_plan = read_plan,
    .behaviour = {.name = "own-sms-suspend", .recipe = "rtgpu-small"},
    .look = {.part = Part::kProposed},
};

}  // namespace tactus::rtgpu
