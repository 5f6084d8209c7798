#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "tactus/runtime/device.hpp"

namespace tactus::runtime {

/// A CPU core under preemptive fixed priorities; equal ones in the order they came.
class EmulatedCore {
 public:
  struct Work {
    OpId op = 0;
    std::int64_t priority = 0;
    Time remaining;
  };

  void add(OpId op, std::int64_t priority, Time length) {
    const auto behind = std::find_if(works_.begin(), works_.end(),
                                     [&](const Work& other) { return other.priority < priority; });
    works_.insert(behind, {op, priority, length});
  }

  /// Gives the core to the most urgent work. Returns it if it is another one than before: it will
  /// be done after `remaining`, unless the core decides again before (`version`).
  std::optional<Work> choose(Time now) {
    if (works_.empty() || running_ == works_.front().op) return std::nullopt;
    if (running_) {
      for (Work& work : works_) {
        if (work.op == *running_) work.remaining -= now - since_;
      }
    }
    running_ = works_.front().op;
    since_ = now;
    ++version_;
    return works_.front();
  }

  /// Counts the decisions: one foreseen under an older version does not count any more.
  std::uint64_t version() const { return version_; }

  /// The running work is done.
  OpId finish() {
    const OpId done = *running_;
    std::erase_if(works_, [&](const Work& work) { return work.op == done; });
    running_.reset();
    ++version_;
    return done;
  }

 private:
  std::vector<Work> works_;  ///< most urgent first
  std::optional<OpId> running_;
  Time since_;
  std::uint64_t version_ = 0;
};

}  // namespace tactus::runtime
