#include "tactus/host/child.hpp"

#include <errno.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "tactus/host/nap.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace tactus::host {
namespace {

/// As the calls that start programs want it. @pre the words outlive it
std::vector<char*> words_of(const std::vector<std::string>& command) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  return words;
}

}  // namespace

Result<Child> Child::start(const std::vector<std::string>& command,
                           const std::vector<std::string>& environment, const Streams& streams,
                           Group group) {
  const std::vector<char*> arguments = words_of(command);
  std::vector<char*> variables;
  const auto replaced = [&](const char* line) {
    for (const std::string& ours : environment)
      if (ours.compare(0, ours.find('=') + 1, line, 0, ours.find('=') + 1) == 0) return true;
    return false;
  };
  for (char** line = environ; *line != nullptr; ++line)
    if (!replaced(*line)) variables.push_back(*line);
  for (const std::string& ours : environment) variables.push_back(const_cast<char*>(ours.c_str()));
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (streams.in >= 0) posix_spawn_file_actions_adddup2(&actions, streams.in, STDIN_FILENO);
  if (streams.out >= 0) posix_spawn_file_actions_adddup2(&actions, streams.out, STDOUT_FILENO);
  if (streams.err >= 0) posix_spawn_file_actions_adddup2(&actions, streams.err, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (group == Group::kOwn) {
    // A thread that does long work blocks signals, which is no concern of what it starts.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  }
  Child child;
  const int problem = posix_spawnp(&child.pid_, arguments.front(), &actions, &attributes,
                                   arguments.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    child.pid_ = -1;
    return Error{"cannot start " + command.front() + ": " + strerror(problem)};
  }
  return child;
}

Result<Child> Child::fork(const std::function<int()>& work) {
  Child child;
  child.pid_ = ::fork();
  if (child.pid_ == 0) _exit(work());
  if (child.pid_ < 0) return Error{fmt::format("no process can be made: {}", strerror(errno))};
  return child;
}

std::optional<Error> fork_apart(const std::function<void()>& work) {
  // Twice: the one in the middle ends at once, so that the other is nobody's child.
  auto middle = Child::fork([&] {
    const pid_t apart = ::fork();
    if (apart == 0) {
      work();
      _exit(0);
    }
    return apart > 0 ? 0 : 1;
  });
  if (!middle) return middle.error();
  if (middle->wait() != 0) return Error{"no process can be made"};
  return std::nullopt;
}

int become(const std::vector<std::string>& command) {
  execvp(command.front().c_str(), words_of(command).data());
  return errno;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), code_(std::exchange(other.code_, std::nullopt)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(code_, other.code_);
  return *this;
}

Child::~Child() {
  if (pid_ < 0 || ended()) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Child::note(int status) {
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::optional<int> Child::ended() {
  if (pid_ < 0 || code_) return code_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) note(status);
  return code_;
}

std::optional<int> Child::ended_among_all() {
  int status = 0;
  for (pid_t one = 0; (one = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (one == pid_) note(status);
  }
  return code_;
}

void Child::terminate() {
  if (pid_ >= 0 && !ended()) kill(pid_, SIGTERM);
}

void Child::kill_group() {
  if (pid_ > 0) kill(-pid_, SIGKILL);
}

int Child::wait() {
  int status = 0;
  while (!code_ && waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (!code_) note(status);
  return *code_;
}

std::optional<int> Child::wait(std::int64_t milliseconds) {
  for (std::int64_t waited = 0; !ended() && waited < milliseconds; ++waited) {
    nap_ns(1'000'000);
  }
  return ended();
}

}  // namespace tactus::host
