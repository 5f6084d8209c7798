#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "tactus/api/c_answer.hpp"
#include "tactus/api/handles.hpp"
#include "tactus/api/job_feed.hpp"
#include "tactus/runtime/api.hpp"
#include "tactus/verbs/run.hpp"

/// A system with what its nodes do, and in most cases a plan.
struct tactus_session {
  tactus::System system;
  tactus::verbs::Subject subject;  ///< without a method: it can only be measured
  tactus::verbs::MachineQuestion machine;
  tactus::runtime::Workload workload;
  tactus::runtime::Arrivals arrivals;
  tactus::runtime::OverrunCallback overrun;
  tactus::api::JobFeed feed;
  mutable std::mutex mutex;  ///< of `stop` and of what was seen, which another thread may ask for
  std::stop_source stop;     ///< of the run or measurement in progress, or of the next one

  std::optional<tactus::trace::Observed>
      seen;  ///< of the last run, or of this one until a moment ago
  bool running = false;
  mutable bool look_wanted = false;  ///< by another thread; the run answers with `looked`
  mutable std::condition_variable looked;

  enum class State { kIdle, kUsed, kClosing };
  std::atomic<State> state = State::kIdle;  ///< used: it is run, measured or bound to just now

  std::stop_token stop_token() {
    const std::lock_guard guard(mutex);
    return stop.get_token();
  }
  void begin_run() {
    const std::lock_guard guard(mutex);
    running = true;
    seen.reset();
  }
  void end_run(std::optional<tactus::trace::Observed> last) {
    const std::lock_guard guard(mutex);
    running = look_wanted = false;
    seen = std::move(last);
    looked.notify_all();
  }
  void stop_was_heard() {
    const std::lock_guard guard(mutex);
    stop = std::stop_source();
  }
};

namespace tactus::api {

using Sessions = Handles<tactus_session>;

/// One use at a time: what runs must not be bound anew beneath it. What was closed meanwhile (by a
/// function that it called) is freed at its end.
class Use {
 public:
  explicit Use(tactus_session& session) : session_(session) {
    auto idle = tactus_session::State::kIdle;
    only_ = session.state.compare_exchange_strong(idle, tactus_session::State::kUsed);
  }
  ~Use() {
    auto used = tactus_session::State::kUsed;
    if (only_ && !session_.state.compare_exchange_strong(used, tactus_session::State::kIdle))
      delete &session_;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  explicit operator bool() const { return only_; }

 private:
  tactus_session& session_;
  bool only_ = false;
};

/// The answer to a handle that is none, and to one that is in use.
tactus_answer* not_a_session();
tactus_answer* session_in_use();

}  // namespace tactus::api
