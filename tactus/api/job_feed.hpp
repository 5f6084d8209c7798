#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "tactus/tactus.h"
#include "tactus/trace/trace.hpp"

namespace tactus::api {

/// The jobs of a run for one reader on another thread, who takes them when it likes. The thread that
/// runs the plan never waits for it: where it is too slow, the oldest are lost.
class JobFeed final : public trace::TraceSink {
 public:
  void begin();
  /// @param next  who is told, too, or null
  void pass_on_to(trace::TraceSink* next) { next_ = next; }
  void end();
  void skipped(TaskIndex task, std::uint32_t job);

  void add(const trace::Interval& interval) override;
  void add(const trace::JobSpan& job) override;
  void add(const trace::Usage& usage) override;

  /// Up to `room` jobs, after waiting for the first one for at most so long. Nothing and no run: -1.
  std::int64_t take(tactus_session_job* jobs, std::size_t room, int wait_ms);

 private:
  void push(const tactus_session_job& job);

  trace::TraceSink* next_ = nullptr;
  std::mutex mutex_;
  std::condition_variable come_;
  std::deque<tactus_session_job> jobs_;
  bool running_ = false;
  std::uint32_t lost_ = 0;
  std::int64_t origin_ns_ = INT64_MAX;  ///< only for the thread that runs the plan
};

}  // namespace tactus::api
