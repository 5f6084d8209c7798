#include "tactus/arbiter/client/ask.hpp"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "tactus/arbiter/protocol.hpp"
#include "tactus/arbiter/socket_path.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::client {
namespace {

constexpr char kNoWord[] = "the arbiter does not answer";

/// A descriptor that is closed in the end.
struct Descriptor {
  int number = -1;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

bool send_to(int socket, const Message& message) {
  ssize_t sent = 0;
  do {
    sent = send(socket, &message, sizeof message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof message);
}

/// A message, and the descriptor that came along. False: none comes in time.
bool hear_with(int socket, Message& message, Descriptor& along, std::int64_t deadline_ns) {
  for (int resets = 0;;) {
    const std::int64_t left = deadline_ns - host::now_ns();
    if (left <= 0) return false;
    pollfd source{socket, POLLIN, 0};
    if (poll(&source, 1, static_cast<int>(left / 1'000'000 + 1)) <= 0) continue;
    iovec part{&message, sizeof message};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))];
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = space;
    header.msg_controllen = sizeof space;
    const ssize_t got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    for (cmsghdr* c = CMSG_FIRSTHDR(&header); got > 0 && c != nullptr;
         c = CMSG_NXTHDR(&header, c)) {
      if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS && along.number < 0)
        memcpy(&along.number, CMSG_DATA(c), sizeof(int));
    }
    // One of another version may send less.
    if (got >= static_cast<ssize_t>(sizeof message.kind + sizeof(Refused))) return true;
    const bool again =
        got < 0 && (errno == EINTR || errno == EAGAIN || (errno == ECONNRESET && ++resets == 1));
    if (!again) return false;
  }
}

const char* connect_and_greet(const char* path, int socket, std::int64_t deadline_ns) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const bool usual = path == nullptr;
  if (usual ? !default_socket_path(address.sun_path, sizeof address.sun_path)
            : strlen(path) >= sizeof address.sun_path)
    return "the path of the arbiter's socket is too long";
  if (!usual) memcpy(address.sun_path, path, strlen(path) + 1);
  const timeval patience{2, 0};
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return errno == EACCES ? "not permitted to connect to the arbiter" : "no arbiter is running";
  if (usual && !socket_is_named() && !is_own_or_roots(socket))
    return "the arbiter in the usual place is another user's";
  Message message{};
  message.kind = MessageKind::kHello;
  message.hello = {kMagic, kProtocolVersion, 1, "asker", Protocol::kAny};
  Descriptor none;
  send_to(socket, message);
  if (!hear_with(socket, message, none, deadline_ns)) return kNoWord;
  if (message.kind == MessageKind::kRefused && message.refused.reason == Refusal::kFull)
    return "the arbiter is full";
  if (message.kind == MessageKind::kRefused && message.refused.reason == Refusal::kVersion)
    return "the arbiter speaks another version of the protocol";
  return message.kind == MessageKind::kWelcome ? nullptr : "the arbiter refuses";
}

/// "word\ntext\0json": the line break becomes a zero.
bool take_apart(AskedAnswer& answer, std::size_t size) {
  auto* const all = static_cast<char*>(answer.memory.at());
  if (memchr(all, 0, size) == nullptr) return false;
  char* const line = strchr(all, '\n');
  if (line == nullptr) return false;
  *line = 0;
  answer.word = all;
  answer.text = line + 1;
  const std::size_t used = static_cast<std::size_t>(answer.text - all) + strlen(answer.text) + 1;
  if (used < size && memchr(all + used, 0, size - used) != nullptr) answer.json = all + used;
  return true;
}

}  // namespace

bool AskedAnswer::says(const char* what) const { return strcmp(word, what) == 0; }

AskedAnswer ask_arbiter(const char* path, const char* request, std::size_t size,
                        std::int64_t patience_ns) {
  AskedAnswer answer;
  if (size == 0 || size > Text::kMost) {
    answer.problem = "the request is too long";
    return answer;
  }
  const std::int64_t deadline = host::now_ns() + patience_ns;
  const Descriptor socket{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
  answer.problem = connect_and_greet(path, socket.number, host::now_ns() + 2'000'000'000);
  if (answer.problem != nullptr) return answer;
  Message message{};
  for (std::size_t at = 0; at < size;) {
    message = {};
    message.kind = MessageKind::kAsk;
    Text& piece = message.text;
    piece.whole = static_cast<std::uint32_t>(size);
    piece.length =
        static_cast<std::uint32_t>(size - at < sizeof piece.bytes ? size - at : sizeof piece.bytes);
    memcpy(piece.bytes, request + at, piece.length);
    at += piece.length;
    if (send_to(socket.number, message)) continue;
    answer.problem = kNoWord;
    return answer;
  }
  Descriptor along;
  do {
    if (hear_with(socket.number, message, along, deadline)) continue;
    answer.problem = kNoWord;
    return answer;
  } while (message.kind != MessageKind::kTold && message.kind != MessageKind::kRefused);
  const std::size_t whole = message.text.whole;
  answer.problem = "the arbiter talks nonsense";
  if (message.kind != MessageKind::kTold || along.number < 0 || whole == 0) return answer;
  answer.memory = host::SharedMemory::of_stranger(along.number, whole);
  if (answer.memory && take_apart(answer, whole)) answer.problem = nullptr;
  return answer;
}

}  // namespace tactus::arbiter::client
