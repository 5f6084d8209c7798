#include "tactus/arbiter/client/observer.hpp"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tactus/arbiter/socket_path.hpp"

namespace tactus::arbiter::client {
namespace {

bool say(int socket, const Message& message) {
  return send(socket, &message, sizeof message, MSG_NOSIGNAL) ==
         static_cast<ssize_t>(sizeof message);
}

bool hear(int socket, Message& message) {
  return recv(socket, &message, sizeof message, 0) == static_cast<ssize_t>(sizeof message);
}

const Error kSilent{"the arbiter does not answer"};

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
  Message message{};
  message.kind = Kind::kHello;
  message.hello = {kMagic, kProtocolVersion, 1, "observer"};
  if (!say(observer.socket_, message) || !hear(observer.socket_, message)) return kSilent;
  if (message.kind != Kind::kWelcome) return Error{"the arbiter refuses"};
  return observer;
}

Observer::Observer(Observer&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

Observer::~Observer() {
  if (socket_ >= 0) close(socket_);
}

Result<Snapshot> Observer::look() {
  Snapshot snapshot;
  do {
    Message message{};
    message.kind = Kind::kSnapshot;
    message.segment.request = snapshot.clients.empty() ? 0 : snapshot.clients.back().client;
    if (!say(socket_, message)) return kSilent;
    for (;;) {
      if (!hear(socket_, message)) return kSilent;
      if (message.kind == Kind::kSummary) break;
      if (message.kind == Kind::kRow) snapshot.clients.push_back(message.row);
    }
    snapshot.summary = message.summary;
  } while (snapshot.summary.rows >= kRowsAtOnce);
  return snapshot;
}

}  // namespace tactus::arbiter::client
