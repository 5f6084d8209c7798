// Boost: batches of work behind a gate, as the connection sees them (docs/use/methods/boost.md).
#include <stdlib.h>

#include "tactus/arbiter/client/connection.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"

namespace tactus::arbiter::client {

/// For how long a gate may stay shut before its segment is submitted.
std::int64_t Connection::gate_limit_ns() {
  constexpr std::int64_t kMs = 1'000'000;
  constexpr long kUsualMs = 1000, kMostMs = 1'000'000;
  const char* const text = getenv(kGateLimitVariable);
  const long ms = text != nullptr ? strtol(text, nullptr, 10) : 0;
  return (ms > 0 && ms < kMostMs ? ms : kUsualMs) * kMs;
}

std::uint32_t Connection::begin_batch() {
  if (!connected() || spoken_ != Protocol::kBoost) return 0;
  if (++segments_ == 0) ++segments_;  // 0 means none
  begun_ns_.store(host::now_ns());
  begun_.store(segments_);
  // The control thread ends with opening the gate of the segment it knows of: this one, or we see
  // that it has ended.
  if (!connected()) open_gate(segments_);
  return segments_;
}

bool Connection::submit_batch(Urgency urgency, std::int32_t threshold, std::uint32_t marks,
                              StartSeen seen) {
  bool stays = false;
  {
    pthread_mutex_lock(&tier_lock_);
    stays = tier_.take_off == nullptr || tier_.held_at_begin;  // it holds threads, not batches
    pthread_mutex_unlock(&tier_lock_);
  }
  Message message{};
  message.kind = Kind::kSubmit;
  message.submit = {begun_.load(),
                    urgency.best_effort ? 1U : 0U,
                    urgency.priority,
                    threshold,
                    marks,
                    0,
                    stays ? 1U : 0U,
                    seen};
  marks_.store(marks);
  submitted_ns_.store(host::now_ns());
  submitted_.store(begun_.load());
  begun_ns_.store(0);
  if (connected() && send(message)) return true;
  hang_up();
  open_gate(begun_.load());
  return false;
}

/// To the arbiter a whole process is one segment without an end, at its own priority. Its tier is
/// its gate.
Outcome Connection::begin_whole(Urgency urgency) {
  if (begin_batch() == 0) return Outcome::kUnarbitrated;
  begun_ns_.store(0);
  marks_.store(0);
  submitted_ns_.store(host::now_ns());
  submitted_.store(begun_.load());
  apply(true, begun_.load());
  Message message{};
  message.kind = Kind::kSubmit;
  message.submit = {begun_.load(),
                    urgency.best_effort ? 1U : 0U,
                    urgency.priority,
                    urgency.priority,
                    0,
                    1,
                    0,
                    StartSeen::kAtTheGate};
  if (connected() && send(message)) return Outcome::kPending;
  hang_up();
  apply(false);
  return Outcome::kUnarbitrated;
}

/// Is this segment complete, as its marks or the caller say?
bool Connection::is_over(std::uint32_t segment) const {
  if (segment == 0) return false;
  if (reached(finished_.load(), segment) || segment != submitted_.load()) return true;
  const std::uint32_t count = marks_.load();
  return count > 0 && is_complete(page(), segment, count);
}

/// The caller waits for its next segment to be submitted until the tier is back: an order to be off
/// that comes from now on finds the segment over.
void Connection::finish_batch() {
  finished_.store(begun_.load());
  apply(false);
}

bool Connection::waits_at_gate() const {
  if (spoken_ != Protocol::kBoost) return false;
  const std::uint32_t segment = submitted_.load();
  return segment != 0 && segment == begun_.load() && marks_.load() > 0 &&
         !reached(page().gate.load(), segment);
}

void Connection::open_gate(std::uint32_t segment) {
  if (segment == 0 || spoken_ != Protocol::kBoost) return;
  arbiter::open_gate(page(), segment);
  host::futex_wake_all(page().gate);
}

void Connection::give_up_batch() {
  begun_ns_.store(0);
  open_gate(begun_.load());
}

void Connection::force_gate() {
  const std::uint32_t segment = begun_.load();
  forced_segment_.store(segment);
  times_forced_.fetch_add(1);
  open_gate(segment);
  Message message{};
  message.kind = Kind::kForced;
  if (connected()) send(message);
}

/// The last resort: nobody submits this segment, perhaps because it waits for itself.
void Connection::watch_gate() {
  const std::int64_t since = begun_ns_.load();
  if (since == 0 || forced() || host::now_ns() < since + gate_limit_ns_) return;
  tell_user("waits inside a GPU segment whose gate is shut, or takes too long to launch it: ",
            "the gate was opened (see TACTUS_GATE_LIMIT, tactus_segment_split)");
  force_gate();
}

}  // namespace tactus::arbiter::client
