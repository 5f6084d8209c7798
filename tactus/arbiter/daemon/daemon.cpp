#include "tactus/arbiter/daemon/daemon.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "tactus/arbiter/daemon/isolation.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::daemon {
namespace {

/// A peer that has not said Hello after this long is dropped.
constexpr std::int64_t kHelloNs = 2'000'000'000;
constexpr int kMessagesARound = 8;
/// Connected clients are served before new connections: a flood of connections must not delay a
/// begin.
constexpr int kAcceptsARound = 4;

/// Waits for at most so many nanoseconds.
int wait_for(int epoll, std::vector<epoll_event>& events, std::int64_t ns) {
  const auto most = static_cast<int>(events.size());
  const timespec time{static_cast<time_t>(ns / 1'000'000'000),
                      static_cast<long>(ns % 1'000'000'000)};
  static std::atomic<bool> precise = true;
  if (precise && ns > 0) {
    const int count = epoll_pwait2(epoll, events.data(), most, &time, nullptr);
    if (count >= 0 || errno != ENOSYS) return count;
    precise = false;  // before Linux 5.11
  }
  return epoll_wait(epoll, events.data(), most, static_cast<int>((ns + 999'999) / 1'000'000));
}

/// The first words of a Hello are the same in every version, however long the rest is.
bool is_hello_of_another_version(const Message& message, ssize_t size) {
  const std::size_t least =
      offsetof(Message, hello) + offsetof(Hello, version) + sizeof(std::uint32_t);
  return size >= static_cast<ssize_t>(least) && message.kind == MessageKind::kHello &&
         message.hello.magic == kMagic && message.hello.version != kProtocolVersion;
}

/// A client takes three descriptors; this many clients can be served, with some left to refuse
/// others.
std::size_t clients_that_fit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur > 128 ? (limit.rlim_cur - 64) / 3 : 16;
}

}  // namespace

Result<std::unique_ptr<Daemon>> Daemon::open(DaemonOptions options) {
  options.limits.clients = std::min(options.limits.clients, clients_that_fit());
  auto listening = ListeningSocket::open(options.socket, options.group);
  if (!listening) return listening.error();
  std::unique_ptr<Daemon> daemon(new Daemon(std::move(options), std::move(*listening)));
  auto referee = make_referee(daemon->floor_);
  if (!referee) return referee.error();
  daemon->referee_ = std::move(*referee);
  if (!daemon->floor_.options.log.empty()) {
    auto log = EventLog::open(daemon->floor_.options.log, daemon->floor_.options.log_bytes);
    if (!log) return log.error();
    daemon->floor_.log = std::move(*log);
  }
  daemon->epoll_ = epoll_create1(EPOLL_CLOEXEC);
  daemon->stop_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  daemon->spare_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (!daemon->watch(daemon->listening_.descriptor(), kListening, 0) ||
      !daemon->watch(daemon->stop_, kStop, 0))
    return Error{fmt::format("cannot wait for clients: {}", std::strerror(errno))};
  return daemon;
}

Daemon::Daemon(DaemonOptions options, ListeningSocket listening)
    : floor_(std::move(options)),
      admission_(floor_.options.group, floor_.options.limits),
      listening_(std::move(listening)) {
  floor_.wait_for_room = [this](const Peer& peer) { wait_for_room(peer); };
  floor_.hear = [this](Peer& peer) { return hear(peer); };
}

Daemon::~Daemon() {
  if (epoll_ >= 0) close(epoll_);
  if (stop_ >= 0) close(stop_);
  if (spare_ >= 0) close(spare_);
  for (const Condemned& one : condemned_) close(one.process);
}

void Daemon::stop() {
  stopping_ = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = write(stop_, &one, sizeof one);
}

bool Daemon::watch(int descriptor, std::uint32_t what, ClientId client) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = (static_cast<std::uint64_t>(client) << 32) | what;
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

/// Asks to be told when an order that did not fit can be sent, or no longer to be.
void Daemon::wait_for_room(const Peer& peer) {
  epoll_event event{};
  event.events = EPOLLIN | (peer.order_unsent ? EPOLLOUT : 0U);
  event.data.u64 = (static_cast<std::uint64_t>(peer.id) << 32) | kSocket;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, peer.socket, &event);
}

std::optional<Error> Daemon::prepare() {
  return isolate(floor_.options.cpu, floor_.options.realtime);
}

std::optional<Error> Daemon::run() {
  floor_.log.line("start", 0, R"("pid": {})", getpid());
  if (listening_.replaces() && floor_.options.returning_ns > 0) {
    all_returned_ns_ = host::now_ns() + floor_.options.returning_ns;
    referee_->others_may_be_there(true);
    floor_.log.line("returning", 0, R"("for_ns": {})", floor_.options.returning_ns);
  }
  note_isolation();
  referee_->settle();
  attend_office();
  std::vector<epoll_event> events(64);
  while (!stopping_) {
    if (auto problem = serve_once(events)) return problem;
  }
  floor_.log.line("stop", 0);
  floor_.peers.clear();  // every client reads an end of file, and puts its work back
  floor_.log.flush();
  return std::nullopt;
}

std::optional<Error> Daemon::serve_once(std::vector<epoll_event>& events) {
  const int count = wait_for_events(events);
  if (count < 0 && errno != EINTR)
    return Error{fmt::format("cannot wait for clients: {}", std::strerror(errno))};
  handle_events(events, count);
  referee_->look();
  referee_->expire(host::now_ns());
  referee_->carry_out();
  const std::int64_t now = host::now_ns();
  if (all_returned_ns_ != 0 && now >= all_returned_ns_) stop_waiting_for_returning_clients();
  if (now >= next_tick_ns_) tick();
  if (now >= next_look_ns_) look_for_overstays(now);
  act_on_overstays();
  drop_broken();
  floor_.log.flush();
  return std::nullopt;
}

void Daemon::handle_events(const std::vector<epoll_event>& events, int count) {
  bool knocked = false;
  observed_ = false;
  referee_->begin_round();
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    const auto client = static_cast<ClientId>(event.data.u64 >> 32);
    Peer* peer = floor_.find(client);
    switch (static_cast<Source>(event.data.u64 & 0xffffffff)) {
      case kListening:
        knocked = true;
        break;
      case kStop:
        break;  // it only wakes up
      case kOffice:
        attend_office();
        break;
      case kSocket:
        if (peer != nullptr) serve(*peer, event.events);
        break;
      case kProcess:
        if (peer != nullptr) drop(client, "died");
        break;
    }
  }
  if (knocked) accept_peers();
}

std::int64_t Daemon::time_of_next_duty() const {
  std::int64_t at = std::min(next_tick_ns_, referee_->deadline().value_or(next_tick_ns_));
  if (all_returned_ns_ != 0) at = std::min(at, all_returned_ns_);
  return floor_.options.budget_ns > 0 ? std::min(at, next_look_ns_) : at;
}

int Daemon::wait_for_events(std::vector<epoll_event>& events) {
  const std::int64_t duty = time_of_next_duty();
  const auto look = [&](std::int64_t ns) {
    return wait_for(epoll_, events, std::max<std::int64_t>(ns, 0));
  };
  int count = 0;
  std::int64_t now = host::now_ns();
  const bool marks = referee_->must_look();
  while (count == 0 && now < duty && floor_.options.spin_ns > 0 &&
         (marks || now - last_event_ns_ < floor_.options.spin_ns)) {
    count = look(0);
    if (marks) referee_->look();
    if (referee_->has_news()) return count;
    // Control threads may be on this CPU, and as urgent: they must not wait for us to sleep.
    if (count == 0) sched_yield();
    now = host::now_ns();
  }
  if (count == 0) count = look(marks ? std::min(duty - now, floor_.options.poll_ns) : duty - now);
  if (count > 0) last_event_ns_ = host::now_ns();
  return count;
}

void Daemon::accept_peers() {
  for (int i = 0; i < kAcceptsARound; ++i) {
    const int socket = accept4(listening_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    if (socket >= 0) {
      take_in(socket);
    } else if (errno == EMFILE || errno == ENFILE) {
      return refuse_without_room();
    } else if (errno != EINTR && errno != ECONNABORTED) {
      if (errno != EAGAIN && errno != EWOULDBLOCK) deaf_ = true;  // no memory: not all the time
      break;
    }
  }
  if (deaf_) {
    epoll_event nothing{};
    epoll_ctl(epoll_, EPOLL_CTL_MOD, listening_.descriptor(), &nothing);
  }
}

/// A connection that cannot be accepted would be reported for ever: the spare descriptor accepts
/// it, to refuse it.
void Daemon::refuse_without_room() {
  if (spare_ >= 0) close(spare_);
  const int socket = accept4(listening_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
  if (socket >= 0) {
    Message refusal{};
    refusal.kind = MessageKind::kRefused;
    refusal.refused.reason = Refusal::kFull;
    send(socket, &refusal, sizeof refusal, MSG_DONTWAIT | MSG_NOSIGNAL);
    close(socket);
    floor_.log.line_of_user(LogAllowances::kStrangers, "refuse", R"("why": "no descriptors")");
  }
  spare_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (socket >= 0 && spare_ >= 0) return;
  deaf_ = true;  // until the next tick
  epoll_event nothing{};
  epoll_ctl(epoll_, EPOLL_CTL_MOD, listening_.descriptor(), &nothing);
}

void Daemon::listen_again() {
  if (!deaf_) return;
  if (spare_ < 0) spare_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  deaf_ = false;
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kListening;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, listening_.descriptor(), &event);
}

/// A connection that sends nothing makes room for others of its user, the oldest first.
bool Daemon::drop_a_mute_one_of(uid_t user) {
  for (const auto& [id, peer] : floor_.peers) {
    if (peer->welcomed || peer->uid != user) continue;
    drop(id, "mute");
    return true;
  }
  return false;
}

void Daemon::take_in(int socket) {
  auto peer = std::make_unique<Peer>(++last_id_, socket);
  peer->since_ns = host::now_ns();
  Message refusal{};
  refusal.kind = MessageKind::kRefused;
  refusal.refused.reason = admission_.judge(socket, peer->uid, floor_.options.permissions);
  if (refusal.refused.reason == Refusal::kFull && drop_a_mute_one_of(peer->uid))
    refusal.refused.reason = admission_.judge(socket, peer->uid, floor_.options.permissions);
  if (refusal.refused.reason != Refusal::kNone) {
    const bool full = refusal.refused.reason == Refusal::kFull;
    floor_.log.line_of_user(full ? peer->uid : LogAllowances::kStrangers, "refuse",
                            R"("pid": {}, "uid": {}, "why": "{}")", peer->pid, peer->uid,
                            full ? "full" : "not permitted");
    peer->send(refusal);
    return;
  }
  if (!watch(socket, kSocket, peer->id)) return;
  admission_.came(peer->uid);
  floor_.log.belongs(peer->id, peer->uid);
  floor_.peers.emplace(peer->id, std::move(peer));
}

void Daemon::serve(Peer& peer, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0 && peer.order_unsent) {
    floor_.send_order(peer, false);
    wait_for_room(peer);
  }
  // To look around takes much longer than to decide, so only one observer does in each round; what
  // the others have asked waits in their sockets.
  if (peer.observer && observed_) return;
  observed_ = observed_ || peer.observer;
  for (int i = 0; i < (peer.observer ? 1 : kMessagesARound) && hear(peer); ++i) {
  }
}

bool Daemon::hear(Peer& peer) {
  const ClientId client = peer.id;
  Message message{};
  const ssize_t got = recv(peer.socket, &message, sizeof message, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return false;
  if (got <= 0) {
    drop(client, "left");
    return false;
  }
  if (got != static_cast<ssize_t>(sizeof message) || !handle(peer, message)) {
    Message refusal{};
    refusal.kind = MessageKind::kRefused;
    const bool other_version = !peer.welcomed && is_hello_of_another_version(message, got);
    refusal.refused.reason = other_version ? Refusal::kVersion : Refusal::kMalformed;
    peer.send(refusal);
    if (other_version)
      floor_.log.line_of_user(peer.uid, "refuse",
                              R"("pid": {}, "uid": {}, "why": "it speaks another version")",
                              peer.pid, peer.uid);
    drop(client, "malformed");
    return false;
  }
  referee_->carry_out();
  return true;
}

void Daemon::drop(ClientId client, const char* why) {
  const auto found = floor_.peers.find(client);
  if (found == floor_.peers.end()) return;
  const std::unique_ptr<Peer> peer = std::move(found->second);
  floor_.peers.erase(found);
  admission_.left(peer->uid);
  // Closing is not enough: where a forked process still holds the socket, events would go on.
  epoll_ctl(epoll_, EPOLL_CTL_DEL, peer->socket, nullptr);
  if (peer->process >= 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, peer->process, nullptr);
  if (peer->told_to_end_ns != 0 && peer->process >= 0)
    condemned_.push_back({std::exchange(peer->process, -1), peer->told_to_end_ns});
  if (!peer->welcomed) return floor_.log.forget(client);  // it was never announced
  floor_.log.line("gone", client, R"("why": "{}")", why);
  floor_.log.forget(client);
  if (peer->observer) return;
  referee_->gone(client);
  referee_->carry_out();
}

/// Clients that do not listen any more. Not at once, when it is noticed: an update may be in the
/// middle of telling all clients.
void Daemon::drop_broken() {
  while (!floor_.broken.empty()) {
    const ClientId client = floor_.broken.back();
    floor_.broken.pop_back();
    drop(client, "deaf");
  }
}

void Daemon::tick() {
  const std::int64_t now = host::now_ns();
  next_tick_ns_ = now + floor_.options.lease_ns / 4;
  std::vector<ClientId> silent;
  for (const auto& [id, peer] : floor_.peers) {
    if (!peer->welcomed && now - peer->since_ns > kHelloNs) silent.push_back(id);
    referee_->renew(*peer);
  }
  kill_those_who_stay(now);
  floor_.log.forget_the_quiet();
  for (ClientId client : silent) drop(client, "silent");
  listen_again();
  note_isolation();
}

}  // namespace tactus::arbiter::daemon
