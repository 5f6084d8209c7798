#include "tactus/host/helper_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "tactus/host/clock.hpp"
#include "tactus/host/programs.hpp"

namespace tactus::host {
namespace {

constexpr std::int64_t kHelperPatienceMs = 1000;

}  // namespace

HelperProcess::HelperProcess(const std::vector<std::string>& arguments) {
  int in[2] = {-1, -1}, out[2] = {-1, -1};
  if (pipe2(in, O_CLOEXEC) != 0) return;
  if (pipe2(out, O_CLOEXEC) != 0) {
    close(in[0]);
    close(in[1]);
    return;
  }
  std::vector<std::string> command = {own_program()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (auto started = Child::start(command, {}, {.in = in[0], .out = out[1]}))
    child_ = std::move(*started);
  close(in[0]);
  close(out[1]);
  in_ = in[1];
  out_ = out[0];
}

HelperProcess::HelperProcess(HelperProcess&& other) noexcept
    : child_(std::move(other.child_)),
      in_(std::exchange(other.in_, -1)),
      out_(std::exchange(other.out_, -1)),
      heard_(std::move(other.heard_)) {}

HelperProcess::~HelperProcess() {
  if (in_ >= 0) close(in_);
  if (out_ >= 0) close(out_);
  if (started()) child_.wait(kHelperPatienceMs);
}

bool HelperProcess::say(const std::string& line) const {
  const std::string text = line + "\n";
  // When a helper has ended, this process must not end, too.
  struct sigaction ignore = {}, before = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  const ssize_t written = write(in_, text.data(), text.size());
  sigaction(SIGPIPE, &before, nullptr);
  return written == static_cast<ssize_t>(text.size());
}

std::optional<std::string> HelperProcess::listen(int timeout_ms) {
  const std::int64_t deadline = now_ns() + std::int64_t{timeout_ms} * 1'000'000;
  for (;;) {
    if (const std::size_t end = heard_.find('\n'); end != std::string::npos) {
      std::string line = heard_.substr(0, end);
      heard_.erase(0, end + 1);
      return line;
    }
    const std::int64_t left = (deadline - now_ns()) / 1'000'000;
    pollfd wanted = {out_, POLLIN, 0};
    const int ready = left > 0 ? poll(&wanted, 1, static_cast<int>(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    char buffer[4096];
    const ssize_t got = read(out_, buffer, sizeof buffer);
    if (got <= 0) return std::nullopt;
    heard_.append(buffer, static_cast<std::size_t>(got));
  }
}

}  // namespace tactus::host
