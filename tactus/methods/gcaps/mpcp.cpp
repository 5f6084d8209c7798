#include <algorithm>

#include "tactus/methods/gcaps/locking.hpp"
#include "tactus/methods/gcaps/methods.hpp"
#include "tactus/methods/gcaps/plan.hpp"
#include "tactus/methods/terms.hpp"

/// MPCP: the GPU is a lock with a priority queue (docs/use/methods/gcaps.md, "mpcp"; the structure of
/// the hybrid request- and job-driven analysis of RTAS 2018).
namespace tactus::gcaps {
namespace {

/// A critical section of a lower task.
struct Request {
  Time length;
  std::size_t task;
};

class MpcpTest {
 public:
  MpcpTest(const TaskSet& set, Mode mode, Variant variant)
      : set_(set), mode_(mode), paper_(variant == Variant::kPaper) {
    Time higher;  // of the real-time tasks before k
    for (const GpuTask& task : set.tasks) {
      // W(x, k). As published it adds the longest section of every higher task, which counts the
      // same delay twice: with one lock no section runs inside another one.
      const Time nested = paper_ ? higher : Time();
      Time longest, sum, longest_own;
      for (const Segment& segment : task.segments) {
        longest = std::max(longest, segment.length() + nested);
        longest_own = std::max(longest_own, segment.length());
        sum += segment.length() + nested;
      }
      nested_.push_back(nested);
      longest_.push_back(longest);
      sum_.push_back(sum);
      if (!task.best_effort) higher += longest_own;
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
    prepare(i, responses);
    const FixedPoint response = r_.solve(task.deadline, [&](Time window) {
      Time sum;
      for (std::size_t h : higher_) sum += higher_delay(i, h, window);
      sum += longest_requests(lower_, task.eta(), window);
      for (const auto& boosts : boosts_) sum += longest_requests(boosts, task.eta() + 1, window);
      return sum;
    });
    return {response, terms(i, response.window)};
  }

 private:
  /// Collects, once for task i, the requests that can delay it.
  void prepare(std::size_t i, std::span<const Time> responses) {
    const GpuTask& task = set_.tasks[i];
    higher_.clear();
    lower_.clear();
    boosts_.clear();
    jitter_.resize(set_.real_time);
    for (std::size_t l : set_.lower_on_core(i)) {
      if (!set_.tasks[l].uses_gpu()) continue;
      auto& boosts = boosts_.emplace_back();
      // F7: a spinning holder is boosted for all of G, not only for G^m as published.
      const Mode mode = paper_ ? Mode::kSuspend : mode_;
      for (const Segment& s : set_.tasks[l].segments)
        boosts.push_back({boosted_length(mode, s), l});
    }
    Time longest_lower;
    if (task.uses_gpu()) {  // else it asks for no lock
      for (std::size_t k : set_.gpu_users) {
        const GpuTask& other = set_.tasks[k];
        if (k < i) {
          const Time off = paper_ ? other.cpu + other.launch : other.gpu();
          jitter_[k] = clamp_at_zero(responses[k] - off);
          higher_.push_back(k);
        } else if (k > i) {
          for (const Segment& s : other.segments) lower_.push_back({s.length() + nested_[k], k});
          longest_lower = std::max(longest_lower, longest_[k]);
        }
      }
    }
    const auto longer = [](const Request& a, const Request& b) { return a.length > b.length; };
    std::stable_sort(lower_.begin(), lower_.end(), longer);
    for (auto& boosts : boosts_) std::stable_sort(boosts.begin(), boosts.end(), longer);

    // Step 1: the delay b of one request, behind one lower section and the higher ones. If no lower
    // task has a section longer than 0, b = 0 also solves this, although a higher request may hold
    // the lock: the search must start above 0.
    const Time start = paper_ ? longest_lower : std::max(longest_lower, Time::from_ns(1));
    const auto delay = [&](Time b) {
      Time sum = longest_lower;
      for (std::size_t h : higher_) sum += jobs_in(b, *set_.tasks[h].period, jitter_[h]) * sum_[h];
      return sum;
    };
    per_request_ =
        least_fixed_point(start, task.deadline, delay, [&](Time b, std::vector<Growth>& all) {
          for (std::size_t h : higher_) {
            all.push_back(growth_of_jobs(b, *set_.tasks[h].period, jitter_[h], sum_[h]));
          }
        });
  }

  /// Step 2: sections of h, limited by the jobs in the window or by what each request can wait for.
  Time higher_delay(std::size_t i, std::size_t h, Time window) const {
    const Time period = *set_.tasks[h].period;
    std::int64_t jobs = jobs_in(window, period, jitter_[h]);
    if (per_request_.found()) {
      const std::int64_t met = jobs_in(per_request_.value, period, jitter_[h]);
      jobs = std::min(jobs, checked::mul(set_.tasks[i].eta(), met));
    }
    return jobs * sum_[h];
  }

  /// How many jobs of a lower task can have each of their requests in the window.
  std::int64_t cap_of(const GpuTask& l, Time window) const {
    if (!l.period || (l.best_effort && !paper_)) return kUnlimited;
    const Time jitter = paper_ ? clamp_at_zero(l.deadline - l.cpu - l.launch) : l.deadline;
    return jobs_in(window, *l.period, jitter);
  }

  /// Steps 3 and 4: the longest requests, each at most as often as its task has jobs, `count` in
  /// all. @pre sorted by decreasing length.
  Time longest_requests(const std::vector<Request>& requests, std::int64_t count,
                        Time window) const {
    Time sum;
    for (const Request& request : requests) {
      if (count == 0) break;
      const std::int64_t taken = std::min(count, cap_of(set_.tasks[request.task], window));
      sum += taken * request.length;
      count -= taken;
    }
    return sum;
  }

  std::vector<Term> terms(std::size_t i, Time found) const {
    std::vector<Term> all = r_.terms(found);
    const Time window = r_.reach(found);
    const auto add = [&](std::string_view label, TaskIndex by, Time amount) {
      if (amount != Time()) all.push_back({label, by, amount});
    };
    for (std::size_t h : higher_) {
      add("GPU lock, higher", set_.tasks[h].index, higher_delay(i, h, window));
    }
    const std::int64_t eta = set_.tasks[i].eta();
    add("GPU lock, lower", Term::kNoTask, longest_requests(lower_, eta, window));
    for (const auto& boosts : boosts_) {
      add("boosted", set_.tasks[boosts.front().task].index,
          longest_requests(boosts, eta + 1, window));
    }
    return readable_terms(std::move(all));
  }

  const TaskSet& set_;
  Mode mode_;
  bool paper_;
  Recurrence r_;
  /// By task: what the paper adds to each W, the longest W, SW = the sum of W.
  std::vector<Time> nested_, longest_, sum_;
  // Of the task under analysis:
  std::vector<std::size_t> higher_;           ///< hp: GPU-using, higher CPU priority, any core
  std::vector<Time> jitter_;                  ///< Jg, by task
  std::vector<Request> lower_;                ///< lp: all other GPU-using tasks
  std::vector<std::vector<Request>> boosts_;  ///< llp: one list per task
  FixedPoint per_request_;
};

constexpr std::string_view kNeeds = "GPU segments under one lock with a priority queue (MPCP)";

}  // namespace

const Method kMpcpSuspend = {
    .id = "mpcp.suspend",
    .title = "GPU behind an MPCP lock, tasks suspend while the GPU works",
    .paper = kPaperTitle,
    .assumes = kLockingAssumes,
    .needs = kNeeds,
    .variants = kVariants,
    .makes_plan = true,
    .analyze = analyze_and_plan<analyze_locking<MpcpTest, Mode::kSuspend>, Mode::kSuspend>,
    .check_plan = check_plan_by<kMpcpSuspend, Mode::kSuspend>,
    .read_plan = read_plan_by<kMpcpSuspend, Mode::kSuspend>,
    .behaviour = {.name = "priority-lock-suspend", .recipe = "gcaps-small"},
    .look = {.part = Part::kSecondRival},
};
const Method kMpcpBusy = {
    .id = "mpcp.busy",
    .title = "GPU behind an MPCP lock, tasks spin while the GPU works",
    .paper = kPaperTitle,
    .assumes = kLockingAssumes,
    .needs = kNeeds,
    .variants = kVariants,
    .makes_plan = true,
    .analyze = analyze_and_plan<analyze_locking<MpcpTest, Mode::kBusy>, Mode::kBusy>,
    .check_plan = check_plan_by<kMpcpBusy, Mode::kBusy>,
    .read_plan = read_plan_by<kMpcpBusy, Mode::kBusy>,
    .behaviour = {.name = "priority-lock-busy", .recipe = "gcaps-small"},
    .look = {.part = Part::kSecondRival, .second = true},
};

}  // namespace tactus::gcaps
