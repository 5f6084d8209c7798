// The control thread: obeys the arbiter, and puts the work back when there is none to obey.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "tactus/arbiter/client/connection.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"

namespace tactus::arbiter::client {

namespace {

/// How often it checks whether it must end; usually it is told.
constexpr int kStillWantedMs = 1000;
constexpr int kLookAgainMs = 5;
constexpr int kGateLookMs = 250;
constexpr std::int64_t kOrderLookNs = 1'000'000;

/// CPU and priority as the arbiter asks: then updates cost no time on the cores of tasks.
bool settle(std::int32_t cpu, std::int32_t priority) {
  bool as_asked = cpu >= 0 && priority > 0;
  if (cpu >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cpu), &set);
    as_asked = pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0 && as_asked;
  }
  if (priority > 0) {
    sched_param parameter{};
    parameter.sched_priority = priority;
    as_asked = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter) == 0 && as_asked;
  }
  return as_asked;
}

class TierLock {
 public:
  explicit TierLock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~TierLock() { pthread_mutex_unlock(&mutex_); }
  TierLock(const TierLock&) = delete;
  TierLock& operator=(const TierLock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

}  // namespace

bool Connection::settle_beside_control() const {
  return settle(welcome_.control_cpu, welcome_.control_priority);
}

bool Connection::start_control_thread() {
  leaving_.store(0);
  lost_.store(0);
  off_.store(0);
  obeyed_.order = 0;
  obeyed_.off = false;
  batch_.start_anew(gate_limit_ns());
  alive_.store(1);
  // The program's signal handlers must not run on a thread it does not know.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_started_ = pthread_create(&thread_, nullptr, control_main, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (thread_started_) return true;
  problem_ = "the control thread cannot be started";
  return false;
}

void* Connection::control_main(void* self) {
  static_cast<Connection*>(self)->control();
  return nullptr;
}

void Connection::control() {
  pthread_setname_np(pthread_self(), "tactus-control");
  isolated_.store(settle_beside_control() ? 1 : 0);
  bool talking = report_tier();
  while (talking && leaving_.load() == 0) {
    pollfd source = {socket_.number(), POLLIN, 0};
    const int ready = poll(&source, 1, next_look_ms());
    if (ready < 0 && errno != EINTR) break;
    // If the program has closed it by now, the file with that number is not ours to read.
    if (!socket_.ours()) {
      lose();
      break;
    }
    Order latest{};
    bool any = false;
    if (ready > 0 && source.revents != 0) talking = read_orders(latest, any);
    if (any) {
      obey(latest);
    } else if (talking && (off() || waits_at_gate()) && host::now_ns() >= lease_ends()) {
      lapse();
    } else if (talking && obeyed_.still_there) {
      look_again();
    }
    watch_gate();
  }
  // No matter what ended the connection, the work goes on.
  alive_.store(0);
  apply(false);
  open_gate(batch_.begun());
  page().answered.fetch_xor(0x80000000);  // so that a waiter about to sleep does not
  host::futex_wake_all(page().answered);
  host::futex_wake_all(page().completed);
  if (lost_hook_ != nullptr && leaving_.load() == 0) lost_hook_();
}

/// How long it may sleep: until the lease ends, or a gate has been shut for too long.
int Connection::next_look_ms() const {
  constexpr std::int64_t kMs = 1'000'000;
  std::int64_t wait_ms = kStillWantedMs;
  // A segment that begins while it sleeps does not wake it up.
  if (welcome_.protocol == Protocol::kBoost) {
    wait_ms = kGateLookMs;
    for (const std::int64_t limit_ns : {welcome_.lease_ns, batch_.gate_limit_ns()}) {
      if (limit_ns / (4 * kMs) + 1 < wait_ms) wait_ms = limit_ns / (4 * kMs) + 1;
    }
  }
  if (off() || waits_at_gate()) {
    const std::int64_t left = lease_ends() - host::now_ns();
    if (left < wait_ms * kMs) wait_ms = left <= 0 ? 0 : left / kMs + 1;
  }
  if (obeyed_.still_there && wait_ms > kLookAgainMs) wait_ms = kLookAgainMs;
  return static_cast<int>(wait_ms);
}

/// When the last word of the arbiter is too old to be obeyed.
std::int64_t Connection::lease_ends() const {
  const std::int64_t submitted = batch_.submitted_ns();
  return (obeyed_.heard_ns > submitted ? obeyed_.heard_ns : submitted) + welcome_.lease_ns;
}

/// Reads all there is; of several orders only the last one counts. False at the end of file.
bool Connection::read_orders(Order& latest, bool& any) {
  for (;;) {
    Message message{};
    const ssize_t got = recv(socket_.number(), &message, sizeof message, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    if (got == 0) return false;
    if (got != static_cast<ssize_t>(sizeof message) || message.kind != MessageKind::kOrder)
      continue;
    latest = message.order;
    any = true;
  }
}

void Connection::obey(const Order& order) {
  obeyed_.heard_ns = host::now_ns();
  if (order.state == OrderState::kWait) return;
  const bool to_be_off = order.state == OrderState::kOff;
  // Put back by ourselves in the meantime.
  const bool lapsed = to_be_off && obeyed_.off && !off() && !batch_.is_over(order.segment, page());
  const bool news = order.order != obeyed_.order;
  obeyed_.order = order.order;
  obeyed_.off = to_be_off;
  Message message{};
  message.kind = MessageKind::kDone;
  message.done = {order.order, TierResult::kDone, 0, lapsed ? 1U : 0U};
  if (!to_be_off) shared_.store(order.shared);
  if (to_be_off != off()) {
    message.done.result = apply(to_be_off, order.segment);
    obeyed_.still_there = to_be_off && message.done.result == TierResult::kLate;
    message.done.took_ns = host::now_ns() - obeyed_.heard_ns;
    obeyed_.heard_ns = host::now_ns();
  } else if (!news) {
    return;
  }
  send(message);
}

/// The order to be off was still valid after its time limit: has the work gone off since?
void Connection::look_again() {
  {
    const TierLock lock(tier_lock_);
    if (off() && tier_.take_off != nullptr &&
        tier_.take_off(tier_.self, host::now_ns() + kOrderLookNs) != TierResult::kDone)
      return;
  }
  obeyed_.still_there = false;
  Message message{};
  message.kind = MessageKind::kDone;
  message.done = {obeyed_.order, TierResult::kDone, 0, 0};
  send(message);
}

void Connection::lapse() {
  obeyed_.still_there = false;
  times_lapsed_.fetch_add(1);
  apply(false);
  if (waits_at_gate()) force_gate();
}

/// @param segment of boost: whose work is to be off; if that is over, there is nothing to be done
TierResult Connection::apply(bool to_be_off, std::uint32_t segment) {
  const TierLock lock(tier_lock_);
  if (to_be_off == off() || (to_be_off && batch_.is_over(segment, page())))
    return TierResult::kDone;
  TierResult result = TierResult::kDone;
  if (to_be_off) {
    times_off_.fetch_add(1);
    off_.store(1);
    if (tier_.held_at_begin) gate_.shut();
    if (tier_.take_off != nullptr)
      result = tier_.take_off(tier_.self, host::now_ns() + welcome_.update_timeout_ns);
    off_since_ns_.store(host::now_ns());
  } else {
    off_total_ns_.store(off_until(host::now_ns()));
    off_since_ns_.store(0);
    off_.store(0);  // first: a thread that passes the gate must see that it is its turn
    if (tier_.put_back != nullptr) result = tier_.put_back(tier_.self);
    gate_.open();
  }
  return result;
}

void Connection::set_tier(const Tier& tier, const TierCost& cost) {
  {
    const TierLock lock(tier_lock_);
    const bool changes = tier.self != tier_.self || tier.take_off != tier_.take_off;
    if (off() && changes && tier_.put_back != nullptr) tier_.put_back(tier_.self);
    tier_ = tier;
    cost_ = cost;
    if (off() && changes) {
      if (tier_.held_at_begin) gate_.shut();
      if (tier_.take_off != nullptr)
        tier_.take_off(tier_.self, host::now_ns() + welcome_.update_timeout_ns);
    }
  }
  if (connected()) report_tier();
}

void Connection::reapply() {
  const TierLock lock(tier_lock_);
  if (off() && tier_.take_off != nullptr)
    tier_.take_off(tier_.self, host::now_ns() + welcome_.update_timeout_ns);
}

const char* Connection::tier_name() const {
  const TierLock lock(tier_lock_);
  return tier_.name != nullptr ? tier_.name : "none";
}

bool Connection::takes_off() const {
  const TierLock lock(tier_lock_);
  return tier_.take_off != nullptr && !tier_.held_at_begin;
}

bool Connection::report_tier() {
  Message message{};
  message.kind = MessageKind::kTier;
  {
    const TierLock lock(tier_lock_);
    const char* name = tier_.name != nullptr ? tier_.name : "none";
    strncpy(message.tier.name, name, sizeof message.tier.name - 1);
    message.tier.isolated = isolated_.load();
    message.tier.leaves_by_itself = tier_.leaves_by_itself ? 1 : 0;
    message.tier.cost = cost_;
  }
  return send(message);
}

}  // namespace tactus::arbiter::client
