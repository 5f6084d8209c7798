#include "tactus/arbiter/daemon/daemon.hpp"

#include <fmt/core.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "tactus/arbiter/daemon/isolation.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::daemon {
namespace {

/// What an epoll event is about; the client is in the upper half.
enum Source : std::uint32_t { kListening, kStop, kSocket, kProcess };

/// A peer that has not said Hello after this long is dropped.
constexpr std::int64_t kHelloNs = 2'000'000'000;
constexpr int kMessagesARound = 8;

/// A client takes three descriptors; so many clients can be served, with some left to refuse
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
  options.most_clients = std::min(options.most_clients, clients_that_fit());
  auto listening = ListeningSocket::open(options.socket, options.group);
  if (!listening) return listening.error();
  auto fast = SharedPage::make("tactus-fast");
  if (!fast) return fast.error();
  std::unique_ptr<Daemon> daemon(
      new Daemon(std::move(options), std::move(*listening), std::move(*fast)));
  if (!daemon->options_.log.empty()) {
    auto log = EventLog::open(daemon->options_.log);
    if (!log) return log.error();
    daemon->log_ = std::move(*log);
  }
  daemon->epoll_ = epoll_create1(EPOLL_CLOEXEC);
  daemon->stop_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (!daemon->watch(daemon->listening_.descriptor(), kListening, 0) ||
      !daemon->watch(daemon->stop_, kStop, 0))
    return Error{fmt::format("cannot wait for clients: {}", std::strerror(errno))};
  return daemon;
}

Daemon::Daemon(DaemonOptions options, ListeningSocket listening, SharedPage fast)
    : options_(std::move(options)),
      listening_(std::move(listening)),
      fast_(std::move(fast)),
      coordinator_(options_.rule, options_.update_timeout_ns) {}

Daemon::~Daemon() {
  if (epoll_ >= 0) close(epoll_);
  if (stop_ >= 0) close(stop_);
}

void Daemon::stop() {
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

Peer* Daemon::find(ClientId client) {
  const auto at = peers_.find(client);
  return at == peers_.end() ? nullptr : at->second.get();
}

std::optional<Error> Daemon::prepare() { return isolate(options_.cpu, options_.realtime); }

std::optional<Error> Daemon::run() {
  log_.line("start", 0, R"("pid": {})", getpid());
  note_isolation();
  std::vector<epoll_event> events(64);
  while (!stopping_) {
    const int count = wait_for_events(events);
    if (count < 0 && errno != EINTR)
      return Error{fmt::format("cannot wait for clients: {}", std::strerror(errno))};
    for (int i = 0; i < count; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      const auto client = static_cast<ClientId>(event.data.u64 >> 32);
      Peer* peer = find(client);
      switch (static_cast<Source>(event.data.u64 & 0xffffffff)) {
        case kListening:
          accept_peers();
          break;
        case kStop:
          stopping_ = true;
          break;
        case kSocket:
          if (peer != nullptr) serve(*peer, event.events);
          break;
        case kProcess:
          if (peer != nullptr) drop(client, "died");
          break;
      }
    }
    coordinator_.expire(host::now_ns());
    carry_out();
    const std::int64_t now = host::now_ns();
    if (now >= next_tick_ns_) tick();
    if (now >= next_look_ns_) look_for_overstays(now);
    log_.flush();
  }
  log_.line("stop", 0);
  peers_.clear();  // everybody reads an end of file, and puts its work back
  log_.flush();
  return std::nullopt;
}

std::int64_t Daemon::time_of_next_duty() const {
  const std::int64_t at = std::min(next_tick_ns_, coordinator_.deadline().value_or(next_tick_ns_));
  return options_.budget_ns > 0 ? std::min(at, next_look_ns_) : at;
}

int Daemon::wait_for_events(std::vector<epoll_event>& events) {
  const std::int64_t duty = time_of_next_duty();
  const auto look = [&](int milliseconds) {
    return epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), milliseconds);
  };
  int count = 0;
  std::int64_t now = host::now_ns();
  for (; count == 0 && now - last_event_ns_ < options_.spin_ns && now < duty;
       now = host::now_ns()) {
    count = look(0);
    // Control threads may be on this CPU, and as urgent: they must not wait for us to sleep.
    if (count == 0) sched_yield();
  }
  if (count == 0) count = look(now >= duty ? 0 : static_cast<int>((duty - now) / 1'000'000 + 1));
  if (count > 0) last_event_ns_ = host::now_ns();
  return count;
}

