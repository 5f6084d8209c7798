// What the arbiter tells observers.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/arbiter/daemon/isolation.hpp"
#include "tactus/host/clock.hpp"

namespace tactus::arbiter::daemon {
namespace {

template <std::size_t Size>
void copy_text(char (&to)[Size], const std::string& from) {
  const std::size_t length = std::min(from.size(), Size - 1);
  std::memcpy(to, from.data(), length);
  to[length] = 0;
}

}  // namespace

std::string Daemon::why_not_isolated() const {
  if (!floor_.options.waived.empty()) return std::string(kWaived) + floor_.options.waived;
  std::string why = daemon::why_not_isolated(floor_.options.cpu);
  for (auto at = floor_.peers.begin(); why.empty() && at != floor_.peers.end(); ++at) {
    const Peer& peer = *at->second;
    if (peer.observer || !peer.real_time) continue;
    if (may_run_on(peer.pid, *floor_.options.cpu)) {
      why = fmt::format("{} may run on the arbiter's CPU", peer.name);
    } else if (!peer.isolated) {
      why = fmt::format("{}'s control thread is elsewhere", peer.name);
    }
  }
  return why;
}

void Daemon::note_isolation() {
  std::string why = why_not_isolated();
  if (why == isolation_told_) return;
  isolation_told_ = std::move(why);
  floor_.log.line("isolation", 0, R"("holds": {}, "why": "{}")", isolation_told_.empty(),
                  isolation_told_);
}

void Daemon::send_snapshot(Peer& observer, ClientId after) {
  const std::int64_t now = host::now_ns();
  std::uint32_t rows = 0;
  for (auto at = floor_.peers.upper_bound(after); at != floor_.peers.end() && rows < kRowsAtOnce;
       ++at) {
    const auto& [id, peer] = *at;
    if (peer->observer || !peer->welcomed) continue;
    ++rows;
    Message message{};
    message.kind = MessageKind::kRow;
    Row& row = message.row;
    row.client = id;
    row.pid = peer->pid;
    row.uid = peer->uid;
    copy_text(row.tier, peer->tier);
    copy_text(row.name, peer->name);
    row.segments = peer->segments + peer->shared().fast_segments.load();
    row.preemptions = peer->preemptions;
    row.late = peer->late;
    row.overstays = peer->overstays;
    row.shared = peer->shared_turns;
    row.off_ns = peer->off_ns(now);
    row.wait_max_ns = peer->wait_max_ns;
    referee_->fill(*peer, row);
    observer.send(message);  // an observer that does not read gets less
  }
  referee_->summarise(observer);
  Message message{};
  message.kind = MessageKind::kSummary;
  message.summary = {rows,
                     referee_->rule(),
                     floor_.begins,
                     floor_.costs.updates,
                     floor_.late,
                     floor_.shared,
                     floor_.costs.max_ns,
                     floor_.costs.mean_ns(),
                     floor_.costs.prompt_max_ns,
                     floor_.costs.take_off_max_ns,
                     floor_.costs.put_back_max_ns,
                     floor_.costs.leave_max_ns,
                     floor_.options.lease_ns,
                     floor_.options.update_timeout_ns,
                     {}};
  copy_text(message.summary.not_isolated, why_not_isolated());
  observer.send(message);
}

}  // namespace tactus::arbiter::daemon
