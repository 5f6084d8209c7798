// How a client finds its arbiter, and what the two agree on before anything else.
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "tactus/arbiter/client/connection.hpp"
#include "tactus/arbiter/socket_path.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::client {

namespace {

/// An arbiter that does not answer the first message within this time counts as absent.
constexpr std::int64_t kHandshakeNs = 2'000'000'000;
/// After an arbiter did not answer or refused, the client does not look again for this time, or for
/// this many times the time it took: a frozen one must not cost more than a tenth of the time. That
/// there is none is seen in microseconds, so the next begin looks again.
constexpr std::int64_t kRetryNs = 1'000'000'000;
constexpr std::int64_t kRetryFactor = 10;
constexpr const char kNoAnswer[] = "the arbiter does not answer";
constexpr const char kArbiterSpeaksBoost[] =
    "it speaks boost, and tactus_segment_begin is for gcaps; use tactus_segment_begin_stream, or "
    "start tactusd --protocol gcaps";
constexpr const char kArbiterSpeaksGcaps[] =
    "it speaks gcaps, and tactus_segment_begin_stream is for boost; use tactus_segment_begin, or "
    "start tactusd --protocol boost";

const char* text_of(Refusal reason) {
  switch (reason) {
    case Refusal::kVersion:
    case Refusal::kMalformed:  // what this version says is no message to that one
      return "the arbiter speaks another version of the protocol";
    case Refusal::kFull:
      return "the arbiter is full";
    case Refusal::kSpeaksBoost:
      return kArbiterSpeaksBoost;
    case Refusal::kSpeaksGcaps:
      return kArbiterSpeaksGcaps;
    default:
      return "the arbiter refuses";
  }
}

void copy_text(char* to, std::size_t size, const char* from) {
  const std::size_t length = strnlen(from, size - 1);
  memcpy(to, from, length);
  to[length] = 0;
}

void set_timeout(int socket, int option, std::int64_t ns) {
  timeval time{};
  time.tv_sec = static_cast<time_t>(ns / 1'000'000'000);
  time.tv_usec = static_cast<suseconds_t>(ns % 1'000'000'000 / 1000);
  setsockopt(socket, SOL_SOCKET, option, &time, sizeof time);
}

/// One message, and up to two descriptors that came with it. @return its size; an arbiter of another
/// version may have another
std::size_t receive(int socket, Message& message, int (&descriptors)[2]) {
  iovec part{&message, sizeof message};
  alignas(cmsghdr) char space[CMSG_SPACE(2 * sizeof(int))];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = space;
  header.msg_controllen = sizeof space;
  ssize_t got = 0;
  // A program with timers of its own is interrupted all the time. And one that hangs up without
  // having read what we said is reported as a reset first; its last words come after that.
  int resets = 0;
  do {
    got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && (errno == EINTR || (errno == ECONNRESET && ++resets == 1)));
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); got > 0 && c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t bytes = c->cmsg_len - CMSG_LEN(0);
    memcpy(descriptors, CMSG_DATA(c), bytes < sizeof descriptors ? bytes : sizeof descriptors);
  }
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

}  // namespace

bool Connection::open(const char* path, const char* name) {
  close();
  nobody_there_ = false;
  char place[sizeof(sockaddr_un::sun_path)];
  const bool chosen_by_us = path == nullptr && !socket_is_named();
  if (path == nullptr && default_socket_path(place, sizeof place)) path = place;
  if (path == nullptr || strlen(path) >= sizeof place) {
    problem_ = "the path of the arbiter's socket is too long";
    return false;
  }
  if (connect_to(path) && (!chosen_by_us || arbiter_is_trusted()) && shake_hands(name) &&
      start_control_thread())
    return true;
  close();
  return false;
}

bool Connection::find(const char* path, const char* name) {
  const std::int64_t start = host::now_ns();
  if (connected() || start < next_try_ns_) return connected();
  open(path, name);
  const std::int64_t end = host::now_ns(), pause = (end - start) * kRetryFactor;
  // Where one was found, the next may take its place at any time.
  const bool at_once = connected() || nobody_there_;
  next_try_ns_ = at_once ? 0 : end + (pause > kRetryNs ? pause : kRetryNs);
  return connected();
}

bool Connection::connect_to(const char* path) {
  const bool made = socket_.take(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path, strlen(path) + 1);
  if (!made) {
    problem_ = "no socket can be made";
    return false;
  }
  // Before connecting: if an arbiter is frozen and many wait for it, connecting would wait, too.
  set_timeout(socket_.number(), SO_RCVTIMEO, kHandshakeNs);
  set_timeout(socket_.number(), SO_SNDTIMEO, kHandshakeNs);
  int result = 0;
  do {
    result = connect(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  } while (result != 0 && errno == EINTR);
  if (result == 0) {
    ucred who{};
    socklen_t size = sizeof who;
    const bool known = getsockopt(socket_.number(), SOL_SOCKET, SO_PEERCRED, &who, &size) == 0;
    arbiter_ = known ? who.pid : 0;
    return true;
  }
  nobody_there_ = errno == ECONNREFUSED || errno == ENOENT;
  problem_ = errno == EACCES   ? "not permitted to connect to the arbiter"
             : errno == EAGAIN ? kNoAnswer
                               : "no arbiter is running";
  return false;
}

/// If the user did not name an arbiter, only one of this user or of root is accepted: the usual
/// place may be in a folder where any user can be the first.
bool Connection::arbiter_is_trusted() {
  if (arbiter::is_own_or_roots(socket_.number())) return true;
  problem_ = "the arbiter in the usual place is another user's";
  return false;
}

bool Connection::shake_hands(const char* name) {
  Message message{};
  message.kind = MessageKind::kHello;
  message.hello = {kMagic, kProtocolVersion, 0, {}, wanted_};
  copy_text(message.hello.name, sizeof message.hello.name,
            name != nullptr ? name : program_invocation_short_name);
  int descriptors[2] = {-1, -1};
  problem_ = kNoAnswer;
  send(message);  // a full arbiter has hung up already, but has sent the reason before
  const std::size_t got = receive(socket_.number(), message, descriptors);
  bool good = got == sizeof message;
  if (got >= offsetof(Message, refused) + sizeof message.refused &&
      message.kind == MessageKind::kRefused) {
    const Refusal reason = message.refused.reason;
    problem_ = text_of(reason);
    const bool wrong_kind = reason == Refusal::kSpeaksBoost || reason == Refusal::kSpeaksGcaps;
    if (wrong_kind && told_wrong_kind_.exchange(1) == 0)
      tell_user("is not under the arbiter: ", problem_);
    good = false;
  }
  good = good && message.kind == MessageKind::kWelcome;
  if (good) {
    welcome_ = message.welcome;
    page_ = host::SharedMemory::of_stranger(descriptors[0], kPageSize);
    if (message.welcome.fast_path != 0)
      fast_ = host::SharedMemory::of_stranger(descriptors[1], kPageSize);
    good = page_ && welcome_.lease_ns > 0;
    if (good) problem_ = "the arbiter has ended";  // told when it has
    set_timeout(socket_.number(), SO_SNDTIMEO, welcome_.lease_ns);
  }
  for (int descriptor : descriptors) {
    if (descriptor >= 0) ::close(descriptor);
  }
  return good;
}

}  // namespace tactus::arbiter::client