bool Daemon::permitted(const Peer& peer) const {
  if (peer.uid == geteuid() || peer.uid == 0) return true;
  if (!options_.group) return false;
  ucred who{};
  socklen_t size = sizeof who;
  getsockopt(peer.socket, SOL_SOCKET, SO_PEERCRED, &who, &size);
  if (who.gid == *options_.group) return true;
  std::vector<gid_t> groups(256);
  size = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  if (getsockopt(peer.socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) != 0) return false;
  groups.resize(size / sizeof(gid_t));
  return std::find(groups.begin(), groups.end(), *options_.group) != groups.end();
}

void Daemon::accept_peers() {
  for (;;) {
    const int socket = accept4(listening_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    auto page = SharedPage::make("tactus-client");
    if (!page) {
      close(socket);
      continue;
    }
    auto peer = std::make_unique<Peer>(++last_id_, socket, std::move(*page));
    peer->since_ns = host::now_ns();
    Message refusal{};
    refusal.kind = Kind::kRefused;
    refusal.refused.reason = !permitted(*peer)                        ? Refusal::kNotPermitted
                             : peers_.size() >= options_.most_clients ? Refusal::kFull
                                                                      : Refusal::kNone;
    if (refusal.refused.reason != Refusal::kNone) {
      log_.line("refuse", peer->id, R"("pid": {}, "uid": {})", peer->pid, peer->uid);
      peer->send(refusal);
      continue;
    }
    watch(socket, kSocket, peer->id);
    if (peer->process >= 0) watch(peer->process, kProcess, peer->id);
    peers_.emplace(peer->id, std::move(peer));
  }
}

void Daemon::serve(Peer& peer, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0 && peer.order_unsent) {
    peer.send_order(false);
    wait_for_room(peer);
  }
  const ClientId client = peer.id;
  for (int i = 0; i < kMessagesARound; ++i) {
    Message message{};
    const ssize_t got = recv(peer.socket, &message, sizeof message, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) break;
    if (got <= 0) return drop(client, "left");
    if (got != static_cast<ssize_t>(sizeof message) || !handle(peer, message)) {
      Message refusal{};
      refusal.kind = Kind::kRefused;
      refusal.refused.reason = Refusal::kMalformed;
      peer.send(refusal);
      return drop(client, "malformed");
    }
    carry_out();
  }
}

void Daemon::drop(ClientId client, const char* why) {
  std::uint32_t owner = client;
  fast_.as<FastPage>().owner.compare_exchange_strong(owner, FastPage::kIdle);
  log_.line("gone", client, R"("why": "{}")", why);
  if (const Peer* peer = find(client)) {
    // Closing is not enough: where a forked process still holds the socket, events would go on.
    epoll_ctl(epoll_, EPOLL_CTL_DEL, peer->socket, nullptr);
    if (peer->process >= 0) epoll_ctl(epoll_, EPOLL_CTL_DEL, peer->process, nullptr);
  }
  peers_.erase(client);
  Request request;
  request.kind = Request::Kind::kGone;
  request.client = client;
  request.since_ns = host::now_ns();
  coordinator_.request(request, request.since_ns);
  carry_out();
}

void Daemon::tick() {
  const std::int64_t now = host::now_ns();
  next_tick_ns_ = now + options_.lease_ns / 4;
  std::vector<ClientId> silent;
  for (const auto& [id, peer] : peers_) {
    if (!peer->welcomed && now - peer->since_ns > kHelloNs) silent.push_back(id);
    if (peer->order_off && !peer->order_unsent) peer->send_order(true);
  }
  for (ClientId client : silent) drop(client, "silent");
  note_isolation();
}

}  // namespace tactus::arbiter::daemon
