#include "tactus/methods/gcaps/mpcp.hpp"

#include <algorithm>

#include "tactus/methods/gcaps/fast/mpcp.hpp"
#include "tactus/methods/gcaps/gcaps_methods.hpp"
#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tactus/methods/terms.hpp"

/// MPCP: the GPU is a lock with a priority queue. Step by step as in docs/use/methods/gcaps.md, "mpcp"
/// (the structure of the hybrid request- and job-driven analysis of RTAS 2018); fast/mpcp.cpp finds
/// the least solution sooner, and tests hold it to this.
namespace tactus::gcaps {

void Mpcp::begin(const Inquiry& inquiry) {
  set_ = &inquiry.set;
  reading_ = {is_printed(inquiry.variant), inquiry.mode};
  nested_.clear();
  lengths_.clear();
  Time higher;
  for (const GpuTask& task : set_->tasks) {
    nested_.push_back(reading_.nested(higher));
    lengths_.push_back(task.gpu() + task.eta() * nested_.back());
    if (!task.best_effort) higher += task.longest_section;
  }
}

/// The longest requests, each at most so many times, `count` in all.
Time Mpcp::longest(std::vector<Request>& requests, std::int64_t count) {
  // Each is met at least once where it is met at all, so that the longest `count` are enough.
  const auto enough = std::min(count, static_cast<std::int64_t>(requests.size()));
  std::partial_sort(requests.begin(), requests.begin() + enough, requests.end(),
                    [](const Request& a, const Request& b) { return a.length > b.length; });
  Time sum;
  for (const Request& request : requests) {
    if (count == 0) break;
    const std::int64_t taken = std::min(count, request.times);
    sum += taken * request.length;
    count -= taken;
  }
  return sum;
}

void Mpcp::find_higher(std::size_t i, std::span<const Time> responses) {
  higher_.clear();
  for (const std::size_t k : set_->gpu_users) {
    if (k >= i) break;
    const GpuTask& h = set_->tasks[k];
    higher_.push_back({k, *h.period, reading_.jitter(h, responses[k]), lengths_[k]});
  }
}

/// Step 1: the delay b of one request, behind the longest lower section and the higher ones; nothing
/// beyond the deadline.
std::optional<Time> Mpcp::request_delay(std::size_t i) const {
  Time lower;
  for (const std::size_t l : set_->gpu_users) {
    if (l > i) lower = std::max(lower, set_->tasks[l].longest_section + nested_[l]);
  }
  const Time closing = reading_.closing();
  const auto delay = [&](Time b) {
    Time sum = lower;
    for (const Higher& h : higher_) sum += jobs_in(b + closing, h.period, h.jitter) * h.each;
    return sum;
  };
  const auto growths = [&](Time b, std::vector<Growth>& all) {
    for (const Higher& h : higher_) {
      all.push_back(growth_of_jobs(b + closing, h.period, h.jitter, h.each));
    }
  };
  const FixedPoint b = least_fixed_point(lower, set_->tasks[i].limit(), delay, growths);
  return b.found() ? std::optional(b.value) : std::nullopt;
}

std::vector<Term> Mpcp::right_hand_side(std::size_t i, std::span<const Time> responses,
                                        Time window) {
  const GpuTask& task = set_->tasks[i];
  const std::int64_t eta = task.eta();
  r_.clear();
  if (reading_.closes_window(task)) r_.close_window();
  add_own_work(r_, task);
  for (const std::size_t h : set_->hpp(i)) {
    add_locking_preemption(r_, reading_.mode, set_->tasks[h], responses[h]);
  }
  std::vector<Term> terms = r_.terms(window);
  const auto add = [&](const Term& term) {
    if (term.amount != Time()) terms.push_back(term);
  };
  window = r_.reach(window);

  if (eta > 0) {
    // Step 1.
    find_higher(i, responses);
    const std::optional<Time> b = request_delay(i);
    // Step 2: sections of higher tasks, by the jobs in the window or by what each request waits for.
    for (const Higher& h : higher_) {
      std::int64_t jobs = jobs_in(window, h.period, h.jitter);
      if (b) {
        const std::int64_t met = jobs_in(*b + reading_.closing(), h.period, h.jitter);
        jobs = std::min(jobs, checked::mul(eta, met));
      }
      add({.label = "GPU lock, higher",
           .by = set_->tasks[h.task].index,
           .amount = jobs * h.each,
           .jobs = jobs,
           .each = h.each,
           .how = "jobs whose sections its requests can meet"});
    }
    // Step 3: the eta longest requests of lower tasks.
    requests_.clear();
    for (const std::size_t l : set_->gpu_users) {
      if (l <= i) continue;
      const std::int64_t times = reading_.cap(set_->tasks[l], window);
      for (const Segment& segment : set_->tasks[l].segments) {
        requests_.push_back({length(l, segment), times});
      }
    }
    add({.label = "GPU lock, lower",
         .amount = longest(requests_, eta),
         .how = "the longest sections of lower tasks, one per own request"});
  }
  // Step 4: boosts of each lower task on its core.
  for (const std::size_t l : set_->lower_on_core(i)) {
    const GpuTask& lower = set_->tasks[l];
    if (!lower.uses_gpu()) continue;
    const std::int64_t times = reading_.cap(lower, window);
    requests_.clear();
    for (const Segment& segment : lower.segments) {
      requests_.push_back({reading_.boost(segment), times});
    }
    add({.label = "boosted",
         .by = lower.index,
         .amount = longest(requests_, eta + 1),
         .how = "its longest boosted sections, one per own request and one more"});
  }
  return readable_terms(std::move(terms));
}

namespace {

constexpr std::string_view kMpcpNeeds = "GPU segments under one lock with a priority queue (MPCP)";

constexpr Protocol kMpcp = {
    kLockingAssumes,  kMpcpNeeds, Part::kSecondRival, GpuBetween::kPriorityLock,
    kLockingMonotone, kVariants,  kLockingOptions};

template <Mode kMode>
constexpr Ways kMpcpWays = kLocking<Mpcp, FastMpcp, kMode, Queue::kPriority>;

}  // namespace

const Method kMpcpSuspend = in_mode<kMpcpSuspend, Mode::kSuspend>(
    kMpcp, "mpcp.suspend", "GPU behind an MPCP lock, tasks suspend while the GPU works",
    "priority-lock-suspend", kMpcpWays<Mode::kSuspend>);
const Method kMpcpBusy = in_mode<kMpcpBusy, Mode::kBusy>(
    kMpcp, "mpcp.busy", "GPU behind an MPCP lock, tasks spin while the GPU works",
    "priority-lock-busy", kMpcpWays<Mode::kBusy>);

}  // namespace tactus::gcaps
