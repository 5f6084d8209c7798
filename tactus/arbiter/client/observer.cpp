#include "tactus/arbiter/client/observer.hpp"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tactus/arbiter/socket_path.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::client {
namespace {

bool say(int socket, const Message& message) {
  return send(socket, &message, sizeof message, MSG_NOSIGNAL) ==
         static_cast<ssize_t>(sizeof message);
}

/// One message; false if it does not come before `deadline_ns`, even if others come.
bool hear(int socket, Message& message, std::int64_t deadline_ns) {
  for (int resets = 0;;) {
    const std::int64_t left = deadline_ns - host::now_ns();
    if (left <= 0) return false;
    pollfd source{socket, POLLIN, 0};
    if (poll(&source, 1, static_cast<int>(left / 1'000'000 + 1)) <= 0) continue;
    const ssize_t got = recv(socket, &message, sizeof message, MSG_DONTWAIT);
    if (got == static_cast<ssize_t>(sizeof message)) return true;
    // One that is full hangs up without having listened; its last words come after the reset.
    const bool again =
        got < 0 && (errno == EINTR || errno == EAGAIN || (errno == ECONNRESET && ++resets == 1));
    if (!again) return false;
  }
}

/// Text from another program: it must end within its field and contain only text.
template <std::size_t Size>
void clean(char (&text)[Size]) {
  const std::size_t length = strnlen(text, Size - 1);
  for (std::size_t i = 0; i < length; ++i) {
    if (text[i] < ' ' || text[i] > '~') text[i] = '?';
  }
  std::fill(text + length, text + Size, '\0');
}

constexpr std::int64_t kPatienceNs = 2'000'000'000;
/// More clients than any arbiter serves.
constexpr std::size_t kMostRows = 100'000;

const Error kSilent{"the arbiter does not answer"};
const Error kNonsense{"the arbiter talks nonsense"};

}  // namespace

Result<Observer> Observer::open(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() ? !default_socket_path(address.sun_path, sizeof address.sun_path)
                   : path.size() >= sizeof address.sun_path)
    return Error{"the path of the arbiter's socket is too long"};
  if (!path.empty()) std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Observer observer;
  observer.socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const timeval patience{2, 0};
  setsockopt(observer.socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(observer.socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(observer.socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return errno == EAGAIN
               ? kSilent
               : Error{fmt::format("no arbiter at {}: {}", address.sun_path, std::strerror(errno))};
  if (path.empty() && !socket_is_named() && !is_own_or_roots(observer.socket_))
    return Error{"the arbiter in the usual place is another user's"};
  Message message{};
  message.kind = MessageKind::kHello;
  message.hello = {kMagic, kProtocolVersion, 1, "observer", Protocol::kAny};
  say(observer.socket_, message);
  if (!hear(observer.socket_, message, host::now_ns() + kPatienceNs)) return kSilent;
  if (message.kind == MessageKind::kRefused && message.refused.reason == Refusal::kFull)
    return Error{"the arbiter is full"};
  if (message.kind != MessageKind::kWelcome) return Error{"the arbiter refuses"};
  return observer;
}

Observer::Observer(Observer&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

Observer::~Observer() {
  if (socket_ >= 0) close(socket_);
}

int Observer::arbiter() const {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket_, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

Result<Snapshot> Observer::look() {
  const std::int64_t deadline = host::now_ns() + kPatienceNs;  // for all of it
  Snapshot snapshot;
  std::uint32_t last = 0;  // clients come in the order of their numbers, each once
  do {
    Message message{};
    message.kind = MessageKind::kSnapshot;
    message.segment.request = last;
    if (!say(socket_, message)) return kSilent;
    for (;;) {
      if (!hear(socket_, message, deadline)) return kSilent;
      if (message.kind == MessageKind::kSummary) break;
      if (message.kind == MessageKind::kBoostSummary) {
        snapshot.boost = message.boost;
        continue;
      }
      if (message.kind == MessageKind::kLeaving) {
        snapshot.leaving = message.leaving;
        continue;
      }
      if (message.kind != MessageKind::kRow || message.row.client <= last ||
          snapshot.clients.size() >= kMostRows)
        return kNonsense;
      last = message.row.client;
      clean(message.row.tier);
      clean(message.row.name);
      snapshot.clients.push_back(message.row);
    }
    clean(message.summary.not_isolated);
    snapshot.summary = message.summary;
  } while (snapshot.summary.rows >= kRowsAtOnce);
  return snapshot;
}

}  // namespace tactus::arbiter::client
