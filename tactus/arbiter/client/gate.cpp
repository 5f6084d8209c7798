#include "tactus/arbiter/client/gate.hpp"

#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"

namespace tactus::arbiter::client {

namespace {

/// How often the thread that closes the gate checks whether the GPU is done.
constexpr std::int64_t kGateLookNs = 10'000;

class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

}  // namespace

/// The holder gets the priority of the waiting thread: the control thread must not wait for a
/// thread that is kept off its core.
void Gate::prepare_lock() {
  pthread_mutexattr_t inherit;
  pthread_mutexattr_init(&inherit);
  pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&launch_lock_, &inherit);
  pthread_mutexattr_destroy(&inherit);
}

void Gate::enter(Waiting waiting) {
  for (;;) {
    wait_until_open(waiting);
    inside_.fetch_add(1);
    if (closed_.load() == 0) return;
    leave();  // closed in between: the closing thread may be waiting for us
  }
}

void Gate::leave() {
  if (withdraw(false)) return;
  if (inside_.fetch_sub(1) == 1) host::futex_wake_all(inside_);
}

void Gate::pass(Waiting waiting) {
  withdraw(true);
  if (closed_.load() == 0) return;
  leave();
  enter(waiting);
}

void Gate::launched(Finished finished, void* work) {
  withdraw(true);
  {
    const Lock lock(launch_lock_);
    std::uint32_t place = 0;
    while (place < kMostLaunches && launch_[place].finished != nullptr) ++place;
    if (place == kMostLaunches) return;
    launch_[place] = {pthread_self(), finished, work};
    launches_.fetch_add(1);
  }
  if (inside_.fetch_sub(1) == 1) host::futex_wake_all(inside_);
}

/// Ends what `launched` began. @return had this thread said it?
/// @param stays_inside it counts as inside again, BEFORE its launch is forgotten and before it looks
/// at the gate: so the closing thread sees one or the other, or this thread sees the closed gate
bool Gate::withdraw(bool stays_inside) {
  if (launches_.load(std::memory_order_relaxed) == 0) return false;
  if (stays_inside) inside_.fetch_add(1);
  bool found = false;
  {
    const Lock lock(launch_lock_);  // no thread asks `finished` about it any more
    for (Launch& launch : launch_) {
      if (launch.finished == nullptr || pthread_equal(launch.thread, pthread_self()) == 0) continue;
      launch.finished = nullptr;
      launches_.fetch_sub(1);
      found = true;
    }
  }
  if (stays_inside && !found && inside_.fetch_sub(1) == 1) host::futex_wake_all(inside_);
  return found;
}

bool Gate::all_finished() {
  const Lock lock(launch_lock_);
  for (const Launch& launch : launch_) {
    if (launch.finished != nullptr && launch.finished(launch.work) == 0) return false;
  }
  return true;
}

void Gate::wait_until_open(Waiting waiting) {
  while (closed_.load() != 0) {
    if (waiting == Waiting::kSuspend) {
      host::futex_wait(closed_, 1);
    } else {
      host::relax();
    }
  }
}

TierResult Gate::close(std::int64_t deadline_ns) {
  shut();
  for (;;) {
    const std::uint32_t inside = inside_.load();
    // A thread that withdraws a launch after this check finds the gate shut.
    if (inside == 0 && all_finished() && inside_.load() == 0) return TierResult::kDone;
    const std::int64_t now = host::now_ns();
    if (now >= deadline_ns) return TierResult::kLate;
    const std::int64_t look = now + kGateLookNs < deadline_ns ? now + kGateLookNs : deadline_ns;
    host::futex_wait(inside_, inside, inside == 0 ? look : deadline_ns);
  }
}

TierResult Gate::open() {
  closed_.store(0);
  host::futex_wake_all(closed_);
  return TierResult::kDone;
}

void Gate::reset() {
  closed_.store(0);
  inside_.store(0);
  launches_.store(0);
  prepare_lock();
  for (Launch& launch : launch_) launch = {};
}

Tier Gate::tier() {
  Tier tier;
  tier.name = "gate";
  tier.held_at_begin = true;
  tier.leaves_by_itself = true;
  tier.self = this;
  tier.take_off = [](void* self, std::int64_t deadline_ns) {
    return static_cast<Gate*>(self)->close(deadline_ns);
  };
  tier.put_back = [](void* self) { return static_cast<Gate*>(self)->open(); };
  return tier;
}

}  // namespace tactus::arbiter::client
