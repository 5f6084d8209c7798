#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>

#include "tactus/arbiter/protocol.hpp"

namespace tactus::arbiter {

/// Says what it is told to, and nothing else: a client that misbehaves.
class RawClient {
 public:
  explicit RawClient(const std::string& path) {
    socket_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~RawClient() { close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  void hello(Protocol protocol = Protocol::kGcaps) {
    Message message{};
    message.kind = MessageKind::kHello;
    message.hello = {kMagic, kProtocolVersion, 0, "raw", protocol};
    say(message);
    EXPECT_EQ(hear().kind, MessageKind::kWelcome);
  }
  void say(const Message& message) {
    EXPECT_EQ(send(socket_, &message, sizeof message, MSG_NOSIGNAL),
              static_cast<ssize_t>(sizeof message));
  }
  void say_bytes(const void* bytes, std::size_t size) { send(socket_, bytes, size, MSG_NOSIGNAL); }
  void begin(int priority) {
    Message message{};
    message.kind = MessageKind::kBegin;
    message.segment = {1, 0, priority};
    say(message);
  }
  void confirm(std::uint32_t order) {
    Message message{};
    message.kind = MessageKind::kDone;
    message.done.order = order;
    say(message);
  }
  int descriptor() const { return socket_; }
  Message hear() {
    Message message{};
    const ssize_t got = recv(socket_, &message, sizeof message, 0);
    ended_ = got == 0;
    return message;
  }
  bool ended() const { return ended_; }

 private:
  int socket_;
  bool ended_ = false;
};

}  // namespace tactus::arbiter
