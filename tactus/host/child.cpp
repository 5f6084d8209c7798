#include "tactus/host/child.hpp"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <utility>

extern char** environ;

namespace tactus::host {

Result<Child> Child::start(const std::vector<std::string>& command,
                           const std::vector<std::string>& environment, const Streams& streams) {
  std::vector<char*> arguments, variables;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
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
  Child child;
  const int problem = posix_spawnp(&child.pid_, arguments.front(), &actions, nullptr,
                                   arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    child.pid_ = -1;
    return Error{"cannot start " + command.front() + ": " + strerror(problem)};
  }
  return child;
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

std::optional<int> Child::ended() {
  if (pid_ < 0 || code_) return code_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_)
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code_;
}

void Child::terminate() {
  if (pid_ >= 0 && !ended()) kill(pid_, SIGTERM);
}

int Child::wait() {
  int status = 0;
  while (!code_ && waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (!code_) code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return *code_;
}

std::optional<int> Child::wait(std::int64_t milliseconds) {
  for (std::int64_t waited = 0; !ended() && waited < milliseconds; ++waited) {
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return ended();
}

}  // namespace tactus::host
