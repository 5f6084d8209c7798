#include "tactus/arbiter/daemon/peer.hpp"

#include <fmt/core.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tactus/host/futex.hpp"

#ifndef SO_PEERPIDFD  // newer than the C library of Debian 12
#define SO_PEERPIDFD 77
#endif

namespace tactus::arbiter::daemon {

Result<host::SharedMemory> make_page(const char* name) {
  host::SharedMemory page(name, kPageSize, host::SharedMemory::For::kStrangers);
  if (!page) return Error{fmt::format("cannot make a shared page: {}", std::strerror(errno))};
  return page;
}

Peer::Peer(ClientId number, int connection) : id(number), socket(connection) {
  ucred who{};
  socklen_t size = sizeof who;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0) {
    pid = who.pid;
    uid = who.uid;
  } else {
    uid = static_cast<uid_t>(-1);
  }
}

std::optional<Error> Peer::introduce() {
  if (!observer) {
    auto made = make_page("tactus-client");
    if (!made) return made.error();
    page = std::move(*made);
  }
  socklen_t size = sizeof process;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &process, &size) != 0) {
    // Before Linux 6.5 only by its number, which may be another's when it died at once.
    process = errno == ENOPROTOOPT ? static_cast<int>(syscall(SYS_pidfd_open, pid, 0)) : -1;
  }
  return std::nullopt;
}

Peer::~Peer() {
  close(socket);
  if (process >= 0) close(process);
}

Sent Peer::send(const Message& message, const int* descriptors, std::size_t count) {
  iovec part{const_cast<Message*>(&message), sizeof message};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  alignas(cmsghdr) char space[CMSG_SPACE(2 * sizeof(int))] = {};
  if (count > 0) {
    header.msg_control = space;
    header.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(control), descriptors, count * sizeof(int));
  }
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent == static_cast<ssize_t>(sizeof message)) return Sent::kYes;
  const bool full = errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS ||
                    errno == ENOMEM || errno == ETOOMANYREFS;
  if (full) return Sent::kFull;
  broken = true;  // no client must wait for room that will never be there
  return Sent::kBroken;
}

void Peer::send_order(bool renewal) {
  Message message{};
  message.kind = MessageKind::kOrder;
  message.order = {order, order_off ? OrderState::kOff : OrderState::kOn, renewal ? 1U : 0U,
                   order_shared ? 1U : 0U, order_segment};
  const Sent sent = send(message);
  if (!renewal) order_unsent = sent == Sent::kFull;  // a lost renewal is repeated anyway
}

bool Peer::marked() const {
  return submitted.marks > 0 && is_complete(shared(), submitted.segment, submitted.marks);
}

bool Peer::has_started() const {
  return reached(shared().started.load(std::memory_order_acquire), submitted.segment);
}

std::int64_t Peer::claimed_since(std::int64_t now) {
  const std::int64_t said = shared().claimed_since_ns.load();
  if (said != claim_said_ns_ || claim_ns_ == 0) {
    claim_said_ns_ = said;
    claim_ns_ = said > std::max(looked_ns_, since_ns) && said <= now ? said : now;
  }
  looked_ns_ = now;
  return claim_ns_;
}

void Peer::answer(std::uint32_t request, Answer what) {
  ClientPage& told = shared();
  told.answer.store(what);
  told.answered.store(request);
  host::futex_wake_all(told.answered);
}

}  // namespace tactus::arbiter::daemon
