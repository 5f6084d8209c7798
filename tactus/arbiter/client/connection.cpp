#include "tactus/arbiter/client/connection.hpp"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"

namespace tactus::arbiter::client {

void Connection::close() {
  if (thread_started_) {
    leaving_.store(1);
    // It reads the end of file and ends; if the socket is lost, it notices this itself, but later.
    if (socket_.ours()) shutdown(socket_.number(), SHUT_RD);
    pthread_join(thread_, nullptr);
    thread_started_ = false;
  }
  // While we can reach the page, we end a segment on the fast path ourselves; the arbiter would
  // notice the end of file, but later.
  if (on_fast_path_) release_fast_path();
  on_fast_path_ = false;
  alive_.store(0);
  socket_.close();
  // Streams of the GPU may still write to a page they know.
  if (page_is_kept_) page_.leave_mapped();
  page_is_kept_ = false;
  page_ = {};
  fast_ = {};
}

void Connection::abandon_in_child() {
  thread_started_ = false;  // it exists only in the parent
  on_fast_path_ = false;    // and so does the segment
  next_try_ns_ = 0;
  off_.store(0);
  batch_.give_up();
  job_.store(0);
  page_is_kept_ = false;  // the parent's GPU context is not the child's
  pthread_mutex_init(&tier_lock_, nullptr);
  gate_.reset();
  close();
}

bool Connection::send(const Message& message) {
  for (;;) {
    if (!socket_.ours()) {
      lose();
      return false;
    }
    const ssize_t sent = ::send(socket_.number(), &message, sizeof message, MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(sizeof message)) return true;
    if (sent >= 0 || errno != EINTR) return false;
  }
}

bool Connection::claim_fast_path(Urgency urgency) {
  if (!fast_) return false;
  if (fast().owner.load(std::memory_order_relaxed) != FastPage::kIdle) return false;
  page().claim_best_effort.store(urgency.best_effort ? 1 : 0, std::memory_order_relaxed);
  page().claim_priority.store(urgency.priority, std::memory_order_relaxed);
  asked_ns_ = host::now_ns();
  page().claimed_since_ns.store(asked_ns_, std::memory_order_relaxed);
  page().claimed.store(1);
  std::uint32_t expected = FastPage::kIdle;
  if (fast().owner.compare_exchange_strong(expected, welcome_.client)) {
    page().fast_segments.fetch_add(1, std::memory_order_relaxed);
    return true;
  }
  page().claimed.store(0);
  return false;
}

bool Connection::release_fast_path() {
  std::uint32_t expected = welcome_.client;
  const bool released = fast().owner.compare_exchange_strong(expected, FastPage::kIdle);
  page().claimed.store(0);
  return released;
}

Outcome Connection::ask(MessageKind kind, Urgency urgency, Waiting waiting) {
  Message message{};
  message.kind = kind;
  message.segment = {++requests_, urgency.best_effort ? 1U : 0U, urgency.priority};
  asked_ns_ = host::now_ns();
  const std::int64_t deadline = asked_ns_ + 2 * welcome_.lease_ns;
  bool answered = false;
  if (send(message)) {
    std::uint32_t spins = 0;
    for (;;) {
      const std::uint32_t last = page().answered.load();
      answered = last == requests_;
      if (answered || !connected()) break;
      if (waiting == Waiting::kSuspend) {
        host::futex_wait(page().answered, last, deadline);
      } else if (++spins % 1024 != 0) {
        host::relax();
        continue;
      }
      if (host::now_ns() >= deadline) break;
    }
  }
  if (!answered) {
    hang_up();
    return Outcome::kUnarbitrated;
  }
  switch (page().answer.load()) {
    case Answer::kRunning:
      shared_.store(0);
      return Outcome::kRunning;
    case Answer::kShared:
      shared_.store(1);
      return Outcome::kShared;
    case Answer::kPending:
      return Outcome::kPending;
    case Answer::kNested:
      return Outcome::kNested;
    case Answer::kForbidden:
      return Outcome::kForbidden;
  }
  return Outcome::kForbidden;
}

bool Connection::say_present() {
  Message message{};
  message.kind = MessageKind::kPresent;
  return send(message);
}

Outcome Connection::begin(Urgency urgency, Waiting waiting) {
  if (!connected()) return Outcome::kUnarbitrated;
  if (welcome_.protocol == Protocol::kBoost)
    return wanted_ == Protocol::kAny ? begin_whole(urgency) : Outcome::kUnarbitrated;
  on_fast_path_ = claim_fast_path(urgency);
  if (on_fast_path_) shared_.store(0);
  return on_fast_path_ ? Outcome::kRunning : ask(MessageKind::kBegin, urgency, waiting);
}

Outcome Connection::wait_for_turn(Outcome outcome, Waiting waiting) {
  gate_.enter(waiting);
  return outcome == Outcome::kPending && !off() ? turn() : outcome;
}

Outcome Connection::raise(Urgency urgency, Waiting waiting) {
  if (!connected()) return Outcome::kUnarbitrated;
  if (welcome_.protocol == Protocol::kBoost)
    return Outcome::kRunning;  // a whole process has one priority
  // The arbiter does not know a segment on the fast path until it looks there. It looks when asked,
  // and finds the claim; so raise the claim first, then ask.
  if (on_fast_path_) {
    page().claim_best_effort.store(urgency.best_effort ? 1 : 0);
    page().claim_priority.store(urgency.priority);
    if (fast().owner.load() == welcome_.client) return Outcome::kRunning;
  }
  return ask(MessageKind::kRaise, urgency, waiting);
}

Outcome Connection::end() {
  if (!connected()) {
    on_fast_path_ = false;
    return Outcome::kUnarbitrated;
  }
  if (on_fast_path_) {
    on_fast_path_ = false;
    if (release_fast_path()) return Outcome::kRunning;
  }
  Message message{};
  message.kind = MessageKind::kEnd;
  message.segment = {++requests_, 0, 0};
  if (welcome_.protocol == Protocol::kBoost) finish_batch();
  if (send(message)) return Outcome::kRunning;
  hang_up();
  return Outcome::kUnarbitrated;
}

void Connection::hang_up() {
  alive_.store(0);
  leaving_.store(1);
  // The control thread reads the end of file, and puts back.
  if (socket_.ours()) shutdown(socket_.number(), SHUT_RDWR);
}

/// The program has closed our socket, and its number may belong to another file now.
void Connection::lose() {
  alive_.store(0);
  leaving_.store(1);
  if (lost_.exchange(1) != 0) return;
  problem_ = "the program has closed the connection to the arbiter";
  tell_user("has closed its connection to the arbiter; it goes on without");
}

}  // namespace tactus::arbiter::client
