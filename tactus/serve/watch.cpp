#include "tactus/serve/watch.hpp"

#include <poll.h>

namespace tactus::serve {
namespace {

bool hung_up(int socket) {
  if (socket < 0) return false;
  pollfd watched{socket, POLLRDHUP, 0};
  return ::poll(&watched, 1, 0) > 0 && (watched.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace

Watch::Watch()
    : watcher_([this](const std::stop_token& done) {
        constexpr std::chrono::milliseconds kOften{20};
        while (!done.stop_requested()) {
          look();
          std::this_thread::sleep_for(kOften);
        }
      }) {}

void Watch::look() {
  const std::lock_guard guard(mutex_);
  for (const WatchedCall& one : calls_) {
    if (Clock::now() > one.until || hung_up(one.socket)) tactus_call_cancel(one.call);
  }
}

void Watch::cancel_all() {
  const std::lock_guard guard(mutex_);
  ending_ = true;
  for (const WatchedCall& one : calls_) tactus_call_cancel(one.call);
}

Watch::Watched::Watched(Watch& watch, tactus_call* call, std::chrono::seconds most, int socket)
    : watch_(watch) {
  const std::lock_guard guard(watch_.mutex_);
  place_ = watch_.calls_.insert(watch_.calls_.end(), {call, Clock::now() + most, socket});
  if (watch_.ending_) tactus_call_cancel(call);
}

Watch::Watched::~Watched() {
  const std::lock_guard guard(watch_.mutex_);
  watch_.calls_.erase(place_);
}

}  // namespace tactus::serve
