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
  if (floor_.options.budget_ns <= 0) return;
  next_look_ns_ = now + std::max<std::int64_t>(floor_.options.budget_ns / 2, kLeastLookNs);
  const ClientId fast_owner = referee_->fast_owner();
  for (const auto& [id, peer] : floor_.peers) {
    if (!peer->page) continue;
    if (id == fast_owner) {
      const std::int64_t since = peer->claimed_since(now);
      floor_.note_stay(*peer, since, now - since);
      continue;
    }
    peer->claims_nothing(now);
    if (peer->begun_ns != 0 && !referee_->off(id)) {
      floor_.note_stay(*peer, peer->begun_ns, peer->held_ns(now));
    }
  }
}

/// At the end of a round, when no update is being announced.
void Daemon::act_on_overstays() {
  for (const ClientId client : std::exchange(floor_.overstayed, {})) {
    Peer* const peer = floor_.find(client);
    if (peer == nullptr) continue;
    const std::int64_t now = host::now_ns();
    if (floor_.options.on_overstay == Overstay::kKill && tell_process(peer->process, SIGTERM)) {
      floor_.log.line("kill", client);
      if (peer->told_to_end_ns == 0) peer->told_to_end_ns = now;
      tell_process(peer->process, SIGCONT);  // a stopped process would not hear it
      continue;
    }
    referee_->demote(*peer);
  }
}

/// A process that is told to end has one lease of time to do so, also if it has closed its connection
/// meanwhile.
void Daemon::kill_those_who_stay(std::int64_t now) {
  for (const auto& [id, peer] : floor_.peers) {
    if (peer->told_to_end_ns != 0 && now - peer->told_to_end_ns >= floor_.options.lease_ns)
      tell_process(peer->process, SIGKILL);
  }
  std::erase_if(condemned_, [&](const Condemned& one) {
    if (now - one.told_ns < floor_.options.lease_ns) return false;
    tell_process(one.process, SIGKILL);
    close(one.process);
    return true;
  });
}

}  // namespace tactus::arbiter::daemon
