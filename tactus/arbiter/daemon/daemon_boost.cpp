// The arbiter for boost: batches that are submitted, gates that are opened, marks that are seen.
#include <algorithm>

#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"

namespace tactus::arbiter::daemon {
namespace {

const char* name_of(boost::Move move) {
  return move == boost::Move::kStart ? "start" : move == boost::Move::kOff ? "off" : "on";
}

}  // namespace

bool Daemon::take_submit(Peer& peer, const Submit& submit) {
  if (submit.marks > kMostMarks || (submit.marks == 0 && submit.held_by_tier == 0)) return false;
  if (submit.best_effort == 0 && submit.threshold < submit.priority) return false;
  look_at_marks();  // its last segment may be complete, and nobody has seen it yet
  const std::int64_t now = host::now_ns();
  boost::Batch batch;
  batch.client = peer.id;
  batch.segment = submit.segment;
  batch.stays = submit.stays != 0;
  if (submit.best_effort == 0) {
    batch.urgency = Urgency::real_time(submit.priority);
    batch.threshold = submit.threshold;
  }
  batch.slices = submit.best_effort != 0 && submit.held_by_tier != 0;
  // Who may not ask for a priority may not keep out those who do, either.
  const bool keeps_out =
      batch.stays || (submit.best_effort == 0 && submit.threshold == Submit::kProtected);
  const bool allowed =
      options_.permissions.allows(peer.uid, batch.urgency) &&
      (!keeps_out || options_.permissions.may_be_real_time(peer.uid)) &&
      (batch.urgency.best_effort || submit.threshold == Submit::kProtected ||
       options_.permissions.allows(peer.uid, Urgency::real_time(submit.threshold)));
  if (!allowed) {
    log_.line("forbid", peer.id, R"("priority": {}, "threshold": {})", submit.priority,
              submit.threshold);
    peer.answer(submit.segment, Answer::kForbidden);
    return true;
  }
  if (peer.begun_ns != 0) note_complete(peer, now);
  peer.submitted = submit;
  peer.submitted_ns = now;
  peer.real_time = peer.real_time || submit.best_effort == 0;
  ++peer.segments;
  ++begins_;
  peer.off_before_ns = peer.off_ns(now);
  peer.order_off = submit.held_by_tier != 0;  // it has taken itself off
  peer.ordered_ns = now;
  peer.order_segment = submit.segment;
  log_.line("submit", peer.id, R"("segment": {}, "priority": {}, "threshold": {})", submit.segment,
            submit.best_effort != 0 ? "null" : std::to_string(submit.priority),
            submit.best_effort != 0 ? "null" : std::to_string(submit.threshold));
  boost_.submit(batch, submit.held_by_tier != 0, submit.seen, now);
  carry_out();
  return true;
}

/// A program without segments is over, but its process goes on.
void Daemon::take_end(Peer& peer) {
  const std::int64_t now = host::now_ns();
  if (boost_.turns().find(peer.id) == nullptr) return;
  note_complete(peer, now);
  peer.order_off = false;
  boost_.complete(peer.id, peer.submitted.segment, now, now);
  carry_out();
}

bool Daemon::awaits_marks() const {
  if (!boosts()) return false;
  return std::any_of(
      boost_.turns().batches.begin(), boost_.turns().batches.end(), [&](const boost::Batch& batch) {
        const auto peer = peers_.find(batch.client);
        return batch.started() && peer != peers_.end() && peer->second->submitted.marks > 0;
      });
}

bool Daemon::slices_take_turns() const {
  const boost::Batch* const on = boost_.turns().on();
  return on != nullptr && on->slices && boost_.turns().batches.size() > 1;
}

void Daemon::look_at_marks() {
  if (!boosts()) return;
  const std::int64_t before = last_look_ns_, now = host::now_ns();
  last_look_ns_ = now;
  // A copy: what is complete disappears. Also of those that wait: their gate may have been opened
  // by themselves.
  std::vector<boost::Batch> batches = boost_.turns().batches;
  for (const boost::Batch& batch : batches) {
    Peer* const peer = find(batch.client);
    if (peer == nullptr || peer->submitted.segment != batch.segment) continue;
    if (boost_.starting(peer->id) && peer->has_started())
      boost_.started(peer->id, batch.segment, now);
    if (!peer->marked()) continue;
    note_complete(*peer, now);
    boost_.complete(peer->id, batch.segment, std::max(before, peer->submitted_ns), now);
    carry_out();  // the next one first, then the one that has finished
    ClientPage& page = peer->shared();
    page.completed.store(batch.segment);
    host::futex_wake_all(page.completed);
  }
  if (now < slice_until_ns_ || !slices_take_turns()) return;
  slice_until_ns_ = now + options_.slice_ns;
  boost_.rotate(now);
}

void Daemon::note_complete(Peer& peer, std::int64_t now) {
  if (peer.begun_ns == 0) return;
  note_stay(peer, peer.begun_ns, peer.held_ns(now));
  peer.begun_ns = 0;
  log_.line("complete", peer.id, R"("segment": {})", peer.submitted.segment);
}

void Daemon::carry_out_boost() {
  for (const BoostAction& action : boost_.take_actions()) {
    const std::int64_t now = host::now_ns();
    Peer* const peer = find(action.client);
    if (peer == nullptr) continue;
    const bool starts = action.move == boost::Move::kStart;
    switch (action.kind) {
      case BoostAction::Kind::kOpenGate: {
        ClientPage& page = peer->shared();
        page.shared.store(action.shared ? 1 : 0);
        open_gate(page, action.segment);
        host::futex_wake_all(page.gate);
        peer->wait_max_ns = std::max(peer->wait_max_ns, now - peer->submitted_ns);
        peer->begins(now, now);
        log_.line("open", peer->id, R"("segment": {})", action.segment);
        if (action.shared) note_shared(*peer);
        break;
      }
      case BoostAction::Kind::kOrder:
        peer->order_shared = action.shared;
        peer->order_segment = action.segment;
        order(*peer, action.move == boost::Move::kOff, now);
        if (starts) {
          peer->wait_max_ns = std::max(peer->wait_max_ns, now - peer->submitted_ns);
          peer->begins(now, now);
          slice_until_ns_ = now + options_.slice_ns;
        }
        if (action.shared) note_shared(*peer);
        break;
      case BoostAction::Kind::kEnded:
        log_.line(name_of(action.move), peer->id, R"("segment": {}, "took_ns": {})", action.segment,
                  action.took_ns);
        break;
      case BoostAction::Kind::kLate:
        ++late_;
        ++peer->late;
        log_.line("late", action.client, R"("order": "{}")", name_of(action.move));
        break;
    }
  }
  note_broken_invariant();
}

/// A mistake of ours; it is told when it appears, not as long as it lasts.
void Daemon::note_broken_invariant() {
  const char* const broken = boost::broken_invariant(boost_.turns());
  if (broken != nullptr && broken != invariant_told_)
    log_.line("invariant", 0, R"("broken": "{}")", broken);
  if (broken != nullptr) invariant_told_ = broken;
}

/// Who waits hears that the arbiter is alive; who is off, that it is to stay so.
void Daemon::renew(Peer& peer) {
  const boost::Batch* const batch = boost_.turns().find(peer.id);
  if (batch == nullptr || peer.order_unsent) return;
  if (peer.order_off) return send_order(peer, true);
  if (batch->state != boost::State::kFresh) return;
  Message message{};
  message.kind = Kind::kOrder;
  message.order = {peer.order, OrderState::kWait, 1, 0, batch->segment};
  if (peer.send(message) == Sent::kBroken) broken_.push_back(peer.id);
}

void Daemon::fill_boost_row(const Peer& peer, Row& row) {
  const boost::Batch* const batch = boost_.turns().find(peer.id);
  row.active = batch != nullptr ? 1 : 0;
  row.on = batch == nullptr || batch->state == boost::State::kOn ? 1 : 0;
  row.silent = boost_.silent(peer.id) ? 1 : 0;
  row.segments = peer.segments;
  row.forced = peer.forced;
  if (batch == nullptr) return;
  row.best_effort = batch->urgency.best_effort ? 1 : 0;
  row.priority = batch->urgency.priority;
  row.threshold = batch->stays ? Submit::kProtected : batch->threshold;
}

void Daemon::send_boost_summary(Peer& observer) {
  const BoostCosts& costs = boost_.costs();
  Message message{};
  message.kind = Kind::kBoostSummary;
  message.boost = {costs.starts,
                   costs.off.count,
                   costs.on.count,
                   costs.start.max_ns,
                   costs.start.mean_ns(),
                   costs.off.max_ns,
                   costs.off.mean_ns(),
                   costs.on.max_ns,
                   costs.on.mean_ns(),
                   costs.gate.max_ns,
                   costs.late.max_ns,
                   costs.late.count,
                   forced_};
  observer.send(message);
}

}  // namespace tactus::arbiter::daemon
