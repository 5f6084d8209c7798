#include <algorithm>

#include "tactus/methods/gcaps/locking.hpp"
#include "tactus/methods/gcaps/methods.hpp"
#include "tactus/methods/gcaps/plan.hpp"
#include "tactus/methods/terms.hpp"

/// FMLP+: the GPU is a lock with a FIFO queue (docs/use/methods/gcaps.md, "fmlp").
namespace tactus::gcaps {
namespace {

class FmlpTest {
 public:
  FmlpTest(const TaskSet& set, Mode mode, Variant variant)
      : set_(set), mode_(mode), paper_(variant == Variant::kPaper) {
    for (const GpuTask& task : set.tasks) {
      Time section, boost;
      for (const Segment& segment : task.segments) {
        section = std::max(section, segment.length());
        boost = std::max(boost, boosted_length(mode, segment));
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
    const FixedPoint response = r_.solve(task.deadline, [&](Time window) {
      Time sum;
      for_each_delay(i, window, [&](std::string_view, std::size_t, Time amount) { sum += amount; });
      return sum;
    });
    std::vector<Term> terms = r_.terms(response.window);
    const Time window = r_.reach(response.window);
    for_each_delay(i, window, [&](std::string_view label, std::size_t x, Time amount) {
      if (amount != Time()) terms.push_back({label, set_.tasks[x].index, amount});
    });
    return {response, readable_terms(std::move(terms))};
  }

 private:
  /// req_x: requests of x in the window, counted up to `most`.
  std::int64_t requests(const GpuTask& x, Time window, std::int64_t most) const {
    if (!x.period || (x.best_effort && !paper_)) return most;
    if (x.eta() >= most) return most;  // one job is always in the window
    const Time jitter = paper_ ? *x.period : x.deadline;
    return std::min(most, checked::mul(x.eta(), jobs_in(window, *x.period, jitter)));
  }

  /// Calls `visit(label, x, amount)` for everything that waiting for the lock costs task i.
  template <typename Visit>
  void for_each_delay(std::size_t i, Time window, Visit visit) const {
    const std::int64_t eta = set_.tasks[i].eta();
    std::int64_t remote = 0;
    for (std::size_t x : set_.gpu_users) {
      if (eta == 0) break;  // a task that asks for no lock waits for none
      if (x == i) continue;
      const bool local = set_.same_core(x, i);
      if (local && paper_) continue;
      // In a FIFO queue each request of i waits for at most one of x. F6: local tasks queue too.
      const std::int64_t ahead = requests(set_.tasks[x], window, eta);
      if (!local) remote += ahead;
      visit("GPU lock", x, ahead * longest_section_[x]);
    }
    const std::int64_t suspensions = paper_ ? std::min(eta, remote) : eta;
    for (std::size_t l : set_.lower_on_core(i)) {
      if (!set_.tasks[l].uses_gpu()) continue;
      const std::int64_t times = requests(set_.tasks[l], window, 1 + suspensions);
      visit("boosted", l, times * (paper_ ? longest_section_[l] : longest_boost_[l]));
    }
  }

  const TaskSet& set_;
  Mode mode_;
  bool paper_;
  Recurrence r_;
  std::vector<Time> longest_section_, longest_boost_;  ///< by task
};

constexpr std::string_view kNeeds = "GPU segments under one lock with a FIFO queue (FMLP+)";

}  // namespace

const Method kFmlpSuspend = {
    .id = "fmlp.suspend",
    .title = "GPU behind an FMLP+ lock, tasks suspend while the GPU works",
    .paper = kPaperTitle,
    .assumes = kLockingAssumes,
    .needs = kNeeds,
    .variants = kVariants,
    .makes_plan = true,
    .analyze = analyze_and_plan<analyze_locking<FmlpTest, Mode::kSuspend>, Mode::kSuspend>,
    .check_plan = check_plan_by<kFmlpSuspend, Mode::kSuspend>,
    .read_plan = read_plan_by<kFmlpSuspend, Mode::kSuspend>,
    .behaviour = {.name = "fifo-lock-suspend", .recipe = "gcaps-small"},
    .look = {.part = Part::kThirdRival},
};
const Method kFmlpBusy = {
    .id = "fmlp.busy",
    .title = "GPU behind an FMLP+ lock, tasks spin while the GPU works",
    .paper = kPaperTitle,
    .assumes = kLockingAssumes,
    .needs = kNeeds,
    .variants = kVariants,
    .makes_plan = true,
    .analyze = analyze_and_plan<analyze_locking<FmlpTest, Mode::kBusy>, Mode::kBusy>,
    .check_plan = check_plan_by<kFmlpBusy, Mode::kBusy>,
    .read_plan = read_plan_by<kFmlpBusy, Mode::kBusy>,
    .behaviour = {.name = "fifo-lock-busy", .recipe = "gcaps-small"},
    .look = {.part = Part::kThirdRival, .second = true},
};

}  // namespace tactus::gcaps
