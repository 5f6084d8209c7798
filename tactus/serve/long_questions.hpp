#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tactus/serve/questions.hpp"
#include "tactus/serve/watch.hpp"

namespace tactus::serve {

/// Questions that take long: each has a thread, and a number by which its progress and its answer are
/// fetched, and by which it is stopped. A few run at a time, and a few answers are kept.
class Jobs {
 public:
  struct Limits {
    std::size_t running = 4, kept = 16;
    std::chrono::seconds time = std::chrono::minutes(10);
  };
  Jobs(Watch& watch, const Limits& limits) : watch_(watch), limits_(limits) {}

  /// @return its number; nothing where too many run already
  std::optional<std::uint64_t> start(const Question& question, std::string body);
  /// { "job", "question", "state": "running" | "done", "progress", "seconds", "answer" }
  std::optional<std::string> describe(std::uint64_t id);
  /// Its answer will be what it has found until then. @return whether there is such a job
  bool stop(std::uint64_t id);

 private:
  struct Job;

  Watch& watch_;
  Limits limits_;
  std::mutex mutex_;  ///< of what follows
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Job>> jobs_;
};

}  // namespace tactus::serve
