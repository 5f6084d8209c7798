#include "tactus/cli/long_work.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>

#include "tactus/cli/budget.hpp"
#include "tactus/host/terminal.hpp"

namespace tactus::cli {
namespace {

/// From a user who wants to see the report; at the end it only wakes the watcher.
constexpr int kReport = SIGUSR1;

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);  // from batch systems, and from mpirun when another rank has died
  sigaddset(&set, kReport);
  return set;
}

}  // namespace

LongWork::LongWork() {
  const sigset_t set = watched_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);  // threads started from here on inherit it
  watcher_ = std::jthread([this, set](const std::stop_token& done) {
    const std::chrono::seconds budget = time_budget();
    const timespec most{budget.count(), 0};
    for (;;) {
      const bool limited = budget.count() > 0 && !stop_.stop_requested();
      const int signal = limited ? sigtimedwait(&set, nullptr, &most) : sigwaitinfo(&set, nullptr);
      if (done.stop_requested()) return;
      if (signal < 0 && errno == EAGAIN) {
        stop_.request_stop();
        continue;
      }
      if (signal == kReport) report_asked_ = true;
      if (signal < 0 || signal == kReport) continue;
      if (stop_.stop_requested()) _exit(130);
      stop_.request_stop();
    }
  });
}

LongWork::~LongWork() {
  watcher_.request_stop();
  pthread_kill(watcher_.native_handle(), kReport);
  watcher_.join();
  const sigset_t set = watched_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  if (shown_) std::fputs("\r\033[K", stderr);
}

std::function<void(std::string_view)> LongWork::progress() {
  if (!host::is_terminal(STDERR_FILENO)) return {};
  return [this](std::string_view text) {
    const std::lock_guard guard(telling_);
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(text.size()), text.data());
    std::fflush(stderr);
  };
}

}  // namespace tactus::cli
