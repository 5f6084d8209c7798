#include "tactus/trace/excerpt.hpp"

#include <algorithm>

namespace tactus::trace {

Time reach_of(const JobSpan& job) {
  return std::max(job.response(), job.deadline.value_or(Time()));
}

Time later_by(Time instant, Time length) {
  return length > Time::max() - instant ? Time::max() : instant + length;
}

void Excerpt::forget_before(Time instant) {
  window_.from = std::max(window_.from, instant);
  // Now and then, so that a kept interval is looked at a constant number of times.
  constexpr std::size_t kFew = 1024;
  if (trace_.intervals.size() < std::max(kFew, 2 * kept_)) return;
  std::erase_if(trace_.intervals, [&](const Interval& i) { return i.end < window_.from; });
  std::erase_if(trace_.jobs, [&](const JobSpan& job) {
    return later_by(job.release, reach_of(job)) < window_.from;
  });
  kept_ = trace_.intervals.size();
}

void Excerpt::add(const Interval& interval) {
  if (interval.start < window_.to && interval.end > window_.from) trace_.add(interval);
  if (next_ != nullptr) next_->add(interval);
}

void Excerpt::add(const JobSpan& job) {
  if (job.release <= window_.to && later_by(job.release, reach_of(job)) >= window_.from) {
    trace_.add(job);
  }
  if (wanted_ && job.task == wanted_->task && job.job <= wanted_->job) {
    const Time before = std::min(job.release, reach_of(job));
    forget_before(job.release - before);
    if (job.job == wanted_->job) {
      job_ = job;
      Time until = job.release;
      for (int i = 0; i < 3; ++i) until = later_by(until, reach_of(job));
      window_.to = until;
    }
  }
  if (next_ != nullptr) next_->add(job);
}

void Excerpt::add(const Usage& usage) {
  if (next_ != nullptr) next_->add(usage);
}

}  // namespace tactus::trace
