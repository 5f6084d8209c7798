#include "tactus/methods/gcaps/fast/mpcp.hpp"

#include <algorithm>

namespace tactus::gcaps {

void FastMpcp::begin(const Inquiry& inquiry) {
  set_ = &inquiry.set;
  reading_ = {is_printed(inquiry.variant), inquiry.mode};
  r_.restart(/*for_terms=*/false);
  sum_.clear();
  longest_below_.assign(set_->tasks.size() + 1, Time());
  boosts_from_.clear();
  requests_.clear();
  boosts_.clear();
  Time higher;  // of the real-time tasks before k
  for (std::size_t k = 0; k < set_->tasks.size(); ++k) {
    const Time nested = reading_.nested(higher);
    Time longest, sum;
    boosts_from_.push_back(boosts_.size());
    for (const Segment& segment : set_->tasks[k].segments) {
      const Time length = segment.length() + nested;
      longest = std::max(longest, length);
      sum += length;
      requests_.push_back({length, k});
      boosts_.push_back({reading_.boost(segment), k});
    }
    std::sort(boosts_.begin() + static_cast<std::ptrdiff_t>(boosts_from_[k]), boosts_.end(),
              longer);
    longest_below_[k] = longest;
    sum_.push_back(sum);
    if (!set_->tasks[k].best_effort) higher += set_->tasks[k].longest_section;
  }
  boosts_from_.push_back(boosts_.size());
  std::sort(requests_.begin(), requests_.end(), longer);
  for (std::size_t k = set_->tasks.size(); k-- > 0;) {
    longest_below_[k] = std::max(longest_below_[k], longest_below_[k + 1]);
  }
}

FixedPoint FastMpcp::window_of(std::size_t i, std::span<const Time> responses) {
  const GpuTask& task = set_->tasks[i];
  r_.clear();
  if (reading_.closes_window(task)) r_.close_window();
  add_own_work(r_, task);
  for (std::size_t h : set_->hpp(i)) {
    add_locking_preemption(r_, reading_.mode, set_->tasks[h], responses[h]);
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

std::int64_t FastMpcp::rise_of(RisingJobs& jobs, Time window) {
  if (!jobs.rises(window)) return 0;
  const std::int64_t before = jobs.count();
  jobs.rise(window);
  return jobs.count() - before;
}

/// Collects, once for task i, the requests that can delay it.
void FastMpcp::prepare(std::size_t i, std::span<const Time> responses) {
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
    higher_.push_back({RisingJobs(*other.period, reading_.jitter(other, responses[k])), sum_[k]});
  }
  // Each is met at least once where it is met at all, so that the longest few are enough.
  for (const Request& request : requests_) {
    if (std::ssize(lower_) == task.eta()) break;
    if (request.task > i) lower_.push_back(request);
  }
  if (settle(lower_, task.eta())) lower_.clear();
  limit_by_requests(i);
}

/// Step 1, and the minimum of step 2: no more jobs of a higher task than its requests can wait for.
void FastMpcp::limit_by_requests(std::size_t i) {
  const GpuTask& task = set_->tasks[i];
  const Time longest_lower = longest_below_[i + 1], closing = reading_.closing();
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

/// Steps 3 and 4: the longest requests, each at most as often as its task has jobs, `count` in
/// all. @pre sorted by decreasing length.
Time FastMpcp::longest_requests(std::span<const Request> requests, std::int64_t count,
                                Time window) const {
  Time sum;
  for (const Request& request : requests) {
    if (count == 0) break;
    const std::int64_t taken = std::min(count, reading_.cap(set_->tasks[request.task], window));
    sum += taken * request.length;
    count -= taken;
  }
  return sum;
}

/// Is the longest request met `count` times in any window, however short? Then that is summed up
/// at once.
bool FastMpcp::settle(std::span<const Request> requests, std::int64_t count) {
  if (requests.empty()) return false;
  const Request& longest = requests.front();
  if (reading_.cap(set_->tasks[longest.task], Time::from_ns(1)) < count) return false;
  settled_ += count * longest.length;
  return true;
}

}  // namespace tactus::gcaps
