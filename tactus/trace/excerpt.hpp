#pragma once

#include <optional>

#include "tactus/trace/trace.hpp"

namespace tactus::trace {

/// A stretch of time; it has a length.
struct Window {
  Time from, to;
};

/// A job by its task and its number, which counts from 0.
struct JobName {
  TaskIndex task = 0;
  std::uint32_t job = 0;
};

/// Keeps what a chart of one stretch of a run shows, and passes everything on. The memory in use
/// does not grow with the rest of the run.
class Excerpt final : public TraceSink {
 public:
  /// Everything that touches a window.
  explicit Excerpt(Window window, TraceSink* next = nullptr) : window_(window), next_(next) {}
  /// Everything around one job: three times its length, and what came shortly before. When it will
  /// be released is known only at its end; until then, what happened since the job before is kept.
  explicit Excerpt(JobName job, TraceSink* next = nullptr) : wanted_(job), next_(next) {}

  void add(const Interval& interval) override;
  void add(const JobSpan& job) override;
  void add(const Usage& usage) override;

  const Trace& trace() const { return trace_; }
  /// The job that was asked for, if it was seen.
  const std::optional<JobSpan>& job() const { return job_; }

 private:
  void forget_before(Time instant);

  Window window_ = {Time(), Time::max()};
  std::optional<JobName> wanted_;
  std::optional<JobSpan> job_;
  TraceSink* next_;
  Trace trace_;
  std::size_t kept_ = 0;  ///< intervals that were kept when it forgot the last time
};

/// The longer of a job's response and its deadline.
Time reach_of(const JobSpan& job);

/// The sum; if there is none, the last instant.
Time later_by(Time instant, Time length);

}  // namespace tactus::trace
