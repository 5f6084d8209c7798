#include "tactus/arbiter/boost/decide.hpp"

#include <algorithm>
#include <climits>

namespace tactus::arbiter::boost {
namespace {

constexpr std::uint32_t kNoSegment = 0;

/// The effective priority.
std::int64_t level(const Batch& batch) {
  constexpr std::int64_t kBestEffort = INT64_MIN / 2;
  if (batch.started() && batch.stays) return INT64_MAX;
  if (batch.demoted > 0) return kBestEffort - batch.demoted;
  if (batch.urgency.best_effort) return kBestEffort;
  return batch.started() ? batch.threshold : batch.urgency.priority;
}

/// @pre batches is not empty
const Batch& top(std::span<const Batch> batches) {
  const Batch* best = &batches.front();
  for (const Batch& batch : batches) {
    const bool higher = level(batch) > level(*best);
    const bool wins_tie = level(batch) == level(*best) && batch.started() && !best->started();
    if (higher || wins_tie) best = &batch;
  }
  return *best;
}

}  // namespace

const Batch* Turns::find(ClientId client) const {
  const auto at = std::find_if(batches.begin(), batches.end(),
                               [&](const Batch& batch) { return batch.client == client; });
  return at == batches.end() ? nullptr : &*at;
}

const Batch* Turns::on() const {
  const auto at = std::find_if(batches.begin(), batches.end(),
                               [](const Batch& batch) { return batch.state == State::kOn; });
  return at == batches.end() ? nullptr : &*at;
}

std::optional<Operation> decide(const Turns& turns) {
  if (turns.operation || turns.batches.empty()) return std::nullopt;
  const Batch& first = top(turns.batches);
  const Batch* const on = turns.on();
  if (on == &first) return std::nullopt;
  if (on != nullptr) return Operation{Move::kOff, on->client, on->segment};
  return Operation{first.started() ? Move::kOn : Move::kStart, first.client, first.segment};
}

void prefer(Turns& turns, ClientId client) {
  const auto at = std::find_if(turns.batches.begin(), turns.batches.end(),
                               [&](const Batch& batch) { return batch.client == client; });
  if (at == turns.batches.end() || at->started() || !at->urgency.best_effort) return;
  std::rotate(turns.batches.begin(), at, at + 1);
}

void submit(Turns& turns, Batch batch) {
  gone(turns, batch.client);  // what it submitted before is complete
  // What is still being done belongs to that one, even if the client gives its number again.
  if (turns.operation && turns.operation->client == batch.client &&
      turns.operation->segment == batch.segment)
    turns.operation->segment = kNoSegment;
  batch.state = State::kFresh;
  turns.batches.push_back(batch);
}

bool complete(Turns& turns, ClientId client, std::uint32_t segment) {
  return std::erase_if(turns.batches, [&](const Batch& batch) {
           return batch.client == client && batch.segment == segment;
         }) > 0;
}

void gone(Turns& turns, ClientId client) {
  std::erase_if(turns.batches, [&](const Batch& batch) { return batch.client == client; });
}

void finish(Turns& turns) {
  const Operation ended = *turns.operation;
  turns.operation.reset();
  const auto at = std::find_if(turns.batches.begin(), turns.batches.end(), [&](const Batch& batch) {
    return batch.client == ended.client && batch.segment == ended.segment;
  });
  if (at == turns.batches.end()) return;  // of a segment that is over
  if (ended.slice_over) {
    at->state = State::kFresh;
    std::rotate(at, at + 1, turns.batches.end());
  } else {
    at->state = ended.move == Move::kOff ? State::kOff : State::kOn;
  }
}

void demote(Turns& turns, ClientId client) {
  const auto at = std::find_if(turns.batches.begin(), turns.batches.end(),
                               [&](const Batch& batch) { return batch.client == client; });
  if (at == turns.batches.end() || at->demoted > 0) return;
  // Numbers begin anew behind those that are still there.
  std::vector<Batch*> before;
  for (Batch& batch : turns.batches) {
    if (batch.demoted > 0) before.push_back(&batch);
  }
  std::sort(before.begin(), before.end(),
            [](const Batch* a, const Batch* b) { return a->demoted < b->demoted; });
  std::uint32_t next = 1;
  for (Batch* const batch : before) batch->demoted = next++;
  at->demoted = next;
}

void amend(Turns& turns, ClientId client, std::int32_t priority, std::int32_t threshold,
           std::int64_t on_before_ns) {
  const auto at = std::find_if(turns.batches.begin(), turns.batches.end(),
                               [&](const Batch& batch) { return batch.client == client; });
  if (at == turns.batches.end() || at->demoted > 0) return;
  at->urgency = Urgency::real_time(priority);
  at->threshold = threshold;
  at->on_before_ns = on_before_ns;
}

std::optional<Operation> begin_next(Turns& turns, std::int64_t now_ns, std::int64_t start_ns,
                                    std::int64_t on_ns) {
  for (;;) {
    const std::optional<Operation> next = decide(turns);
    if (!next || next->move == Move::kOff) break;
    const Batch& batch = *turns.find(next->client);
    const std::int64_t takes = next->move == Move::kStart ? start_ns : on_ns;
    if (batch.demoted > 0 || now_ns + takes <= batch.on_before_ns) break;
    demote(turns, batch.client);
  }
  return begin_next(turns);
}

std::optional<Operation> begin_next(Turns& turns) {
  const std::optional<Operation> next = decide(turns);
  if (next) turns.operation = next;
  return next;
}

std::optional<Operation> begin_rotation(Turns& turns) {
  const Batch* const on = turns.on();
  // Where a best-effort batch is on and nothing has been decided, no other is real-time work.
  if (turns.operation || on == nullptr || !on->slices || on->demoted > 0) return std::nullopt;
  const bool for_an_equal = std::any_of(
      turns.batches.begin(), turns.batches.end(),
      [&](const Batch& other) { return other.client != on->client && other.demoted == 0; });
  if (!for_an_equal) return std::nullopt;
  turns.operation = Operation{Move::kOff, on->client, on->segment, true};
  return turns.operation;
}

const char* broken_invariant(const Turns& turns) {
  std::vector<std::int64_t> off;
  const Batch* on = nullptr;
  for (const Batch& batch : turns.batches) {
    if (batch.state == State::kOff) off.push_back(level(batch));
    if (batch.state != State::kOn) continue;
    if (on != nullptr) return "two batches are on";
    on = &batch;
  }
  std::sort(off.begin(), off.end());
  if (std::adjacent_find(off.begin(), off.end()) != off.end())
    return "two batches that are off have the same threshold";
  // One that is demoted while it is on goes next.
  const bool leaves = on != nullptr && on->demoted > 0;
  if (on != nullptr && !leaves && !off.empty() && level(*on) <= off.back())
    return "a batch is on that is not above those that were taken off for it";
  if (!turns.operation) return nullptr;
  const Batch* const moved = turns.find(turns.operation->client);
  if (moved == nullptr || moved->segment != turns.operation->segment) return nullptr;
  const State from = turns.operation->move == Move::kStart ? State::kFresh
                     : turns.operation->move == Move::kOff ? State::kOn
                                                           : State::kOff;
  if (moved->state != from) return "an operation does not fit the state of its batch";
  if (turns.operation->move != Move::kOff && on != nullptr)
    return "a batch is put on beside another one";
  if (turns.operation->move == Move::kOff && moved->stays) return "a batch that stays is taken off";
  return nullptr;
}

}  // namespace tactus::arbiter::boost
