#include "tactus/arbiter/daemon/boost_coordinator.hpp"

#include <algorithm>
#include <utility>

namespace tactus::arbiter::daemon {

using boost::Move;
using boost::Operation;

void OperationCost::add(std::int64_t ns) {
  ++count;
  total_ns += ns;
  max_ns = std::max(max_ns, ns);
}

std::vector<BoostAction> BoostCoordinator::take_actions() { return std::exchange(actions_, {}); }

void BoostCoordinator::submit(const boost::Batch& batch, bool held_by_tier, StartSeen seen,
                              std::int64_t now_ns) {
  count_best_effort(now_ns);
  forget_segment_of(batch.client);
  boost::Batch taken = batch;
  const bool demoted = std::exchange(taken.demoted, 0) > 0;  // the rules give it its number
  boost::submit(turns_, taken);
  if (demoted) boost::demote(turns_, batch.client);
  if (batch.urgency.best_effort && !demoted) shares_.join(batch.client, batch.urgency.share);
  manners_[batch.client] = {held_by_tier, seen};
  advance(now_ns, now_ns);
}

void BoostCoordinator::complete(ClientId client, std::uint32_t segment, std::int64_t outstanding_ns,
                                std::int64_t now_ns) {
  count_best_effort(now_ns);
  if (!boost::complete(turns_, client, segment)) return;
  started(client, segment, now_ns);  // at the latest now
  costs_.late.add(now_ns - outstanding_ns);
  still_there_.erase(client);
  used_.erase(client);
  shares_.leave(client);
  advance(outstanding_ns, now_ns);
}

void BoostCoordinator::started(ClientId client, std::uint32_t segment, std::int64_t now_ns) {
  const auto at = starting_.find(client);
  if (at == starting_.end() || at->second.segment != segment) return;
  costs_.gate.add(now_ns - at->second.opened_ns);
  costs_.start.add(now_ns - at->second.since_ns);
  actions_.push_back({BoostAction::Kind::kEnded, client, segment, Move::kStart, false,
                      now_ns - at->second.since_ns});
  starting_.erase(at);
}

void BoostCoordinator::gone(ClientId client, std::int64_t now_ns) {
  count_best_effort(now_ns);
  boost::gone(turns_, client);
  manners_.erase(client);
  forget_segment_of(client);
  silent_.erase(client);
  still_there_.erase(client);
  patience_.forget(client);
  // With the process its work is gone: that is the end of what was being done to it.
  if (turns_.operation && turns_.operation->client == client) end_operation(now_ns, false);
  advance(now_ns, now_ns);
}

void BoostCoordinator::done(ClientId client, std::int64_t now_ns, bool carried_out) {
  silent_.erase(client);
  if (carried_out) still_there_.erase(client);
  if (!turns_.operation || turns_.operation->client != client) return;
  if (!carried_out && turns_.operation->move == Move::kOff) still_there_.insert(client);
  patience_.spend(client, now_ns - ordered_ns_, now_ns);
  end_operation(now_ns, carried_out);
  advance(now_ns, now_ns);
}

std::optional<std::int64_t> BoostCoordinator::deadline() const {
  if (!turns_.operation) return std::nullopt;
  return ordered_ns_ + patience_ns_;
}

void BoostCoordinator::expire(std::int64_t now_ns) {
  if (!turns_.operation || now_ns < *deadline()) return;
  const Operation late = *turns_.operation;
  patience_.spend(late.client, now_ns - ordered_ns_, now_ns);
  silent_.insert(late.client);
  if (late.move == Move::kOff) still_there_.insert(late.client);
  actions_.push_back(
      {BoostAction::Kind::kLate, late.client, late.segment, late.move, false, now_ns - since_ns_});
  end_operation(now_ns, false);
  advance(now_ns, now_ns);
}

void BoostCoordinator::rotate(std::int64_t now_ns) {
  count_best_effort(now_ns);
  const boost::Batch* const on = turns_.on();
  if (on != nullptr && best_effort_turn() == on->client) return;
  const auto operation = boost::begin_rotation(turns_);
  if (!operation) return;
  since_ns_ = now_ns;
  perform(*operation, now_ns);
  advance(now_ns, now_ns);
}

void BoostCoordinator::advance(std::int64_t since_ns, std::int64_t now_ns) {
  since_ns_ = turns_.operation ? since_ns_ : since_ns;
  while (const auto operation = next(now_ns)) {
    perform(*operation, now_ns);
    if (!turns_.operation) since_ns_ = now_ns;  // the next one counts from here
  }
}

/// What could not be off in time any more is demoted first.
std::optional<Operation> BoostCoordinator::next(std::int64_t now_ns) {
  if (const auto turn = best_effort_turn()) boost::prefer(turns_, *turn);
  const auto demoted = [&] {
    std::set<ClientId> all;
    for (const boost::Batch& batch : turns_.batches) {
      if (batch.demoted > 0) all.insert(batch.client);
    }
    return all;
  };
  const bool reserved =
      std::any_of(turns_.batches.begin(), turns_.batches.end(),
                  [](const boost::Batch& batch) { return batch.on_before_ns != INT64_MAX; });
  if (!reserved) return boost::begin_next(turns_);
  const std::set<ClientId> before = demoted();
  const auto operation = boost::begin_next(turns_, now_ns, start_ns_, on_ns_);
  for (const ClientId client : demoted()) {
    if (!before.contains(client)) too_late_.push_back(client);
  }
  return operation;
}

void BoostCoordinator::expect(std::int64_t start_ns, std::int64_t on_ns) {
  start_ns_ = start_ns;
  on_ns_ = on_ns;
}

void BoostCoordinator::demote(ClientId client, std::int64_t now_ns) {
  boost::demote(turns_, client);
  shares_.leave(client);
  advance(now_ns, now_ns);
}

void BoostCoordinator::amend(ClientId client, std::int32_t priority, std::int32_t threshold,
                             std::int64_t on_before_ns) {
  boost::amend(turns_, client, priority, threshold, on_before_ns);
}

std::optional<std::int64_t> BoostCoordinator::used_ns(ClientId client, std::int64_t now_ns) const {
  const auto used = used_.find(client);
  if (used == used_.end() || !used->second.since_ns) return std::nullopt;
  return used->second.before_ns + (now_ns - *used->second.since_ns) - used->second.allowed_ns;
}

/// Gives what is on its time until now, if it is best effort.
void BoostCoordinator::count_best_effort(std::int64_t now_ns) {
  const std::int64_t since = std::exchange(counted_ns_, now_ns);
  const boost::Batch* const on = turns_.on();
  if (on != nullptr && since != 0) shares_.used(on->client, now_ns - since);
}

/// Who is next among best-effort work, where somebody has a share of it.
std::optional<ClientId> BoostCoordinator::best_effort_turn() const {
  if (!shares_.any()) return std::nullopt;
  std::vector<ClientId> waiting;
  const boost::Batch* on = nullptr;
  for (const boost::Batch& batch : turns_.batches) {
    if (!batch.urgency.best_effort || batch.demoted > 0) continue;
    if (batch.state == boost::State::kOn) {
      on = &batch;
    } else {
      waiting.push_back(batch.client);
    }
  }
  if (on != nullptr) waiting.push_back(on->client);  // the last of its equals
  return shares_.next(waiting);
}

void BoostCoordinator::note_used(const Operation& operation, std::int64_t now_ns) {
  Used& used = used_[operation.client];
  if (operation.move == Move::kOff) {
    if (used.since_ns) used.before_ns += now_ns - *used.since_ns;
    used.since_ns.reset();
  } else {
    used.allowed_ns += operation.move == Move::kStart ? start_ns_ : on_ns_;
    used.since_ns = now_ns;
  }
}

void BoostCoordinator::forget_segment_of(ClientId client) {
  shares_.leave(client);
  starting_.erase(client);
  used_.erase(client);
}

void BoostCoordinator::perform(const Operation& operation, std::int64_t now_ns) {
  const ClientId client = operation.client;
  count_best_effort(now_ns);
  note_used(operation, now_ns);
  if (operation.move == Move::kStart) ++costs_.starts;
  if (operation.move == Move::kStart && !manners_[client].held_by_tier)
    return open_gate(operation, now_ns);
  const bool off = operation.move == Move::kOff;
  const bool waits = !silent_.contains(client);
  if (!off) still_there_.erase(client);
  actions_.push_back({BoostAction::Kind::kOrder, client, operation.segment, operation.move,
                      !off && !still_there_.empty(), 0});
  ordered_ns_ = now_ns;
  patience_ns_ = patience_.with(client, now_ns);
  if (waits) return;
  if (off) still_there_.insert(client);
  end_operation(now_ns, false);
}

/// One store, and it is on: its work may run from that moment.
void BoostCoordinator::open_gate(const Operation& operation, std::int64_t now_ns) {
  actions_.push_back({BoostAction::Kind::kOpenGate, operation.client, operation.segment,
                      operation.move, !still_there_.empty(), 0});
  const StartSeen seen = manners_[operation.client].seen;
  if (seen == StartSeen::kByAWord)
    starting_[operation.client] = {operation.segment, since_ns_, now_ns};
  end_operation(now_ns, seen == StartSeen::kAtTheGate);
}

/// @param counts it has been carried out as ordered
void BoostCoordinator::end_operation(std::int64_t now_ns, bool counts) {
  const Operation ended = *turns_.operation;
  count_best_effort(now_ns);
  boost::finish(turns_);
  if (!counts) return;
  const std::int64_t took = now_ns - since_ns_;
  (ended.move == Move::kStart ? costs_.start
   : ended.move == Move::kOff ? costs_.off
                              : costs_.on)
      .add(took);
  actions_.push_back(
      {BoostAction::Kind::kEnded, ended.client, ended.segment, ended.move, false, took});
}

}  // namespace tactus::arbiter::daemon
