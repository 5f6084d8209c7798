#include "tactus/serve/http/connection.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace tactus::serve {

Connection::Connection(int socket, const Limits& limits, std::string begun)
    : socket_(socket),
      limits_(limits),
      read_until_(Clock::now() + limits.reading),
      buffer_(std::move(begun)),
      total_(buffer_.size()) {}

bool Connection::wait(int socket, short event, Clock::time_point until) {
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd watched{socket, event, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

ssize_t Connection::read(char* place, std::size_t size) {
  if (at_ == buffer_.size()) {
    if (!wait(socket_, POLLIN, read_until_)) {
      too_slow_ = true;
      return -1;
    }
    ssize_t got = -1;
    at_ = 0;
    buffer_.resize(4096);
    do {
      got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    } while (got < 0 && errno == EINTR);
    buffer_.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (got <= 0) return got;
    total_ += static_cast<std::size_t>(got);
    if (total_ > limits_.bytes) return -1;
  }
  const std::size_t taken = std::min(size, buffer_.size() - at_);
  std::copy_n(buffer_.data() + at_, taken, place);
  at_ += taken;
  return static_cast<ssize_t>(taken);
}

ssize_t Connection::write(const char* text, std::size_t size) {
  if (too_slow_) return -1;  // who closes the connection says so
  if (write_until_ == Clock::time_point{}) write_until_ = Clock::now() + limits_.writing;
  for (;;) {
    if (!wait(socket_, POLLOUT, write_until_)) return -1;
    const ssize_t sent = ::send(socket_, text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0 || (errno != EINTR && errno != EAGAIN)) return sent;
  }
}

void Connection::close(int socket) {
  ::shutdown(socket, SHUT_WR);
  constexpr std::chrono::milliseconds kMoment{100};
  const Clock::time_point until = Clock::now() + kMoment;
  std::array<char, 4096> unread{};
  while (wait(socket, POLLIN, until)) {
    if (::recv(socket, unread.data(), unread.size(), MSG_DONTWAIT) <= 0) break;
  }
  ::close(socket);
}

}  // namespace tactus::serve
