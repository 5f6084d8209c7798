#pragma once

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
  std::mutex mutex;       ///< of `stop`, which another thread may use
  std::stop_source stop;  ///< of the run or measurement in progress, or of the next one
  std::optional<std::string> report;
  int report_status = TACTUS_UNKNOWN;

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

/// The answer to a handle that is none.
tactus_answer* not_a_session();

}  // namespace tactus::api
