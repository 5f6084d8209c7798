#include "tactus/host/line_process.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "tactus/host/clock.hpp"

namespace tactus::host {
namespace {

constexpr std::int64_t kLinePatienceMs = 1000;
constexpr int kLookUpMs = 50;  ///< so often we look whether we are asked to stop

/// `write`, without the signal that would end this process when nobody reads any more.
ssize_t write_quietly(int to, const char* data, std::size_t size) {
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const ssize_t written = write(to, data, size);
  const int problem = errno;
  if (written < 0 && problem == EPIPE) {
    const timespec at_once{};
    while (sigtimedwait(&pipe, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = problem;
  return written;
}

/// A pipe of which our end does not block. @param ours 0: we read, 1: we write
bool make_pipe(int (&ends)[2], int ours) {
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  return fcntl(ends[ours], F_SETFL, O_NONBLOCK) == 0;
}

void close_all(std::initializer_list<int> descriptors) {
  for (const int one : descriptors) {
    if (one >= 0) close(one);
  }
}

}  // namespace

Result<LineProcess> LineProcess::start(const std::string& command) {
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
  if (!make_pipe(in, 1) || !make_pipe(out, 0) || !make_pipe(err, 0)) {
    const int problem = errno;
    close_all({in[0], in[1], out[0], out[1], err[0], err[1]});
    return Error{fmt::format("no pipe can be made: {}", strerror(problem))};
  }
  auto child = Child::start({"/bin/sh", "-c", command}, {},
                            {.in = in[0], .out = out[1], .err = err[1]}, Group::kOwn);
  close_all({in[0], out[1], err[1]});
  if (!child) {
    close_all({in[1], out[0], err[0]});
    return child.error();
  }
  LineProcess process;
  process.child_ = std::move(*child);
  process.in_ = in[1];
  process.out_ = out[0];
  process.err_ = err[0];
  return process;
}

LineProcess::LineProcess(LineProcess&& other) noexcept
    : child_(std::move(other.child_)),
      in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)),
      err_(std::exchange(other.err_, -1)),
      silent_(other.silent_),
      heard_(std::move(other.heard_)),
      last_words_(std::move(other.last_words_)) {}

LineProcess::~LineProcess() {
  close_all({in_, out_, err_});
  if (child_.pid() < 0) return;
  child_.wait(kLinePatienceMs);
  child_.kill_group();
}

void LineProcess::kill_all() {
  close_all({std::exchange(in_, -1), std::exchange(out_, -1), std::exchange(err_, -1)});
  child_.kill_group();
  child_.wait();
}

/// Takes in what can be read now, of the answer at most `most` bytes.
void LineProcess::hear(std::size_t most) {
  char buffer[16384];
  while (heard_.size() <= most && !silent_) {
    const ssize_t got = read(out_, buffer, sizeof buffer);
    if (got > 0) heard_.append(buffer, static_cast<std::size_t>(got));
    if (got == 0) silent_ = true;
    if (got <= 0 && errno != EINTR) break;
    if (got == 0) break;
  }
  constexpr std::size_t kLastWords = 2000;
  for (;;) {
    const ssize_t got = err_ < 0 ? 0 : read(err_, buffer, sizeof buffer);
    if (got > 0) {
      last_words_.append(buffer, static_cast<std::size_t>(got));
      if (last_words_.size() > kLastWords) last_words_.erase(0, last_words_.size() - kLastWords);
      continue;
    }
    if (got == 0) close_all({std::exchange(err_, -1)});
    if (got < 0 && errno == EINTR) continue;
    break;
  }
}

bool LineProcess::waits_for_a_question() {
  hear(0);
  return heard_.empty() && !silent_ && !child_.ended();
}

Error LineProcess::failed(std::string why) {
  kill_all();
  return Error{std::move(why)};
}

/// It has closed its output: how did it end, and what did it say at last?
Error LineProcess::ended() {
  const std::optional<int> code = child_.wait(kLinePatienceMs);
  ended_well_ = code == 0;
  hear(heard_.size());
  std::string why = "it closed its output";
  if (code) {
    why = *code > 128 ? fmt::format("it was ended by signal {}", *code - 128)
                      : fmt::format("it ended with exit code {}", *code);
  }
  while (!last_words_.empty() && strchr("\n\r \t", last_words_.back()) != nullptr) {
    last_words_.pop_back();
  }
  const std::string last = last_words_.substr(last_words_.rfind('\n') + 1);
  return failed(last.empty() ? why : fmt::format("{}: {}", why, last));
}

Result<std::string> LineProcess::ask(std::string_view line, const Limits& limits,
                                     const std::stop_token& stop) {
  std::string question(line);
  question += '\n';
  std::size_t said = 0;
  const std::int64_t deadline = now_ns() + limits.time_ns;
  bool listens = true;
  for (;;) {
    hear(limits.answer_bytes);
    if (const std::size_t end = heard_.find('\n'); end != std::string::npos) {
      if (end > limits.answer_bytes) return failed("its answer is too long");
      std::string answer = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      if (said < question.size()) return failed("it answered before the question was complete");
      if (!heard_.empty()) return failed("it answered with more than one line");
      return answer;
    }
    if (heard_.size() > limits.answer_bytes) {
      return failed(fmt::format("its answer is longer than {} bytes", limits.answer_bytes));
    }
    if (silent_) return ended();
    if (stop.stop_requested()) return failed("interrupted");
    const std::int64_t left = deadline - now_ns();
    if (left <= 0) {
      return failed(
          fmt::format("it did not answer within {} s", static_cast<double>(limits.time_ns) / 1e9));
    }
    if (said < question.size() && listens) {
      const ssize_t written = write_quietly(in_, question.data() + said, question.size() - said);
      if (written > 0) {
        said += static_cast<std::size_t>(written);
        continue;
      }
      // It may have answered, or said why it ends, before it closed its input.
      if (written < 0 && errno == EPIPE) listens = false;
    }
    pollfd wanted[3] = {{out_, POLLIN, 0},
                        {err_, POLLIN, 0},
                        {said < question.size() && listens ? in_ : -1, POLLOUT, 0}};
    const std::int64_t most = std::min<std::int64_t>(kLookUpMs, left / 1'000'000 + 1);
    poll(wanted, 3, static_cast<int>(most));
  }
}

}  // namespace tactus::host
