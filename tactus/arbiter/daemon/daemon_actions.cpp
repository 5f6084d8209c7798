// What the arbiter does to clients, and what it tells observers.
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

void Daemon::carry_out() {
  if (boosts()) return carry_out_boost();
  const std::int64_t now = host::now_ns();
  for (const Action& action : coordinator_.take_actions()) {
    Peer* peer = find(action.client);
    switch (action.kind) {
      case Action::Kind::kOrder:
        if (peer == nullptr) break;
        peer->order_shared = action.shared;
        order(*peer, action.off, now);
        if (action.shared) note_shared(*peer);
        break;
      case Action::Kind::kAnswer:
        if (peer == nullptr) break;
        peer->answer(action.request.number, action.answer);
        peer->wait_max_ns = std::max(peer->wait_max_ns, now - action.request.since_ns);
        if (action.request.kind == Request::Kind::kBegin && action.answer != Answer::kNested) {
          ++begins_;
          ++peer->segments;
          peer->begins(now, now);
        }
        log_.line("answer", action.client, R"("answer": {}, "waited_ns": {})",
                  static_cast<int>(action.answer), now - action.request.since_ns);
        if (action.answer == Answer::kShared) note_shared(*peer);
        break;
      case Action::Kind::kLate:
        ++late_;
        if (peer != nullptr) ++peer->late;
        log_.line("late", action.client, R"("order": "{}")", action.off ? "off" : "on");
        break;
      case Action::Kind::kRefused:
        log_.line("refuse-end", action.client);
        break;
      case Action::Kind::kUpdated:
        if (peer != nullptr && action.request.kind == Request::Kind::kEnd) {
          if (peer->begun_ns != 0) note_stay(*peer, peer->begun_ns, peer->held_ns(now));
          peer->begun_ns = 0;
          peer->demoted = false;
        }
        if (!action.changed) break;
        ++costs_.updates;
        costs_.total_ns += action.took_ns;
        costs_.max_ns = std::max(costs_.max_ns, action.took_ns);
        costs_.prompt_max_ns = std::max(costs_.prompt_max_ns,
                                        action.took_ns - std::exchange(waited_for_leavers_ns_, 0));
        log_.line("updated", action.client, R"("took_ns": {})", action.took_ns);
        break;
    }
  }
  reopen_fast_path();
}

/// It has the GPU, and another client that must be off may have it, too.
void Daemon::note_shared(Peer& peer) {
  ++shared_;
  ++peer.shared_turns;
  log_.line("shared", peer.id);
}

void Daemon::order(Peer& peer, bool off, std::int64_t now) {
  if (off && peer.begun_ns != 0) ++peer.preemptions;  // else it is its own begin that has to wait
  peer.off_before_ns = peer.off_ns(now);
  peer.ordered_ns = now;
  ++peer.order;
  peer.order_off = off;
  log_.line(off ? "order-off" : "order-on", peer.id);
  send_order(peer, false);
  if (!peer.order_unsent) return;
  log_.line("socket-full", peer.id);
  wait_for_room(peer);
}

void Daemon::send_order(Peer& peer, bool renewal) {
  const bool broken_before = peer.broken;
  peer.send_order(renewal);
  if (peer.broken && !broken_before) broken_.push_back(peer.id);
}

std::string Daemon::why_not_isolated() const {
  if (!options_.waived.empty()) return std::string(kWaived) + options_.waived;
  std::string why = daemon::why_not_isolated(options_.cpu);
  for (auto at = peers_.begin(); why.empty() && at != peers_.end(); ++at) {
    const Peer& peer = *at->second;
    if (peer.observer || !peer.real_time) continue;
    if (may_run_on(peer.pid, *options_.cpu)) {
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
  log_.line("isolation", 0, R"("holds": {}, "why": "{}")", isolation_told_.empty(),
            isolation_told_);
}

void Daemon::send_snapshot(Peer& observer, ClientId after) {
  const std::int64_t now = host::now_ns();
  const std::uint32_t fast_owner = fast_.as<FastPage>().owner.load();
  std::uint32_t rows = 0;
  for (auto at = peers_.upper_bound(after); at != peers_.end() && rows < kRowsAtOnce; ++at) {
    const auto& [id, peer] = *at;
    if (peer->observer || !peer->welcomed) continue;
    ++rows;
    const ClientPage& page = peer->shared();
    Urgency urgency;
    const Active* active = coordinator_.decision().find(id);
    if (active != nullptr) {
      urgency = active->urgency;
    } else if (id == fast_owner && page.claim_best_effort.load() == 0) {
      urgency = Urgency::real_time(page.claim_priority.load());
    }
    Message message{};
    message.kind = Kind::kRow;
    Row& row = message.row;
    row.client = id;
    row.pid = peer->pid;
    row.uid = peer->uid;
    row.active = active != nullptr || id == fast_owner ? 1 : 0;
    row.best_effort = urgency.best_effort ? 1 : 0;
    row.on = coordinator_.off(id) ? 0 : 1;
    row.priority = urgency.priority;
    copy_text(row.tier, peer->tier);
    copy_text(row.name, peer->name);
    row.segments = peer->segments + page.fast_segments.load();
    row.preemptions = peer->preemptions;
    row.late = peer->late;
    row.overstays = peer->overstays;
    row.shared = peer->shared_turns;
    row.silent = coordinator_.silent(id) ? 1 : 0;
    row.off_ns = peer->off_ns(now);
    row.wait_max_ns = peer->wait_max_ns;
    if (boosts()) fill_boost_row(*peer, row);
    observer.send(message);  // an observer that does not read gets less
  }
  if (boosts()) send_boost_summary(observer);
  Message message{};
  message.kind = Kind::kSummary;
  message.summary = {rows,
                     boosts() ? kRuleBoost : static_cast<std::uint32_t>(options_.rule),
                     begins_,
                     costs_.updates,
                     late_,
                     shared_,
                     costs_.max_ns,
                     costs_.mean_ns(),
                     costs_.prompt_max_ns,
                     costs_.take_off_max_ns,
                     costs_.put_back_max_ns,
                     costs_.leave_max_ns,
                     options_.lease_ns,
                     options_.update_timeout_ns,
                     {}};
  copy_text(message.summary.not_isolated, why_not_isolated());
  observer.send(message);
}

}  // namespace tactus::arbiter::daemon
