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
  if (!connected() || welcome_.protocol != Protocol::kBoost) {
    ++alone_;
    return 0;
  }
  const std::uint32_t segment = batch_.begin(host::now_ns());
  // The control thread ends with opening the gate of the segment it knows of: this one, or we see
  // that it has ended.
  if (!connected()) open_gate(segment);
  return segment;
}

bool Connection::submit_batch(Urgency urgency, std::int32_t threshold, std::uint32_t marks,
                              StartSeen seen) {
  const bool stays = !takes_off();
  Message message{};
  message.kind = MessageKind::kSubmit;
  message.submit = {batch_.begun(),
                    urgency.best_effort ? 1U : 0U,
                    urgency.priority,
                    threshold,
                    marks,
                    0,
                    stays ? 1U : 0U,
                    seen,
                    job_.load(),
                    0,
                    arrived_ns_.load(),
                    alone_.exchange(0)};
  batch_.submit(marks, host::now_ns());
  if (connected() && send(message)) return true;
  ++alone_;
  hang_up();
  open_gate(batch_.begun());
  return false;
}

void Connection::begin_job(std::int64_t arrived_ns) {
  arrived_ns_.store(arrived_ns);
  const std::uint32_t next = job_.load() + 1;
  job_.store(next != 0 ? next : 1);  // 0: nothing is said about jobs
}

/// To the arbiter a whole process is one segment without an end, at its own priority. Its tier is
/// its gate.
Outcome Connection::begin_whole(Urgency urgency) {
  if (begin_batch() == 0) return Outcome::kUnarbitrated;
  batch_.submit(0, host::now_ns());
  apply(true, batch_.begun());
  Message message{};
  message.kind = MessageKind::kSubmit;
  message.submit = {batch_.begun(),
                    urgency.best_effort ? 1U : 0U,
                    urgency.priority,
                    urgency.priority,
                    0,
                    1,
                    0,
                    StartSeen::kAtTheGate,
                    0,
                    static_cast<std::uint32_t>(urgency.share),
                    0,
                    0};
  if (connected() && send(message)) return Outcome::kPending;
  hang_up();
  apply(false);
  return Outcome::kUnarbitrated;
}

/// The caller waits for its next segment to be submitted until the tier is back: an order to be off
/// that comes from now on finds the segment over.
void Connection::finish_batch(std::uint32_t segment) {
  batch_.finish(segment);
  apply(false);
}

bool Connection::waits_at_gate() const {
  return welcome_.protocol == Protocol::kBoost && batch_.waits_at_gate(page());
}

void Connection::open_gate(std::uint32_t segment) {
  if (segment == 0 || welcome_.protocol != Protocol::kBoost) return;
  arbiter::open_gate(page(), segment);
  host::futex_wake_all(page().gate);
}

void Connection::give_up_batch() {
  batch_.give_up();
  open_gate(batch_.begun());
}

void Connection::force_gate() {
  batch_.force();
  open_gate(batch_.begun());
  Message message{};
  message.kind = MessageKind::kForced;
  if (connected()) send(message);
}

/// The last resort: nobody submits this segment, perhaps because it waits for itself.
void Connection::watch_gate() {
  const std::int64_t now = host::now_ns();
  // While the segment before waits for its turn, or is off, this one has to wait, too.
  if (waits_at_gate() || off()) return batch_.wait_anew(now);
  if (!batch_.gate_is_overdue(now)) return;
  tell_user("waits inside a GPU segment whose gate is shut, or takes too long to launch it: ",
            "the gate was opened (see TACTUS_GATE_LIMIT, tactus_segment_split)");
  force_gate();
}

}  // namespace tactus::arbiter::client
