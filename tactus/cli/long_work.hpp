#pragma once

#include <pthread.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string_view>

#include "tactus/verbs/answer.hpp"

namespace tactus::cli {

/// While it lives, Ctrl-C (or SIGTERM) asks the current work to stop and report its results; a
/// second one ends the process. SIGUSR1 asks for a report of what was seen so far. Progress is shown on standard error when that is a terminal.
class LongWork {
 public:
  LongWork();
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

  std::stop_token stop_token() const { return stop_.get_token(); }
  std::function<void(std::string_view)> progress();
  /// Of a question: it is stopped with this work, shown by it, and told about on standard error.
  verbs::Companion companion();
  /// Whether SIGUSR1 has come since the last question.
  bool report_asked() { return report_asked_.exchange(false); }

 private:
  std::stop_source stop_;
  /// Waits for signals. Not a std::thread: that frees memory when it ends, and the first use of the
  /// heap by a thread takes as long as the start of a small program.
  static void* watch(void* work);
  pthread_t watcher_ = {};
  std::atomic<bool> done_ = false;
  std::mutex telling_;  ///< of what follows: several methods may be in work
  bool shown_ = false;
  std::atomic<bool> report_asked_ = false;
};

/// The answer to a question of a verb, which may take long.
template <typename Question>
auto long_answer(const Question& question) {
  LongWork work;
  return answer(question, work.companion());
}

}  // namespace tactus::cli
