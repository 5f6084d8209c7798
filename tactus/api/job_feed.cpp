#include "tactus/api/job_feed.hpp"

#include <algorithm>
#include <chrono>

#include "tactus/host/clock.hpp"

namespace tactus::api {
namespace {

constexpr std::size_t kMostKept = std::size_t{1} << 16;

}  // namespace

void JobFeed::begin() {
  const std::lock_guard guard(mutex_);
  jobs_.clear();
  lost_ = 0;
  origin_ns_ = INT64_MAX;
  running_ = true;
}

void JobFeed::end() {
  {
    const std::lock_guard guard(mutex_);
    running_ = false;
    next_ = nullptr;
  }
  come_.notify_all();
}

void JobFeed::skipped(TaskIndex task, std::uint32_t job) {
  tactus_session_job skipped{};
  skipped.task = static_cast<std::uint32_t>(task);
  skipped.job = job;
  skipped.state = TACTUS_SESSION_JOB_SKIPPED;
  push(skipped);
}

void JobFeed::add(const trace::Interval& interval) {
  if (next_ != nullptr) next_->add(interval);
}
void JobFeed::add(const trace::Usage& usage) {
  if (next_ != nullptr) next_->add(usage);
}

void JobFeed::add(const trace::JobSpan& job) {
  if (next_ != nullptr) next_->add(job);
  tactus_session_job seen{};
  seen.task = static_cast<std::uint32_t>(job.task);
  seen.job = job.job;
  seen.state = !job.ended   ? TACTUS_SESSION_JOB_CUT_SHORT
               : job.missed ? TACTUS_SESSION_JOB_LATE
                            : TACTUS_SESSION_JOB_DONE;
  seen.release_ns = job.release.ns();
  seen.end_ns = job.end.ns();
  origin_ns_ = std::min(origin_ns_, host::now_ns() - job.end.ns());  // never later than it was
  seen.origin_ns = origin_ns_;
  push(seen);
}

void JobFeed::push(const tactus_session_job& job) {
  {
    const std::lock_guard guard(mutex_);
    if (jobs_.size() >= kMostKept) {
      jobs_.pop_front();
      ++lost_;
    }
    jobs_.push_back(job);
    jobs_.back().lost = lost_;
  }
  come_.notify_one();
}

std::int64_t JobFeed::take(tactus_session_job* jobs, std::size_t room, int wait_ms) {
  std::unique_lock lock(mutex_);
  come_.wait_for(lock, std::chrono::milliseconds(std::max(wait_ms, 0)),
                 [&] { return !jobs_.empty() || !running_; });
  if (jobs_.empty()) return running_ ? 0 : -1;
  const std::size_t count = std::min(room, jobs_.size());
  std::copy_n(jobs_.begin(), count, jobs);
  jobs_.erase(jobs_.begin(), jobs_.begin() + static_cast<std::ptrdiff_t>(count));
  return static_cast<std::int64_t>(count);
}

}  // namespace tactus::api
