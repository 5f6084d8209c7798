#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "tactus/api/answer.hpp"
#include "tactus/api/handles.hpp"
#include "tactus/runtime/api.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/verbs/simulate.hpp"

/// A system with what its nodes do, and in most cases a plan.
struct tactus_session {
  tactus::System system;
  tactus::verbs::Subject subject;  ///< without a method: it can only be measured
  std::string backend;
  tactus::runtime::BackendOptions machine;
  tactus::runtime::Workload workload;
  mutable std::mutex mutex;  ///< of `stop` and `report`, which another thread may use
  std::stop_source stop;     ///< of the run or measurement in progress, or of the next one
  std::optional<std::string> report;
  int report_status = TACTUS_UNKNOWN;

  std::atomic<bool> used = false;  ///< it is run, measured or bound to just now

  std::stop_token stop_token() {
    const std::lock_guard guard(mutex);
    return stop.get_token();
  }
  void stop_was_heard() {
    const std::lock_guard guard(mutex);
    stop = std::stop_source();
  }
};

namespace tactus::api {

using Sessions = Handles<tactus_session>;

/// One use at a time: what runs must not be bound anew beneath it.
class Use {
 public:
  explicit Use(tactus_session& session) : session_(session), only_(!session.used.exchange(true)) {}
  ~Use() {
    if (only_) session_.used = false;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  explicit operator bool() const { return only_; }

 private:
  tactus_session& session_;
  bool only_;
};

/// The answer to a handle that is none, and to one that is in use.
tactus_answer* not_a_session();
tactus_answer* session_in_use();

}  // namespace tactus::api
