#include "tactus/arbiter/daemon/boost_referee.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"

namespace tactus::arbiter::daemon {
namespace {

const char* name_of(boost::Move move) {
  return move == boost::Move::kStart ? "start" : move == boost::Move::kOff ? "off" : "on";
}

}  // namespace

BoostReferee::BoostReferee(Floor& floor)
    : Referee(floor),
      coordinator_(floor.options.update_timeout_ns, floor.options.patience_percent,
                   floor.options.slice_ns) {}

/// Marks are looked at every few microseconds.
void BoostReferee::settle() { prctl(PR_SET_TIMERSLACK, 1000); }

bool BoostReferee::take(Peer& peer, const Message& message) {
  if (message.kind == MessageKind::kSubmit) return take_submit(peer, message.submit);
  if (message.kind != MessageKind::kEnd) return false;
  take_end(peer);
  return true;
}

bool BoostReferee::take_submit(Peer& peer, const Submit& submit) {
  if (submit.marks > kMostMarks || (submit.marks == 0 && submit.held_by_tier == 0)) return false;
  if (submit.best_effort == 0 && submit.threshold < submit.priority) return false;
  look();  // its last segment may be complete, and nobody has seen it yet
  const std::int64_t now = host::now_ns();
  boost::Batch batch;
  batch.client = peer.id;
  batch.segment = submit.segment;
  batch.stays = submit.stays != 0;
  if (submit.best_effort == 0) {
    batch.urgency = Urgency::real_time(submit.priority);
    batch.threshold = submit.threshold;
  } else if (submit.share != 0) {
    batch.urgency.share = promised(peer, submit);
  }
  batch.slices = (submit.best_effort != 0 || admits()) && submit.held_by_tier != 0;
  if (!admits() && !may_submit(peer, batch, submit)) {
    floor_.log.line("forbid", peer.id, R"("priority": {}, "threshold": {})", submit.priority,
                    submit.threshold);
    peer.answer(submit.segment, Answer::kForbidden);
    return true;
  }
  if (peer.begun_ns != 0) note_complete(peer, now);
  peer.submitted = submit;
  peer.submitted_ns = now;
  peer.real_time = peer.real_time || submit.best_effort == 0;
  ++peer.segments;
  ++floor_.begins;
  peer.off_before_ns = peer.off_ns(now);
  peer.order_off = submit.held_by_tier != 0;  // it has taken itself off
  peer.ordered_ns = now;
  peer.order_segment = submit.segment;
  floor_.log.line("submit", peer.id, R"("segment": {}, "priority": {}, "threshold": {})",
                  submit.segment,
                  submit.best_effort != 0 ? "null" : std::to_string(submit.priority),
                  submit.best_effort != 0 ? "null" : std::to_string(submit.threshold));
  if (!admits()) {
    coordinator_.submit(batch, submit.held_by_tier != 0, submit.seen, now);
  } else {
    const auto owner = owners_.find(peer.pid);
    enforcement_.submit(
        {batch, submit.held_by_tier != 0, submit.seen, submit.job, submit.arrived_ns, submit.alone},
        owner != owners_.end() ? std::optional(owner->second) : std::nullopt, now);
    if (enforcement_.keeps(peer.id)) floor_.log.line("keep", peer.id);
  }
  carry_out();
  return true;
}

/// What can be promised of the share that a program asks for: all of it, or nothing. It takes from other
/// users, so it is for those who may do that anyway.
int BoostReferee::promised(Peer& peer, const Submit& submit) {
  const boost::Shares& shares = coordinator_.shares();
  const auto asked = static_cast<int>(std::min(submit.share, 1000U));
  const bool granted = submit.held_by_tier != 0 &&
                       floor_.options.permissions.may_be_real_time(peer.uid) &&
                       shares.fits(asked - shares.of(peer.id));
  peer.shared().share_refused.store(granted ? 0 : 1);
  floor_.log.line("share", peer.id, R"("asked": {}, "promised": {})", asked, granted ? asked : 0);
  return granted ? asked : 0;
}

/// Where nobody is admitted, everybody says how urgent it is.
bool BoostReferee::may_submit(const Peer& peer, const boost::Batch& batch,
                              const Submit& submit) const {
  const Permissions& permissions = floor_.options.permissions;
  // Who may not ask for a priority may not keep out those who do, either.
  const bool keeps_out =
      batch.stays || (submit.best_effort == 0 && submit.threshold == Submit::kProtected);
  return permissions.allows(peer.uid, batch.urgency) &&
         (!keeps_out || permissions.may_be_real_time(peer.uid)) &&
         (batch.urgency.best_effort || submit.threshold == Submit::kProtected ||
          permissions.allows(peer.uid, Urgency::real_time(submit.threshold)));
}

void BoostReferee::hold_to(const std::shared_ptr<const Book>& book) {
  owners_.clear();
  for (const auto& [number, terms] : book->terms) {
    if (terms.process != 0) owners_[terms.process] = number;
  }
  look();  // what is complete by now is not too long
  enforcement_.hold_to(book, host::now_ns());
}

/// A program without segments is over, but its process goes on.
void BoostReferee::take_end(Peer& peer) {
  const std::int64_t now = host::now_ns();
  enforcement_.forget(peer.id);
  if (coordinator_.turns().find(peer.id) == nullptr) return;
  note_complete(peer, now);
  peer.order_off = false;
  coordinator_.complete(peer.id, peer.submitted.segment, now, now);
  carry_out();
}

bool BoostReferee::must_look() const {
  return std::any_of(coordinator_.turns().batches.begin(), coordinator_.turns().batches.end(),
                     [&](const boost::Batch& batch) {
                       const Peer* const peer = floor_.find(batch.client);
                       return batch.started() && peer != nullptr && peer->submitted.marks > 0;
                     });
}

bool BoostReferee::slices_take_turns() const {
  const boost::Batch* const on = coordinator_.turns().on();
  return on != nullptr && on->slices && coordinator_.turns().batches.size() > 1;
}

void BoostReferee::look() {
  const std::int64_t before = last_look_ns_, now = host::now_ns();
  last_look_ns_ = now;
  // A copy: what is complete disappears. Also of those that wait: their gate may have been opened
  // by themselves.
  std::vector<boost::Batch> batches = coordinator_.turns().batches;
  for (const boost::Batch& batch : batches) {
    Peer* const peer = floor_.find(batch.client);
    if (peer == nullptr || peer->submitted.segment != batch.segment) continue;
    if (coordinator_.starting(peer->id) && peer->has_started())
      coordinator_.started(peer->id, batch.segment, now);
    if (!peer->marked()) continue;
    note_complete(*peer, now);
    enforcement_.completed(peer->id, batch.segment, now);
    coordinator_.complete(peer->id, batch.segment, std::max(before, peer->submitted_ns), now);
    carry_out();  // the next one first, then the one that has finished
    ClientPage& page = peer->shared();
    page.completed.store(batch.segment);
    host::futex_wake_all(page.completed);
  }
  if (admits()) enforcement_.look(now);
  if (now < slice_until_ns_ || !slices_take_turns()) return;
  slice_until_ns_ = now + floor_.options.slice_ns;
  coordinator_.rotate(now);
}

void BoostReferee::note_complete(Peer& peer, std::int64_t now) {
  if (peer.begun_ns == 0) return;
  floor_.note_stay(peer, peer.begun_ns, peer.held_ns(now));
  peer.begun_ns = 0;
  floor_.log.line("complete", peer.id, R"("segment": {})", peer.submitted.segment);
}

void BoostReferee::done(Peer& peer, const Done& done, std::int64_t) {
  floor_.log.line("done", peer.id, R"("result": {}, "took_ns": {})", static_cast<int>(done.result),
                  done.took_ns);
  coordinator_.done(peer.id, host::now_ns(), done.result == TierResult::kDone);
}

void BoostReferee::gone(ClientId client) {
  enforcement_.forget(client);
  coordinator_.gone(client, host::now_ns());
}

std::optional<std::int64_t> BoostReferee::deadline() const {
  std::optional<std::int64_t> next = coordinator_.deadline();
  const auto at = [&](std::int64_t time) { next = std::min(next.value_or(time), time); };
  if (slices_take_turns()) at(slice_until_ns_);
  if (const auto held = enforcement_.deadline(host::now_ns())) at(*held);
  return next;
}

void BoostReferee::carry_out() {
  for (const BoostAction& action : coordinator_.take_actions()) {
    if (Peer* const peer = floor_.find(action.client)) carry_out(action, *peer);
  }
  note_breaches();
  note_broken_invariant();
}

void BoostReferee::note_breaches() {
  for (const Enforcement::Breached& one : enforcement_.take_breaches()) {
    Peer* const peer = floor_.find(one.client);
    if (peer == nullptr) continue;
    ++peer->demotions;
    peer->shared().demotions.store(peer->demotions);
    floor_.log.line("demote", one.client, R"("segment": {}, "why": "{}", "noticed_ns": {})",
                    one.segment, name_of(one.how), one.noticed_ns);
    if (one.noticed_ns <= enforcement_.book().notice) continue;
    ++*enforcement_.book().beyond;
    floor_.log.line("slow", one.client, R"("noticed_ns": {})", one.noticed_ns);
  }
}

void BoostReferee::carry_out(const BoostAction& action, Peer& peer) {
  const std::int64_t now = host::now_ns();
  switch (action.kind) {
    case BoostAction::Kind::kOpenGate: {
      ClientPage& page = peer.shared();
      page.shared.store(action.shared ? 1 : 0);
      page.opened_ns.store(now);
      open_gate(page, action.segment);
      host::futex_wake_all(page.gate);
      note_start(peer, now);
      floor_.log.line("open", peer.id, R"("segment": {})", action.segment);
      if (action.shared) floor_.note_shared(peer);
      break;
    }
    case BoostAction::Kind::kOrder:
      peer.order_shared = action.shared;
      peer.order_segment = action.segment;
      floor_.order(peer, action.move == boost::Move::kOff, now);
      if (action.move == boost::Move::kStart) {
        note_start(peer, now);
        slice_until_ns_ = now + floor_.options.slice_ns;
      }
      if (action.shared) floor_.note_shared(peer);
      break;
    case BoostAction::Kind::kEnded:
      floor_.log.line(name_of(action.move), peer.id, R"("segment": {}, "took_ns": {})",
                      action.segment, action.took_ns);
      note_beyond(action);
      break;
    case BoostAction::Kind::kLate:
      if (admits()) ++*enforcement_.book().beyond;
      ++floor_.late;
      ++peer.late;
      floor_.log.line("late", action.client, R"("order": "{}")", name_of(action.move));
      break;
  }
}

/// Bounds count what the file of the arbiter says.
void BoostReferee::note_beyond(const BoostAction& action) {
  const Book& book = enforcement_.book();
  const std::int64_t most = action.move == boost::Move::kStart ? book.start
                            : action.move == boost::Move::kOff ? book.off
                                                               : book.on;
  if (!admits() || action.took_ns <= most) return;
  ++*book.beyond;
  floor_.log.line("beyond", action.client, R"("operation": "{}", "took_ns": {}, "most_ns": {})",
                  name_of(action.move), action.took_ns, most);
}

void BoostReferee::note_start(Peer& peer, std::int64_t now) {
  peer.wait_max_ns = std::max(peer.wait_max_ns, now - peer.submitted_ns);
  peer.begins(now, now);
}

/// A mistake of ours; it is told when it appears, not as long as it lasts.
void BoostReferee::note_broken_invariant() {
  const char* const broken = boost::broken_invariant(coordinator_.turns());
  if (broken != nullptr && broken != invariant_told_)
    floor_.log.line("invariant", 0, R"("broken": "{}")", broken);
  if (broken != nullptr) invariant_told_ = broken;
}

/// Who waits hears that the arbiter is alive; who is off, that it is to stay so.
void BoostReferee::renew(Peer& peer) {
  const boost::Batch* const batch = coordinator_.turns().find(peer.id);
  const bool kept = enforcement_.keeps(peer.id);
  if ((batch == nullptr && !kept) || peer.order_unsent) return;
  if (peer.order_off) return floor_.send_order(peer, true);
  if (!kept && batch->state != boost::State::kFresh) return;
  Message message{};
  message.kind = MessageKind::kOrder;
  message.order = {peer.order, OrderState::kWait, 1, 0, peer.submitted.segment};
  if (peer.send(message) == Sent::kBroken) floor_.broken.push_back(peer.id);
}

void BoostReferee::fill(const Peer& peer, Row& row) const {
  const boost::Batch* const batch = coordinator_.turns().find(peer.id);
  const bool kept = enforcement_.keeps(peer.id);
  row.active = batch != nullptr || kept ? 1 : 0;
  row.on = !kept && (batch == nullptr || batch->state == boost::State::kOn) ? 1 : 0;
  row.reserved = owners_.contains(peer.pid) ? 1 : 0;
  row.demotions = peer.demotions;
  row.launches = peer.shared().launches.load();
  row.passed = peer.shared().passed.load();
  row.silent = coordinator_.silent(peer.id) ? 1 : 0;
  row.segments = peer.segments;
  row.forced = peer.forced;
  const Urgency urgency = batch != nullptr ? batch->urgency : Urgency{};
  row.best_effort = urgency.best_effort ? 1 : 0;
  row.priority = urgency.priority;
  row.share = static_cast<std::uint16_t>(coordinator_.shares().of(peer.id));
  if (batch != nullptr) row.threshold = batch->stays ? Submit::kProtected : batch->threshold;
}

void BoostReferee::summarise(Peer& observer) const {
  const BoostCosts& costs = coordinator_.costs();
  Message message{};
  message.kind = MessageKind::kBoostSummary;
  message.boost = {costs.starts,        costs.off.count,       costs.on.count,
                   costs.start.max_ns,  costs.start.mean_ns(), costs.off.max_ns,
                   costs.off.mean_ns(), costs.on.max_ns,       costs.on.mean_ns(),
                   costs.gate.max_ns,   costs.late.max_ns,     costs.late.count,
                   floor_.forced};
  observer.send(message);
}

}  // namespace tactus::arbiter::daemon
