// The helper of automatic segments: does what needs time, and what nobody else does.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "tactus/arbiter/client/channel_tier.hpp"
#include "tactus/arbiter/preload/preload.h"
#include "tactus/arbiter/preload/segments.hpp"
#include "tactus/arbiter/preload/tier_cost.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/host/nap.hpp"

namespace tactus::arbiter::preload::automatic {
namespace {

/// A segment that grows for so long is handed over by the helper, before the watchdog would open it.
constexpr std::int64_t kLongNs = 12 * kMs;
///< at marks, in case that nobody wakes us
constexpr std::int64_t kAwakeNs = 50 * kMs;  ///< the helper naps for so long after the last work
///< the helper naps for so long after the last work
constexpr std::int64_t kAsleepNs = 100 * kMs;  ///< and then sleeps for so long

}  // namespace

void Segments::start_helper() {
  const Lock lock(mutex_);
  if (down_ || helper_started_) return;
  if (!driver_.load()) {
    down_ = true;
    return;
  }
  sigset_t all, before;
  sigfillset(&all);  // the program's handlers must not run on a thread it does not know
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const bool started = pthread_create(&thread, nullptr, help, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) pthread_detach(thread);
  down_ = !started;
  helper_started_ = started;
  // Now, because what is registered later is called earlier: the driver must still be there.
  static Segments* ours = nullptr;
  ours = this;
  atexit([] { ours->at_exit(); });
}

void* Segments::help(void* self) {
  static_cast<Segments*>(self)->help();
  return nullptr;
}

/// Is there an MPS server between this process and the GPU?
bool Segments::shares_its_context() const {
  constexpr int kMpsEnabled = 133;  // CU_DEVICE_ATTRIBUTE_MPS_ENABLED
  int device = 0, shares = 0;
  return driver_.device(&device) == 0 && driver_.attribute(&shares, kMpsEnabled, device) == 0 &&
         shares != 0;
}

/// Makes a new page known to the GPU. On this thread no capture of the program forbids anything, and
/// no gate is shut.
bool Segments::set_up() {
  void* const home = home_;
  if (home == nullptr) return false;
  if (set_up_for_ != home) {
    int relaxed = 2;  // CU_STREAM_CAPTURE_MODE_RELAXED
    driver_.exchange_mode(&relaxed);
    if (driver_.set_current(home) != 0) return false;
    if (shares_its_context()) {
      client::tell_user(
          "is not cut into segments: it is a client of MPS, which puts the work of all "
          "its clients into one context");
      down_ = true;
      return false;
    }
    if (driver_.stream_create(&blocking_, 0) != 0) return false;
    set_up_for_ = home;
  }
  if (const char* const tier = getenv(kTierVariable);
      !tier_chosen_ && tier != nullptr && strcmp(tier, "channel") == 0) {
    static const client::ChannelFunctions functions = {tactus_channel_stop, tactus_channel_resume};
    const char* const cost = getenv(kTierCostVariable);
    client::choose_tier(client::channel_tier(functions), tier_cost_of(cost != nullptr ? cost : ""));
    tier_chosen_ = true;
  }
  const char* const protocol = client::spoken_protocol();
  if (strcmp(protocol, "gcaps") == 0) {
    const Lock lock(mutex_);
    if (!gcaps_) ++epoch_;  // else calls that are under way are still of this segment
    gcaps_ = true;
    ready_ = true;
    return true;
  }
  if (strcmp(protocol, "boost") != 0) return false;
  auto* const page = new Page;
  page->words = &connection().words();
  if (!page->gate.know(page->words, kPageSize)) {
    client::tell_user("is not cut into segments: ", page->gate.problem());
    down_ = true;
    return false;
  }
  connection().keep_page();
  connection().settle_beside_control();
  const Lock lock(mutex_);
  page_ = page;
  ++epoch_;
  gcaps_ = false;
  open_ = running_ = 0;
  closing_ = false;
  streams_.clear();
  events_.clear();
  ready_ = true;
  marked_.notify_all();
  return true;
}

void Segments::help() {
  pthread_setname_np(pthread_self(), "tactus-segments");
  while (!down_) {
    if (ready_ && !connection().connected()) {
      const Lock lock(mutex_);
      ready_ = false;
    }
    if (!ready_ && !set_up()) {
      host::nap_ns(home_ == nullptr ? kMs : kAsleepNs);
      continue;
    }
    std::uint32_t word = stirred_.load();
    const std::int64_t until = work_of_helper(word);
    host::futex_wait(stirred_, word, until);
    asleep_ = false;
  }
  helper_started_ = false;
}

/// @return until when it may sleep
std::int64_t Segments::work_of_helper(std::uint32_t& word) {
  Lock lock(mutex_);
  const std::int64_t now = host::now_ns();
  if (gcaps_) {
    const bool quiet = inside_ == Inside::kNo, paused = now >= last_ns_ + terms_.pause_ns;
    asleep_ = quiet;
    word = stirred_.load();
    lock.unlock();
    if (!quiet && paused) end_if_drained();
    return now + (quiet ? kAsleepNs : terms_.pause_ns);
  }
  const std::int64_t nap_ns = terms_.pause_ns < kLongNs ? terms_.pause_ns : kLongNs;
  settle();
  if (open_ == 0) {
    if (running_ != 0) return now + kLookNs;
    const bool quiet = now - last_ns_ > kAwakeNs;
    if (quiet) asleep_ = true;
    word = stirred_.load();
    return now + (quiet ? kAsleepNs : nap_ns);  // one may begin meanwhile
  }
  const std::int64_t paused = last_ns_ + terms_.pause_ns, grown = opened_ns_ + kLongNs;
  const std::int64_t due = paused < grown ? paused : grown;
  // Also while a call is under way: it may be waiting for this gate.
  if (asked_ || now >= due) {
    lock.unlock();
    submit(Patience::kNone);
    lock.lock();
    return host::now_ns() + (open_ != 0 ? kMs / 5 : nap_ns);
  }
  return due;
}

}  // namespace tactus::arbiter::preload::automatic
