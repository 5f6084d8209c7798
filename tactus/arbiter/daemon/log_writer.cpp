#include "tactus/arbiter/daemon/log_writer.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "tactus/arbiter/private_folder.hpp"
#include "tactus/arbiter/tier.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"

namespace tactus::arbiter::daemon {
namespace {

/// Lines are collected for this long, so that one write and one wake-up are enough for many.
constexpr auto kCollect = std::chrono::milliseconds(5);
/// How long the end of the arbiter waits for a log that cannot be written.
constexpr std::int64_t kLastPatienceNs = 500'000'000;
constexpr int kRoomMs = 50;

/// Never waits, not even for the reader of a pipe; and writes to no file that another user made.
Result<int> open_log(const std::string& path) {
  const auto opened = open_without_traps(
      path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
  if (!opened) return Error{fmt::format("cannot write {}: {}", path, opened.error().message)};
  return *opened;
}

/// Moves the log to FILE.1, if its name still means the file that we write: else it is not ours to
/// move. In the folder as it was opened: another user cannot put a different one in its place.
bool move_away(const std::string& path, const struct stat& written) {
  const std::size_t slash = path.rfind('/');
  const std::string name = path.substr(slash == std::string::npos ? 0 : slash + 1);
  const std::string place = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int folder = open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  struct stat named {};
  const bool moved = fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                     named.st_dev == written.st_dev && named.st_ino == written.st_ino &&
                     renameat(folder, name.c_str(), folder, (name + ".1").c_str()) == 0;
  close(folder);
  return moved;
}

}  // namespace

Result<std::unique_ptr<LogWriter>> LogWriter::open(const std::string& path,
                                                   std::uint64_t most_bytes) {
  const auto descriptor = open_log(path);
  if (!descriptor) return descriptor.error();
  std::unique_ptr<LogWriter> made(new LogWriter);
  made->shared_->path = path;
  made->shared_->most_bytes = most_bytes;
  made->shared_->descriptor = *descriptor;
  // A pipe without a reader and a size limit are told by signals: not to this thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::optional<Error> problem;
  try {
    made->thread_ = std::thread([shared = made->shared_] { serve(shared); });
  } catch (const std::system_error& refused) {  // a limit of processes
    problem = Error{fmt::format("cannot start the thread that writes the log: {}",
                                std::strerror(refused.code().value()))};
    close(*descriptor);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (problem) return *problem;
  return made;
}

LogWriter::~LogWriter() {
  if (!thread_.joinable()) return;  // it could not be started
  Shared& shared = *shared_;
  shared.over = true;
  shared.wake.store(1);
  host::futex_wake_all(shared.wake);
  const std::int64_t deadline = host::now_ns() + kLastPatienceNs;
  while (shared.ended.load() == 0 && host::now_ns() < deadline)
    host::futex_wait(shared.ended, 0, deadline);
  if (shared.ended.load() != 0) {
    thread_.join();
  } else {
    thread_.detach();  // it hangs in a write that nothing can end; what it needs stays with it
  }
}

bool LogWriter::take(const std::string& text, std::uint64_t lines) {
  const std::unique_lock lock(shared_->mutex, std::try_to_lock);
  if (!lock) {
    if (text.size() < kMostWaiting) return false;
    shared_->dropped += lines;
    return true;
  }
  if (shared_->waiting.size() + text.size() > kMostWaiting) {
    shared_->dropped += lines;
    return true;
  }
  shared_->waiting += text;
  shared_->waiting_lines += lines;
  if (shared_->wake.exchange(1) == 0) host::futex_wake_all(shared_->wake);
  return true;
}

void LogWriter::reopen() {
  shared_->reopen = true;
  shared_->wake.store(1);
  host::futex_wake_all(shared_->wake);
}

void LogWriter::serve(const std::shared_ptr<Shared>& shared) {
  pthread_setname_np(pthread_self(), "tactus-log");
  for (bool last = false; !last;) {
    while (shared->wake.load() == 0) host::futex_wait(shared->wake, 0);
    shared->wake.store(0);
    last = shared->over;  // looked at before the lines are: what was said before the end is kept
    if (!last) std::this_thread::sleep_for(kCollect);
    std::string text;
    std::uint64_t lines = 0;
    {
      const std::lock_guard lock(shared->mutex);
      text.swap(shared->waiting);
      std::swap(lines, shared->waiting_lines);
    }
    // Before what is to come: the lines so far belong to the file that was there.
    write_out(*shared, text, lines);
    if (shared->reopen.exchange(false)) {
      if (const auto fresh = open_log(shared->path)) {
        close(shared->descriptor);
        shared->descriptor = *fresh;
        shared->told_full = false;
      }
    }
  }
  close(shared->descriptor);
  shared->ended.store(1);
  host::futex_wake_all(shared->ended);
}

bool LogWriter::has_room(Shared& shared, std::size_t more) {
  struct stat written {};
  if (fstat(shared.descriptor, &written) != 0 || !S_ISREG(written.st_mode)) return true;
  if (static_cast<std::uint64_t>(written.st_size) + more <= shared.most_bytes) return true;
  if (move_away(shared.path, written)) {
    if (const auto fresh = open_log(shared.path)) {
      close(shared.descriptor);
      shared.descriptor = *fresh;
      shared.half_line = false;
      const std::string line =
          fmt::format("{{\"t\": {}, \"event\": \"rotated\", \"client\": 0}}\n", host::now_ns());
      [[maybe_unused]] const ssize_t told = write(*fresh, line.data(), line.size());
      return true;
    }
  }
  if (!std::exchange(shared.told_full, true)) {
    const std::string line = fmt::format(
        "tactusd: {0} has reached its limit (--log-limit) and cannot be moved to {0}.1: no more "
        "lines until SIGHUP\n",
        shared.path);
    [[maybe_unused]] const ssize_t told = write(STDERR_FILENO, line.data(), line.size());
  }
  return false;
}

void LogWriter::write_out(Shared& shared, const std::string& text, std::uint64_t lines) {
  constexpr std::size_t kDroppedLine = 128;  // at most
  if (!has_room(shared, text.size() + (shared.dropped.load() > 0 ? kDroppedLine : 0))) {
    shared.dropped += lines;
    return;
  }
  const std::uint64_t missing = shared.dropped.exchange(0);
  std::string all = shared.half_line && (missing > 0 || lines > 0) ? "\n" : "";
  if (missing > 0)
    all += fmt::format("{{\"t\": {}, \"event\": \"dropped\", \"client\": 0, \"lines\": {}}}\n",
                       host::now_ns(), missing);
  const std::size_t head = all.size();
  all += text;
  std::size_t done = 0;
  while (done < all.size()) {
    const ssize_t written = write(shared.descriptor, all.data() + done, all.size() - done);
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno == EAGAIN && !shared.over &&
               !shared.reopen) {  // its reader is slow, or frozen
      pollfd room{shared.descriptor, POLLOUT, 0};
      poll(&room, 1, kRoomMs);
    } else if (errno != EINTR) {
      break;
    }
  }
  if (done > 0) shared.half_line = all[done - 1] != '\n';
  if (done == all.size()) return;
  if (done < head) shared.dropped += missing;
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(head);
  const auto to = all.begin() + static_cast<std::ptrdiff_t>(std::max(head, done));
  shared.dropped += lines - static_cast<std::uint64_t>(std::count(from, to, '\n'));
}

}  // namespace tactus::arbiter::daemon
