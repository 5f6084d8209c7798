#include "tactus/arbiter/daemon/gcaps_referee.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tactus/host/clock.hpp"

namespace tactus::arbiter::daemon {
namespace {

/// A client waits for the answer to its begin; an honest one never has more requests than this.
constexpr std::size_t kMostQueued = 4;
/// Of a silent client, before a begin of another one: its End, and that it has obeyed.
constexpr int kHeardOfTheSilent = 2;

std::string urgency_json(Urgency urgency) {
  return urgency.best_effort ? R"("best_effort": true)"
                             : fmt::format(R"("priority": {})", urgency.priority);
}

/// As the client says in its own page.
Urgency claim_of(const ClientPage& page) {
  return page.claim_best_effort.load() == 0 ? Urgency::real_time(page.claim_priority.load())
                                            : Urgency{};
}

}  // namespace

GcapsReferee::GcapsReferee(Floor& floor, host::SharedMemory fast)
    : Referee(floor),
      fast_(std::move(fast)),
      coordinator_(floor.options.rule, floor.options.update_timeout_ns,
                   floor.options.patience_percent) {}

bool GcapsReferee::take(Peer& peer, const Message& message) {
  if (message.kind == MessageKind::kSubmit) return false;
  Request request;
  request.client = peer.id;
  request.number = message.segment.request;
  request.since_ns = host::now_ns();
  request.kind = message.kind == MessageKind::kBegin ? Request::Kind::kBegin
                 : message.kind == MessageKind::kEnd ? Request::Kind::kEnd
                                                     : Request::Kind::kRaise;
  if (coordinator_.queued(peer.id) >= kMostQueued) return false;
  if (request.kind != Request::Kind::kEnd) {
    if (message.segment.best_effort == 0)
      request.urgency = Urgency::real_time(message.segment.priority);
    if (!floor_.options.permissions.allows(peer.uid, request.urgency)) {
      floor_.log.line("forbid", peer.id, "{}", urgency_json(request.urgency));
      peer.answer(request.number, Answer::kForbidden);
      return true;
    }
    if (peer.demoted && request.kind == Request::Kind::kRaise) request.urgency = Urgency{};
    peer.real_time = peer.real_time || !request.urgency.best_effort;
    // In this order: what the silent say may leave nobody active, which opens the fast path.
    hear_the_silent(peer.id);
    close_fast_path();
  }
  if (request.kind == Request::Kind::kEnd) {
    floor_.log.line("end", peer.id);
  } else {
    floor_.log.line(request.kind == Request::Kind::kBegin ? "begin" : "raise", peer.id, "{}",
                    urgency_json(request.urgency));
  }
  coordinator_.request(request, request.since_ns);
  return true;
}

/// A client that was frozen may have confirmed its order just before this begin was asked for: what
/// it said is in its socket, and a begin must not go on without it as if it were still silent. But a
/// silent client must not hold others up by talking: it is heard once in each round, and not for
/// long.
void GcapsReferee::hear_the_silent(ClientId except) {
  if (heard_ || coordinator_.all_silent().empty()) return;
  heard_ = true;
  const std::set<ClientId> silent = coordinator_.all_silent();
  for (ClientId client : silent) {
    if (client == except) continue;
    for (int i = 0; i < kHeardOfTheSilent && coordinator_.silent(client); ++i) {
      Peer* const peer = floor_.find(client);
      if (peer == nullptr || !floor_.hear(*peer)) break;
    }
  }
}

void GcapsReferee::done(Peer& peer, const Done& done, std::int64_t took_ns) {
  const bool carried_out = done.result == TierResult::kDone;
  if (carried_out && peer.order_off && coordinator_.awaits(peer.id) && peer.leaves_by_itself) {
    waited_for_leavers_ns_ = std::max(waited_for_leavers_ns_, took_ns);  // they leave side by side
  }
  floor_.log.line(peer.order_off ? "off" : "on", peer.id, R"("result": {}, "took_ns": {})",
                  static_cast<int>(done.result), done.took_ns);
  coordinator_.done(peer.id, host::now_ns(), carried_out);
}

void GcapsReferee::gone(ClientId client) {
  std::uint32_t owner = client;
  fast().owner.compare_exchange_strong(owner, FastPage::kIdle);
  Request request;
  request.kind = Request::Kind::kGone;
  request.client = client;
  request.since_ns = host::now_ns();
  coordinator_.request(request, request.since_ns);
}

void GcapsReferee::others_may_be_there(bool so) {
  strangers_ = so;
  if (so) fast().owner.store(FastPage::kManaged);
  coordinator_.others_may_be_there(so);
}

void GcapsReferee::demote(Peer& peer) {
  close_fast_path();  // who is alone there is found, and is a client like any other
  if (coordinator_.decision().find(peer.id) == nullptr) return;  // it has ended meanwhile
  floor_.log.line("demote", peer.id);
  peer.demoted = true;
  Request request;
  request.kind = Request::Kind::kDemote;
  request.client = peer.id;
  request.since_ns = host::now_ns();
  coordinator_.request(request, request.since_ns);
  carry_out();
}

void GcapsReferee::carry_out() {
  const std::int64_t now = host::now_ns();
  for (const Action& action : coordinator_.take_actions()) {
    Peer* const peer = floor_.find(action.client);
    switch (action.kind) {
      case Action::Kind::kOrder:
        if (peer == nullptr) break;
        peer->order_shared = action.shared;
        floor_.order(*peer, action.off, now);
        if (action.shared) floor_.note_shared(*peer);
        break;
      case Action::Kind::kAnswer:
        if (peer != nullptr) answer(action, *peer, now);
        break;
      case Action::Kind::kLate:
        ++floor_.late;
        if (peer != nullptr) ++peer->late;
        floor_.log.line("late", action.client, R"("order": "{}")", action.off ? "off" : "on");
        break;
      case Action::Kind::kRefused:
        floor_.log.line("refuse-end", action.client);
        break;
      case Action::Kind::kUpdated:
        note_update(action, peer, now);
        break;
    }
  }
  reopen_fast_path();
}

void GcapsReferee::answer(const Action& action, Peer& peer, std::int64_t now) {
  const std::int64_t waited = now - action.request.since_ns;
  peer.answer(action.request.number, action.answer);
  peer.wait_max_ns = std::max(peer.wait_max_ns, waited);
  if (action.request.kind == Request::Kind::kBegin && action.answer != Answer::kNested) {
    ++floor_.begins;
    ++peer.segments;
    peer.begins(now, now);
  }
  floor_.log.line("answer", action.client, R"("answer": {}, "waited_ns": {})",
                  static_cast<int>(action.answer), waited);
  if (action.answer == Answer::kShared) floor_.note_shared(peer);
}

void GcapsReferee::note_update(const Action& action, Peer* peer, std::int64_t now) {
  if (peer != nullptr && action.request.kind == Request::Kind::kEnd) {
    if (peer->begun_ns != 0) floor_.note_stay(*peer, peer->begun_ns, peer->held_ns(now));
    peer->begun_ns = 0;
    peer->demoted = false;
  }
  if (!action.changed) return;
  UpdateCosts& costs = floor_.costs;
  ++costs.updates;
  costs.total_ns += action.took_ns;
  costs.max_ns = std::max(costs.max_ns, action.took_ns);
  const std::int64_t prompt_ns = action.took_ns - std::exchange(waited_for_leavers_ns_, 0);
  costs.prompt_max_ns = std::max(costs.prompt_max_ns, prompt_ns);
  if (action.left > 0) {
    const std::size_t place = std::min(action.left, Leaving::kMost) - 1;
    ++costs.leaving.updates[place];
    costs.leaving.max_ns[place] = std::max(costs.leaving.max_ns[place], prompt_ns);
  }
  floor_.log.line("updated", action.client, R"("took_ns": {})", action.took_ns);
}

void GcapsReferee::renew(Peer& peer) {
  if (peer.order_off && !peer.order_unsent) floor_.send_order(peer, true);
}

/// From now on the arbiter decides every begin and end; a client on the fast path was there first.
void GcapsReferee::close_fast_path() {
  const std::uint32_t owner = fast().owner.exchange(FastPage::kManaged);
  if (owner == FastPage::kIdle || owner == FastPage::kManaged || !coordinator_.idle()) return;
  Peer* const peer = floor_.find(owner);
  if (peer == nullptr || !peer->page) return;
  // Only the client itself can write this page, so no client can claim for another.
  const ClientPage& page = peer->shared();
  if (page.claimed.load() == 0) return;
  Urgency urgency = claim_of(page);
  if (!floor_.options.permissions.allows(peer->uid, urgency)) urgency = Urgency{};
  peer->real_time = peer->real_time || !urgency.best_effort;
  const std::int64_t now = host::now_ns();
  peer->begins(peer->claimed_since(now), now);
  floor_.log.line("adopt", owner, "{}", urgency_json(urgency));
  coordinator_.adopt(owner, urgency);
}

void GcapsReferee::reopen_fast_path() {
  auto& owner = fast().owner;
  if (!strangers_ && coordinator_.idle() && owner.load() == FastPage::kManaged)
    owner.store(FastPage::kIdle);
}

int GcapsReferee::fast_page_for(const Peer& peer) const {
  const DaemonOptions& options = floor_.options;
  const bool offered = options.fast_path && options.rule == Rule::kPriority && !peer.observer &&
                       (peer.uid == geteuid() || peer.uid == 0);
  return offered ? fast_.file() : -1;
}

void GcapsReferee::summarise(Peer& observer) const {
  Message message{};
  message.kind = MessageKind::kLeaving;
  message.leaving = floor_.costs.leaving;
  observer.send(message);
}

void GcapsReferee::fill(const Peer& peer, Row& row) const {
  const Active* const active = coordinator_.decision().find(peer.id);
  const bool fast = peer.id == fast_owner();
  const Urgency urgency = active != nullptr ? active->urgency
                          : fast            ? claim_of(peer.shared())
                                            : Urgency{};
  row.active = active != nullptr || fast ? 1 : 0;
  row.best_effort = urgency.best_effort ? 1 : 0;
  row.priority = urgency.priority;
  row.on = coordinator_.off(peer.id) ? 0 : 1;
  row.silent = coordinator_.silent(peer.id) ? 1 : 0;
}

}  // namespace tactus::arbiter::daemon
