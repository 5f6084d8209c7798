#include "tactus/serve/http/lobby.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

namespace tactus::serve {
namespace {

constexpr std::size_t kMostNewcomers = 4096;
constexpr int kLookMs = 250;

}  // namespace

Lobby::Lobby(const Limits& limits, Doings doings) : limits_(limits), doings_(std::move(doings)) {
  if (::pipe2(wake_.data(), O_CLOEXEC | O_NONBLOCK) != 0)
    throw std::system_error(errno, std::generic_category());
  threads_.reserve(limits_.threads + 1);
  try {
    threads_.emplace_back([this] { listen(); });
    while (threads_.size() < limits_.threads + 1) threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {  // fewer threads are enough, as long as there are some
    constexpr std::size_t kLeast = 3;
    if (threads_.size() >= kLeast) return;
    shutdown();
    throw;
  }
}

void Lobby::come_in(int socket) {
  {
    const std::lock_guard guard(mutex_);
    try {
      // Only until the listening thread has a look: whoever floods it must not keep others out here.
      if (!ending_ && newcomers_.size() < kMostNewcomers) {
        newcomers_.push_back(socket);
        socket = -1;
      }
    } catch (const std::bad_alloc&) {  // it is refused
    }
  }
  if (socket >= 0) return doings_.refuse_full(socket);
  wake();
}

/// One that is lost costs a moment: the listening thread looks now and then.
void Lobby::wake() const {
  constexpr int kTries = 100;
  const char one = 0;
  for (int i = 0; i < kTries && ::write(wake_[1], &one, 1) < 0 && errno == EINTR; ++i) {
  }
}

void Lobby::take_newcomers() {
  std::array<char, 256> ignored{};
  while (::read(wake_[0], ignored.data(), ignored.size()) > 0) {
  }
  std::vector<int> newcomers;
  {
    const std::lock_guard guard(mutex_);
    newcomers.swap(newcomers_);
  }
  for (const int socket : newcomers) {
    try {
      mute_.push_back({socket, {}, Clock::now() + limits_.may_be_mute});
    } catch (const std::bad_alloc&) {
      doings_.refuse_full(socket);
      continue;
    }
    if (!still_mute(mute_.back())) {
      mute_.pop_back();
    } else if (mute_.size() > limits_.mute) {
      doings_.refuse_full(mute_.front().socket);
      mute_.pop_front();
    }
  }
}

bool Lobby::still_mute(Mute& one) {
  constexpr std::string_view kEndOfHead = "\r\n\r\n";
  for (;;) {
    std::array<char, 4096> part{};
    const ssize_t got = ::recv(one.socket, part.data(), part.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (got <= 0) {
      ::close(one.socket);
      return false;
    }
    const std::size_t before = one.begun.size();
    try {
      one.begun.append(part.data(), static_cast<std::size_t>(got));
    } catch (const std::bad_alloc&) {
      doings_.refuse_full(one.socket);
      return false;
    }
    const std::size_t from = before < kEndOfHead.size() ? 0 : before - kEndOfHead.size();
    const bool complete = one.begun.find(kEndOfHead, from) != std::string::npos;
    if (!complete && one.begun.size() <= limits_.head_bytes) continue;
    if (complete) {
      hand_over({one.socket, std::move(one.begun)});
    } else {
      doings_.refuse_long(one.socket);
    }
    return false;
  }
}

void Lobby::hand_over(Arrived arrived) {
  const int socket = arrived.socket;
  try {
    arrived.known = doings_.known(arrived.begun);
    const Kind kind = arrived.known ? kKnown : kUnknown;
    const std::lock_guard guard(mutex_);
    if (!ending_ && waiting_[kind].size() < limits_.waiting) {
      waiting_[kind].push_back(std::move(arrived));
      begin_.notify_all();
      return;
    }
  } catch (const std::bad_alloc&) {  // it is refused
  }
  doings_.refuse_full(socket);
}

void Lobby::listen() {
  std::vector<pollfd> watched;
  for (;;) {
    {
      const std::lock_guard guard(mutex_);
      if (ending_) return;
    }
    int wait_ms = kLookMs;
    try {
      watched.reserve(mute_.size() + 1);
    } catch (const std::bad_alloc&) {  // until there is memory again
      std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
      continue;
    }
    watched.assign(1, {wake_[0], POLLIN, 0});
    for (const Mute& one : mute_) watched.push_back({one.socket, POLLIN, 0});
    if (!mute_.empty()) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(mute_.front().until - Clock::now());
      wait_ms = static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 0, kLookMs));
    }
    ::poll(watched.data(), watched.size(), wait_ms);
    std::size_t at = 0;
    for (auto one = mute_.begin(); one != mute_.end();) {
      const bool spoke = watched[++at].revents != 0;
      one = spoke && !still_mute(*one) ? mute_.erase(one) : std::next(one);
    }
    for (; !mute_.empty() && mute_.front().until <= Clock::now(); mute_.pop_front())
      doings_.refuse_slow(mute_.front().socket);
    take_newcomers();
  }
}

bool Lobby::may_begin(Kind kind) const {
  return !waiting_[kind].empty() && (kind == kKnown || unknown_served_ < limits_.threads / 2);
}

void Lobby::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    begin_.wait(lock, [this] { return ending_ || may_begin(kKnown) || may_begin(kUnknown); });
    if (ending_) return;
    const Kind kind = may_begin(kKnown) ? kKnown : kUnknown;
    Arrived arrived = std::move(waiting_[kind].front());
    waiting_[kind].pop_front();
    unknown_served_ += kind == kUnknown ? 1 : 0;
    lock.unlock();
    doings_.serve(std::move(arrived));
    lock.lock();
    unknown_served_ -= kind == kUnknown ? 1 : 0;
    if (kind == kUnknown) begin_.notify_one();
  }
}

void Lobby::shutdown() {
  {
    const std::lock_guard guard(mutex_);
    ending_ = true;
  }
  begin_.notify_all();
  wake();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  for (const Mute& waiter : mute_) doings_.refuse_full(waiter.socket);
  for (const int socket : newcomers_) doings_.refuse_full(socket);
  for (auto& kind : waiting_) {
    for (const Arrived& waiter : kind) doings_.refuse_full(waiter.socket);
    kind.clear();
  }
  mute_.clear();
  newcomers_.clear();
  for (int& end : wake_) {
    if (end >= 0) ::close(std::exchange(end, -1));
  }
}

}  // namespace tactus::serve
