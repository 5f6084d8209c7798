#include "tactus/cli/long_work.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>

#include "tactus/base/unfinished.hpp"
#include "tactus/cli/budget.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/progress_line.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/terminal.hpp"
#include "tactus/report/text/terminal.hpp"

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

void* LongWork::watch(void* work) {
  auto& self = *static_cast<LongWork*>(work);
  const sigset_t set = watched_signals();
  const std::chrono::seconds budget = time_budget();
  const timespec most{budget.count(), 0};
  for (;;) {
    const bool limited = budget.count() > 0 && !self.stop_.stop_requested();
    const int signal = limited ? sigtimedwait(&set, nullptr, &most) : sigwaitinfo(&set, nullptr);
    if (self.done_) return nullptr;
    if (signal < 0 && errno == EAGAIN) {
      self.stop_.request_stop();
      continue;
    }
    if (signal == kReport) self.report_asked_ = true;
    if (signal < 0 || signal == kReport) continue;
    if (self.stop_.stop_requested()) {
      unfinished::remove_all();
      _exit(130);
    }
    self.stop_.request_stop();
  }
}

LongWork::LongWork() {
  const sigset_t set = watched_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);  // threads started from here on inherit it
  const int problem = pthread_create(&watcher_, nullptr, watch, this);
  if (problem != 0) throw std::system_error(problem, std::generic_category());
}

LongWork::~LongWork() {
  done_ = true;
  pthread_kill(watcher_, kReport);
  pthread_join(watcher_, nullptr);
  const sigset_t set = watched_signals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  if (shown_) std::fputs("\r\033[K", stderr);
}

verbs::Companion LongWork::companion() {
  return {.stop = stop_token(), .progress = progress(), .tell = told_here().tell};
}

std::function<void(std::string_view)> LongWork::progress() {
  if (!host::is_terminal(STDERR_FILENO) || host::terminal_wishes().quiet) return {};
  return [this, begin = host::now_ns()](std::string_view told) {
    constexpr double kSecond = 1e9;
    const std::string line =
        progress_line(told, static_cast<double>(host::now_ns() - begin) / kSecond,
                      report::Style::of(STDERR_FILENO).fold);
    const std::lock_guard guard(telling_);
    shown_ = true;
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
  };
}

}  // namespace tactus::cli
