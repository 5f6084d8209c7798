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
  void begin(const Inquiry& inquiry) {
    set_ = &inquiry.set;
    mode_ = inquiry.mode;
    paper_ = is_printed(inquiry.variant);
    terms_ = inquiry.options.terms;
    r_.restart(terms_);
    sum_.clear();
    longest_below_.assign(set_->tasks.size() + 1, Time());
    boosts_from_.clear();
    requests_.clear();
    boosts_.clear();
    Time higher;  // of the real-time tasks before k
    for (std::size_t k = 0; k < set_->tasks.size(); ++k) {
      // W(x, k). As published it adds the longest section of every higher task, which counts the
      // same delay twice: with one lock no section runs inside another one.
      const Time nested = paper_ ? higher : Time();
      Time longest, sum, longest_own;
      boosts_from_.push_back(boosts_.size());
      for (const Segment& segment : set_->tasks[k].segments) {
        const Time length = segment.length() + nested;
        longest = std::max(longest, length);
        longest_own = std::max(longest_own, segment.length());
        sum += length;
        requests_.push_back({length, k});
        // F7: a spinning holder is boosted for all of G, not only for G^m as published.
        boosts_.push_back({boosted_length(paper_ ? Mode::kSuspend : mode_, segment), k});
      }
      std::sort(boosts_.begin() + static_cast<std::ptrdiff_t>(boosts_from_[k]), boosts_.end(),
                longer);
      longest_below_[k] = longest;
      sum_.push_back(sum);
      if (!set_->tasks[k].best_effort) higher += longest_own;
    }
    boosts_from_.push_back(boosts_.size());
    std::sort(requests_.begin(), requests_.end(), longer);
    for (std::size_t k = set_->tasks.size(); k-- > 0;) {
      longest_below_[k] = std::max(longest_below_[k], longest_below_[k + 1]);
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
    prepare(i, responses);
    Time higher;
    const auto delay = [&](Time window) {
      for (Higher& h : higher_) higher += rise_of(h.jobs, window) * h.each;
      Time sum = settled_ + higher + longest_requests(lower_, task.eta(), window);
      for (const auto& boosts : boosting_) sum += longest_requests(boosts, task.eta() + 1, window);
      return sum;
    };
    return r_.solve(task.limit(), delay);
  }

  std::vector<Term> terms_of(std::size_t i, Time found) {
    std::vector<Term> all = r_.terms(found);
    const Time window = r_.reach(found);
    const auto add = [&](const Term& term) {
      if (term.amount != Time()) all.push_back(term);
    };
    for (Higher& h : higher_) {
      h.jobs.restart();
      const std::int64_t jobs = rise_of(h.jobs, window);
      add({.label = "GPU lock, higher",
           .by = set_->tasks[h.task].index,
           .amount = jobs * h.each,
           .jobs = jobs,
           .each = h.each,
           .how = "jobs whose sections its requests can meet"});
    }
    const std::int64_t eta = set_->tasks[i].eta();
    add({.label = "GPU lock, lower",
         .amount = longest_requests(lower_, eta, window),
         .how = "the longest sections of lower tasks, one per own request"});
    for (const auto& boosts : boosting_) {
      add({.label = "boosted",
           .by = set_->tasks[boosts.front().task].index,
           .amount = longest_requests(boosts, eta + 1, window),
           .how = "its longest boosted sections, one per own request and one more"});
    }
    return readable_terms(std::move(all));
  }

 private:
  /// The sections of a higher task.
  struct Higher {
    std::size_t task;
    RisingJobs jobs;
    Time each;
  };

  static bool longer(const Request& a, const Request& b) {
    return a.length != b.length ? a.length > b.length : a.task < b.task;
  }

  static std::int64_t rise_of(RisingJobs& jobs, Time window) {
    if (!jobs.rises(window)) return 0;
    const std::int64_t before = jobs.count();
    jobs.rise(window);
    return jobs.count() - before;
  }

  /// Collects, once for task i, the requests that can delay it.
  void prepare(std::size_t i, std::span<const Time> responses) {
    const GpuTask& task = set_->tasks[i];
    higher_.clear();
    lower_.clear();
    boosting_.clear();
    settled_ = Time();
    for (std::size_t l : set_->lower_on_core(i)) {
      if (!set_->tasks[l].uses_gpu()) continue;
      const auto boosts = std::span<const Request>(boosts_).subspan(
          boosts_from_[l], boosts_from_[l + 1] - boosts_from_[l]);
      if (!settle(boosts, task.eta() + 1)) boosting_.push_back(boosts);
    }
    if (!task.uses_gpu()) return;  // it asks for no lock
    for (std::size_t k : set_->gpu_users) {
      if (k >= i) break;
      const GpuTask& other = set_->tasks[k];
      const Time off = paper_ ? other.cpu + other.launch : other.gpu();
      const Time jitter = clamp_at_zero(responses[k] - off);
      higher_.push_back({k, RisingJobs(*other.period, jitter), sum_[k]});
    }
    // Each is met at least once where it is met at all, so that the longest few are enough.
    for (const Request& request : requests_) {
      if (std::ssize(lower_) == task.eta()) break;
      if (request.task > i) lower_.push_back(request);
    }
    if (settle(lower_, task.eta())) lower_.clear();
    // Step 1: the delay b of one request, behind one lower section and the higher ones. The window is
    // closed at both ends: a higher request may be made at the instant at which the lock becomes free
    // (F11), or at which this request is made (F8).
    const Time longest_lower = longest_below_[i + 1];
    const Time closing = paper_ ? Time() : Time::from_ns(1);
    Time sum = longest_lower;
    const auto delay = [&](Time b) {
      for (Higher& h : higher_) sum += rise_of(h.jobs, b + closing) * h.each;
      return sum;
    };
    const auto growths = [&](Time b, std::vector<Growth>& all) {
      for (const Higher& h : higher_) {
        all.push_back(growth_of_jobs(b + closing, h.jobs.period(), h.jobs.jitter(), h.each));
      }
    };
    const FixedPoint per_request = least_fixed_point(longest_lower, task.limit(), delay, growths);
    // Step 2: sections of h, by the jobs in the window or by what each request can wait for.
    for (Higher& h : higher_) {
      std::int64_t most = RisingJobs::kNoCap;
      if (per_request.found()) {
        const Time window = per_request.value + closing;
        const std::int64_t met = jobs_in(window, h.jobs.period(), h.jobs.jitter());
        most = checked::mul(task.eta(), met);
      }
      h.jobs = RisingJobs(h.jobs.period(), h.jobs.jitter(), most);
    }
  }

  /// How many jobs of a lower task can have each of their requests in the window.
  std::int64_t cap_of(const GpuTask& l, Time window) const {
    if (!l.period || (l.best_effort && !paper_)) return kUnlimited;
    const Time jitter = paper_ ? clamp_at_zero(l.deadline - l.cpu - l.launch) : l.deadline;
    return jobs_in(window, *l.period, jitter);
  }

  /// Steps 3 and 4: the longest requests, each at most as often as its task has jobs, `count` in
  /// all. @pre sorted by decreasing length.
  Time longest_requests(std::span<const Request> requests, std::int64_t count, Time window) const {
    Time sum;
    for (const Request& request : requests) {
      if (count == 0) break;
      const std::int64_t taken = std::min(count, cap_of(set_->tasks[request.task], window));
      sum += taken * request.length;
      count -= taken;
    }
    return sum;
  }

  /// Is the longest request met `count` times in any window, however short? Then that is summed up
  /// at once. Not for terms, which show it.
  bool settle(std::span<const Request> requests, std::int64_t count) {
    if (terms_ || requests.empty()) return false;
    const Request& longest = requests.front();
    if (cap_of(set_->tasks[longest.task], Time::from_ns(1)) < count) return false;
    settled_ += count * longest.length;
    return true;
  }

  const TaskSet* set_ = nullptr;
  Mode mode_ = Mode::kSuspend;
  bool paper_ = false, terms_ = false;
  Recurrence r_;
  std::vector<Time> sum_;            ///< by task: SW, the sum of W
  std::vector<Time> longest_below_;  ///< by task: the longest W of it and of all after it
  std::vector<Request> requests_;    ///< of all tasks, the longest first
  std::vector<Request> boosts_;      ///< task by task, the longest first
  std::vector<std::size_t> boosts_from_;
  // Of the task under analysis:
  std::vector<Higher> higher_;  ///< hp: GPU-using, higher CPU priority, any core
  std::vector<Request> lower_;  ///< lp: of all other GPU-using tasks
  std::vector<std::span<const Request>> boosting_;  ///< llp: one list per task
  Time settled_;  ///< the delay by those who are not listed in the last two
};

constexpr std::string_view kNeeds = "GPU segments under one lock with a priority queue (MPCP)";

constexpr Protocol kMpcp = {kLockingAssumes,  kNeeds,    Part::kSecondRival,
                            kLockingMonotone, kVariants, kLockingOptions};

}  // namespace

const Method kMpcpSuspend = in_mode<kMpcpSuspend, Mode::kSuspend>(
    kMpcp, "mpcp.suspend", "GPU behind an MPCP lock, tasks suspend while the GPU works",
    "priority-lock-suspend", kLocking<MpcpTest, Mode::kSuspend, Queue::kPriority>);
const Method kMpcpBusy = in_mode<kMpcpBusy, Mode::kBusy>(
    kMpcp, "mpcp.busy", "GPU behind an MPCP lock, tasks spin while the GPU works",
    "priority-lock-busy", kLocking<MpcpTest, Mode::kBusy, Queue::kPriority>);

}  // namespace tactus::gcaps
