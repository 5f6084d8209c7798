// What the arbiter does about clients that have the GPU for longer than their budget.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::daemon {
namespace {

constexpr std::int64_t kLeastLookNs = 1'000'000;

/// By its pidfd, so that it cannot be another process that has its number by now. False: not
/// permitted.
bool tell_process(int process, int signal) {
  return process >= 0 &&
         (syscall(SYS_pidfd_send_signal, process, signal, nullptr, 0) == 0 || errno == ESRCH);
}

}  // namespace

/// Looks for owners that overstay their budget. A shorter one is noticed at its end, except on the
/// fast path, where ends are not reported.
void Daemon::look_for_overstays(std::int64_t now) {
  if (options_.budget_ns <= 0) return;
  next_look_ns_ = now + std::max<std::int64_t>(options_.budget_ns / 2, kLeastLookNs);
  const std::uint32_t fast_owner = fast_.as<FastPage>().owner.load();
  for (const auto& [id, peer] : peers_) {
    if (!peer->page) continue;
    if (id == fast_owner) {
      const std::int64_t since = peer->claimed_since(now);
      note_stay(*peer, since, now - since);
      continue;
    }
    peer->claims_nothing(now);
    if (peer->begun_ns != 0 && !coordinator_.off(id)) {
      note_stay(*peer, peer->begun_ns, peer->held_ns(now));
    }
  }
}

void Daemon::note_stay(Peer& peer, std::int64_t since, std::int64_t held) {
  if (options_.budget_ns <= 0 || held <= options_.budget_ns || since == peer.overstay_of_ns) return;
  ++peer.overstays;
  peer.overstay_of_ns = since;
  log_.line("overstay", peer.id, R"("for_ns": {})", held);
  if (options_.on_overstay != Overstay::kReport) overstayed_.push_back(peer.id);
}

/// At the end of a round, when no update is being announced.
void Daemon::act_on_overstays() {
  for (const ClientId client : std::exchange(overstayed_, {})) {
    Peer* const peer = find(client);
    if (peer == nullptr) continue;
    const std::int64_t now = host::now_ns();
    if (options_.on_overstay == Overstay::kKill && tell_process(peer->process, SIGTERM)) {
      log_.line("kill", client);
      if (peer->told_to_end_ns == 0) peer->told_to_end_ns = now;
      tell_process(peer->process, SIGCONT);  // a stopped process would not hear it
      continue;
    }
    close_fast_path();  // who is alone there is found, and is a client like any other
    if (coordinator_.decision().find(client) == nullptr) continue;  // it has ended meanwhile
    log_.line("demote", client);
    peer->demoted = true;
    Request request;
    request.kind = Request::Kind::kDemote;
    request.client = client;
    request.since_ns = now;
    coordinator_.request(request, now);
    carry_out();
  }
}

/// A process that is told to end has one lease of time to do so, also if it has closed its connection
/// meanwhile.
void Daemon::kill_those_who_stay(std::int64_t now) {
  for (const auto& [id, peer] : peers_) {
    if (peer->told_to_end_ns != 0 && now - peer->told_to_end_ns >= options_.lease_ns)
      tell_process(peer->process, SIGKILL);
  }
  std::erase_if(condemned_, [&](const Condemned& one) {
    if (now - one.told_ns < options_.lease_ns) return false;
    tell_process(one.process, SIGKILL);
    close(one.process);
    return true;
  });
}

}  // namespace tactus::arbiter::daemon
