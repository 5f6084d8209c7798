#include "tactus/arbiter/preload/automatic.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tactus/arbiter/client/channel_tier.hpp"
#include "tactus/arbiter/client/own_descriptor.hpp"
#include "tactus/arbiter/client/process_client.hpp"
#include "tactus/arbiter/client/stream_gate.hpp"
#include "tactus/arbiter/preload/preload.h"
#include "tactus/arbiter/preload/tier_cost.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/host/nap.hpp"

namespace tactus::arbiter::preload::automatic {
namespace {

using client::StreamGate;

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kUsualPauseNs = kMs;
/// A segment that grows for so long is handed over by the helper, before the watchdog would open it.
constexpr std::int64_t kLongNs = 12 * kMs;
/// So long a call waits for others to write the marks of the segment before, then passes no gate.
constexpr std::int64_t kMarksNs = kMs;
constexpr std::int64_t kLookNs = 2 * kMs;      ///< at marks, in case that nobody wakes us
constexpr std::int64_t kAwakeNs = 50 * kMs;    ///< the helper naps for so long after the last work
constexpr std::int64_t kAsleepNs = 100 * kMs;  ///< and then sleeps for so long
/// Launches that wait in one segment: less than half of the 1024 that a stream was seen to take.
constexpr std::uint32_t kHalfQueue = 500;
constexpr std::uint32_t kWarmLaunches = 32;  ///< before the first wait, pass no gate
constexpr int kMostNapsAtExit = 500;         ///< of a tenth of a millisecond
constexpr std::uint32_t kToldStarts = 16;    ///< one of so many segments says when it began

void* const kPerThread = reinterpret_cast<void*>(2);  // CU_STREAM_PER_THREAD
void* const kLegacy = reinterpret_cast<void*>(1);     // CU_STREAM_LEGACY

/// Functions of the driver that only this file needs.
struct Driver {
  int (*current)(void** context) = nullptr;
  int (*set_current)(void* context) = nullptr;
  int (*stream_create)(void** stream, unsigned flags) = nullptr;
  int (*stream_query)(void* stream) = nullptr;
  int (*exchange_mode)(int* mode) = nullptr;
  int (*device)(int* device) = nullptr;
  int (*attribute)(int* value, int attribute, int device) = nullptr;

  bool load() {
    if (exchange_mode != nullptr) return true;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    const auto find = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
          host::real_dlsym()(library, name));
      return function != nullptr;
    };
    return find(device, "cuCtxGetDevice") && find(attribute, "cuDeviceGetAttribute") &&
           find(current, "cuCtxGetCurrent") && find(set_current, "cuCtxSetCurrent") &&
           find(stream_create, "cuStreamCreate") && find(stream_query, "cuStreamQuery") &&
           find(exchange_mode, "cuThreadExchangeStreamCaptureMode");
  }
};

/// A stream, also a default one.
struct Key {
  void* handle = nullptr;        ///< null: the legacy default stream
  const void* thread = nullptr;  ///< of a default stream per thread
  friend bool operator==(const Key&, const Key&) = default;
};

thread_local char t_here = 0;

/// What this thread has launched lately, so that it need not ask.
struct Lately {
  static constexpr std::size_t kPlaces = 256;
  std::uint32_t generation = 0;
  const void* code[kPlaces] = {};
};
thread_local Lately t_lately;

const void*& place_of(const void* code) {
  const auto number = reinterpret_cast<std::uintptr_t>(code);
  return t_lately.code[(number >> 4 ^ number >> 12) % Lately::kPlaces];
}

Key key_of(Stream stream) {
  if (stream.handle == kPerThread || (stream.handle == nullptr && stream.per_thread))
    return {kPerThread, &t_here};
  return {stream.handle == kLegacy ? nullptr : stream.handle, nullptr};
}

/// What the variables say.
struct Terms {
  bool asked = false;
  Urgency urgency;
  std::int32_t threshold = 0;
  std::int64_t pause_ns = kUsualPauseNs, warm_up_ns = 0;
};

std::int64_t number_of(const char* variable) {
  const char* const text = getenv(variable);
  const long value = text != nullptr ? strtol(text, nullptr, 10) : 0;
  return value > 0 && value < 1'000'000'000 ? value : 0;
}

Terms read_terms() {
  Terms terms;
  const char* const text = getenv(kVariable);
  if (text == nullptr) return terms;
  char* end = nullptr;
  const long priority = strtol(text, &end, 10);
  if (end == text) return terms;
  terms.asked = true;
  terms.urgency = Urgency::real_time(static_cast<std::int32_t>(priority));
  terms.threshold = terms.urgency.priority;
  if (strcmp(end, " protected") == 0) terms.threshold = Submit::kProtected;
  if (const long threshold = strtol(end, nullptr, 10); threshold > priority)
    terms.threshold = static_cast<std::int32_t>(threshold);
  if (const std::int64_t us = number_of(kPauseVariable)) terms.pause_ns = us * 1000;
  terms.warm_up_ns = number_of(kWarmUpVariable) * kMs;
  return terms;
}

/// A page of the arbiter that the GPU knows. Never destroyed: calls may still be under way with it.
struct Page {
  StreamGate gate;
  ClientPage* words = nullptr;
};

/// A stream with work of a segment under gcaps.
struct Busy {
  Key key;
  std::uint32_t calls = 0;  ///< since it was last seen drained
  std::uint32_t under_way = 0;
};

enum class Patience { kNone, kUntilComplete };

/// A stream in a segment.
struct Gated {
  Key key;
  bool shut = false;  ///< it waits at the gate; until then each call lets it wait once more
  std::uint32_t under_way = 0;  ///< calls that put work into it
  bool claimed = false;         ///< somebody writes its mark
  bool marked = false;
};

/// The segments of the process.
class Segments {
 public:
  explicit Segments(const Terms& terms) : terms_(terms) {}

  bool wanted() const { return !down_.load(std::memory_order_relaxed); }

  std::uint32_t enter(Stream stream, std::uint32_t& epoch, std::size_t& place);
  void leave(std::uint32_t epoch, std::size_t place);
  void submit(Patience patience);
  void submit_if(const Key& key, Patience patience);
  void submit_if_event(void* event, Patience patience);
  void waited();
  void recorded(void* event, std::uint32_t segment, std::uint32_t epoch);
  void event_ends(void* event);
  bool is_new(const void* code);
  void code_has_gone();
  void capture_begins();
  void capture_is_over();
  void stream_ends(const Key& key);
  void context_ends();
  void context_has_ended();
  void stand_down(const char* why);

  void before_fork() { mutex_.lock(); }
  void in_parent() { mutex_.unlock(); }
  void at_exit();

 private:
  using Lock = std::unique_lock<std::mutex>;
  static client::Connection& connection() { return client::process_connection(); }

  bool is_at_home();
  bool may_gate(Lock& lock);
  void start_helper();
  static void* help(void* self);
  void help();
  bool set_up();
  bool shares_its_context() const;
  void hand_over(Lock& lock);
  void write_marks(Lock& lock);
  void write_mark(const Key& key, Page& page, std::size_t place, std::uint32_t segment);
  void see_marks_written(Lock& lock);
  bool complete() const;
  void settle();
  void wait_for_marks(Lock& lock);
  std::int64_t work_of_helper(std::uint32_t& word);

  std::uint32_t enter_gcaps(const Key& key, std::uint32_t& epoch, std::size_t& place);
  void end_if_drained();

  const Terms terms_;
  std::atomic<bool> down_{false}, ready_{false}, helper_started_{false};
  std::atomic<void*> home_{nullptr};  ///< the context whose work is cut
  std::atomic<bool> asleep_{false};
  std::atomic<std::uint32_t> stirred_{0};
  Driver driver_;
  void* blocking_ = nullptr;  ///< a stream of ours: what is in it waits for the legacy stream only
  std::atomic<void*> set_up_for_{nullptr};
  bool tier_chosen_ = false;  ///< of the helper

  std::mutex mutex_;  ///< of all below; never held across a call of the driver
  std::condition_variable marked_;
  Page* page_ = nullptr;
  std::uint32_t epoch_ = 1;    ///< counts the pages
  std::uint32_t open_ = 0;     ///< the segment that work comes into; 0: none
  std::uint32_t running_ = 0;  ///< handed over, and not known to be complete; 0: none
  std::uint32_t marks_ = 0;    ///< of `running_`
  bool closing_ = false;       ///< marks of `running_` are still to be written
  bool asked_ = false;         ///< the open one is to be handed over as soon as that is possible
  StartSeen seen_ = StartSeen::kNever;
  bool gcaps_ = false;  ///< the arbiter speaks it; then, in place of what is above:
  enum class Inside : std::uint8_t { kNo, kBeginning, kYes } inside_ = Inside::kNo;
  bool asking_ = false;  ///< a thread asks whether streams are drained
  std::vector<Busy> busy_;
  std::vector<Gated> streams_;  ///< of the segment that is open or closing
  std::uint32_t in_open_ = 0;   ///< launches
  std::int64_t opened_ns_ = 0, last_ns_ = 0;
  bool warm_ = false;
  std::int64_t first_ns_ = 0;
  std::uint32_t launches_ = 0, passed_ = 0;
  std::uint32_t captures_ = 0;
  std::unordered_map<void*, std::uint32_t> events_;  ///< the segment of their last record
  std::unordered_set<const void*> known_;            ///< what was launched before
  std::atomic<std::uint32_t> generation_{1};         ///< of these
};

/// Never destroyed: programs call the driver to their very end.
alignas(Segments) unsigned char g_room[sizeof(Segments)];
std::atomic<Segments*> g_segments{nullptr};

Segments* segments() {
  Segments* const here = g_segments.load(std::memory_order_acquire);
  return here != nullptr && here->wanted() ? here : nullptr;
}

/// Is the calling thread in the context whose work is cut? That is the first one with work; others, and
/// other GPUs, are left alone.
bool Segments::is_at_home() {
  if (!helper_started_) start_helper();
  void* context = nullptr;
  if (down_ || driver_.current(&context) != 0 || context == nullptr) return false;
  void* home = home_;
  return home == context || (home == nullptr && home_.compare_exchange_strong(home, context)) ||
         home == context;
}

/// May work wait at a gate now?
bool Segments::may_gate(Lock& lock) {
  ++launches_;
  if (!ready_ || captures_ > 0 || down_) return false;
  if (!warm_) {
    if (first_ns_ == 0) first_ns_ = host::now_ns();
    if (terms_.warm_up_ns == 0 || host::now_ns() - first_ns_ < terms_.warm_up_ns) return false;
    warm_ = true;
  }
  if (closing_) wait_for_marks(lock);
  return !closing_ && ready_ && captures_ == 0;
}

void Segments::wait_for_marks(Lock& lock) {
  marked_.wait_for(lock, std::chrono::nanoseconds(kMarksNs), [&] { return !closing_; });
}

std::uint32_t Segments::enter(Stream stream, std::uint32_t& epoch, std::size_t& place) {
  if (!is_at_home()) return 0;
  const Key key = key_of(stream);
  Lock lock(mutex_);
  if (gcaps_) {
    lock.unlock();
    return enter_gcaps(key, epoch, place);
  }
  if (open_ != 0 &&
      (in_open_ >= kHalfQueue || streams_.size() == kMostMarks || connection().forced())) {
    const bool full = in_open_ >= kHalfQueue || streams_.size() == kMostMarks;
    lock.unlock();
    submit(full ? Patience::kUntilComplete : Patience::kNone);
    lock.lock();
  }
  const bool may = may_gate(lock);
  if (may && open_ == 0) {
    open_ = connection().begin_batch();
    if (open_ != 0) {
      opened_ns_ = host::now_ns();
      in_open_ = 0;
      asked_ = false;
      seen_ = StartSeen::kNever;
    }
  }
  if (!may || open_ == 0) {
    if (ready_) ++passed_;
    return 0;
  }
  const std::uint32_t segment = open_;
  Page& page = *page_;
  epoch = epoch_;
  last_ns_ = host::now_ns();
  ++in_open_;
  page.words->launches.store(launches_, std::memory_order_relaxed);
  page.words->passed.store(passed_, std::memory_order_relaxed);
  place = 0;
  while (place < streams_.size() && streams_[place].key != key) ++place;
  const bool shut = place < streams_.size() && streams_[place].shut;
  if (place == streams_.size()) streams_.push_back({key});
  ++streams_[place].under_way;
  const bool tells = place == 0 && streams_.size() == 1 && !shut && segment % kToldStarts == 1;
  const bool wake = in_open_ == 1 && asleep_;
  lock.unlock();
  if (wake) {
    stirred_.fetch_add(1);
    host::futex_wake_all(stirred_);
  }
  if (shut) return segment;
  const bool waits = page.gate.wait(key.handle, &page.words->gate, segment);
  const bool told =
      waits && tells && page.gate.write_by_kernel(key.handle, &page.words->started, segment);
  lock.lock();
  if (epoch == epoch_) {  // as long as a call is under way, its place stays
    streams_[place].shut = waits;
    if (!waits) ++passed_;
    if (told && open_ == segment) seen_ = StartSeen::kByAWord;
  }
  return segment;
}

void Segments::leave(std::uint32_t epoch, std::size_t place) {
  Lock lock(mutex_);
  if (epoch != epoch_) return;
  if (gcaps_) {
    --busy_[place].under_way;
    return;
  }
  --streams_[place].under_way;
  if (closing_) write_marks(lock);
}

bool Segments::complete() const {
  return !closing_ && is_complete(*page_->words, running_, marks_);
}

/// Sees whether what was handed over is complete.
void Segments::settle() {
  if (running_ == 0 || !complete()) return;
  connection().finish_batch(running_);
  running_ = 0;
}

/// Hands the open segment over, if there is one.
void Segments::submit(Patience patience) {
  Lock lock(mutex_);
  for (;;) {
    if (open_ == 0 || !ready_) return;
    settle();
    if (running_ == 0) return hand_over(lock);
    if (patience == Patience::kNone) {
      asked_ = true;
      return;
    }
    // Its gate is open: what the segment before waits for may be in it, and it runs anyway.
    if (connection().forced()) return;
    ClientPage& words = *page_->words;
    const std::uint32_t before = words.completed.load();
    if (complete()) continue;
    lock.unlock();
    host::futex_wait(words.completed, before, host::now_ns() + kLookNs);
    lock.lock();
  }
}

/// @pre what was handed over before is complete
void Segments::hand_over(Lock& lock) {
  running_ = open_;
  marks_ = static_cast<std::uint32_t>(streams_.size());
  open_ = 0;
  closing_ = true;
  connection().submit_batch(terms_.urgency, terms_.threshold, marks_, seen_);
  write_marks(lock);
}

/// One mark behind the work of each stream: now, or when the last call with work for it is over.
void Segments::write_marks(Lock& lock) {
  const std::uint32_t epoch = epoch_, segment = running_;
  Page& page = *page_;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    Gated& stream = streams_[i];
    if (stream.claimed || stream.under_way > 0) continue;
    stream.claimed = true;
    const Key key = stream.key;
    lock.unlock();
    write_mark(key, page, i, segment);
    lock.lock();
    if (epoch != epoch_) return;
    streams_[i].marked = true;
    marked_.notify_all();
  }
  if (!closing_ || running_ != segment) return;
  for (const Gated& stream : streams_) {
    if (!stream.marked) return;
  }
  streams_.clear();
  closing_ = false;
  marked_.notify_all();
}

void Segments::write_mark(const Key& key, Page& page, std::size_t place, std::uint32_t segment) {
  void *before = nullptr, *const home = home_;
  const bool abroad = driver_.current(&before) == 0 && before != home;
  if (abroad) driver_.set_current(home);
  // A mark in the legacy stream would wait for all others. Only the default stream of another thread
  // has no other name.
  void* at = key.handle;
  if (key.handle == nullptr) at = blocking_;
  if (key.thread != nullptr && key.thread != &t_here) at = nullptr;
  std::atomic<std::uint32_t>& mark = page.words->marks[place];
  if (!page.gate.write(at, &mark, segment)) mark.store(segment);
  if (abroad) driver_.set_current(before);
}

/// Until all marks are written that do not wait for a call that is under way.
void Segments::see_marks_written(Lock& lock) {
  marked_.wait(lock, [&] {
    for (const Gated& stream : streams_) {
      if (closing_ && !stream.marked && stream.under_way == 0) return false;
    }
    return true;
  });
}

void Segments::submit_if(const Key& key, Patience patience) {
  {
    const Lock lock(mutex_);
    bool there = false;
    for (const Gated& one : streams_) there = there || key.handle == nullptr || one.key == key;
    if (open_ == 0 || !there) return;
  }
  submit(patience);
}

void Segments::submit_if_event(void* event, Patience patience) {
  {
    const Lock lock(mutex_);
    const auto at = events_.find(event);
    if (open_ == 0 || at == events_.end() || at->second != open_) return;
  }
  submit(patience);
}

void Segments::waited() {
  {
    const Lock lock(mutex_);
    if (!ready_) return;
    if (launches_ >= kWarmLaunches && terms_.warm_up_ns == 0) warm_ = true;
    if (!gcaps_) return settle();
  }
  end_if_drained();
}

// Under an arbiter for gcaps.

/// Its work may be launched when it is its turn.
std::uint32_t Segments::enter_gcaps(const Key& key, std::uint32_t& epoch, std::size_t& place) {
  Lock lock(mutex_);
  ++launches_;
  if (!ready_ || !gcaps_ || captures_ > 0 || down_) return 0;
  marked_.wait(lock, [&] { return inside_ != Inside::kBeginning; });
  if (inside_ == Inside::kNo) {
    inside_ = Inside::kBeginning;
    lock.unlock();
    const client::Outcome outcome = client::begin_for_process(terms_.urgency);
    lock.lock();
    inside_ = static_cast<int>(outcome) >= 0 ? Inside::kYes : Inside::kNo;
    busy_.clear();
    marked_.notify_all();
    if (inside_ == Inside::kNo) return 0;
  }
  place = 0;
  while (place < busy_.size() && busy_[place].key != key) ++place;
  if (place == busy_.size()) busy_.push_back({key});
  ++busy_[place].calls;
  ++busy_[place].under_way;
  epoch = epoch_;
  last_ns_ = host::now_ns();
  const bool wake = asleep_;
  lock.unlock();
  if (wake) {
    stirred_.fetch_add(1);
    host::futex_wake_all(stirred_);
  }
  return 1;
}

/// Asks those streams that this thread can ask.
void Segments::end_if_drained() {
  std::vector<Busy> before;
  {
    const Lock lock(mutex_);
    if (inside_ != Inside::kYes || captures_ > 0 || asking_) return;
    void* context = nullptr;
    if (driver_.current(&context) != 0 || context != home_) return;
    before = busy_;
    asking_ = true;  // none of these streams ends meanwhile
  }
  std::vector<bool> drained;
  for (const Busy& stream : before) {
    const bool here = stream.key.thread == nullptr || stream.key.thread == &t_here;
    drained.push_back(stream.calls == 0 || (here && stream.under_way == 0 &&
                                            driver_.stream_query(stream.key.handle) == 0));
  }
  {
    const Lock lock(mutex_);
    asking_ = false;
    marked_.notify_all();
    if (inside_ != Inside::kYes || busy_.size() < before.size()) return;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (drained[i] && busy_[i].calls == before[i].calls) busy_[i].calls = 0;
    }
    for (const Busy& stream : busy_) {
      if (stream.calls > 0) return;
    }
    inside_ = Inside::kBeginning;  // nobody begins the next one before this one has ended
  }
  client::end_for_process();
  const Lock lock(mutex_);
  inside_ = Inside::kNo;
  marked_.notify_all();
}

void Segments::recorded(void* event, std::uint32_t segment, std::uint32_t epoch) {
  const Lock lock(mutex_);
  if (segment != 0 && epoch == epoch_) {
    events_[event] = segment;
  } else {
    events_.erase(event);
  }
}

void Segments::event_ends(void* event) {
  const Lock lock(mutex_);
  events_.erase(event);
}

bool Segments::is_new(const void* code) {
  const std::uint32_t generation = generation_;
  if (t_lately.generation != generation) t_lately = {generation, {}};
  const void*& place = place_of(code);
  if (place == code) return false;
  place = code;
  const Lock lock(mutex_);
  return known_.insert(code).second;
}

void Segments::code_has_gone() {
  const Lock lock(mutex_);
  known_.clear();
  ++generation_;
}

void Segments::capture_begins() {
  {
    const Lock lock(mutex_);
    ++captures_;  // from now on nothing is put behind a gate
  }
  submit(Patience::kUntilComplete);
  Lock lock(mutex_);
  see_marks_written(lock);
}

void Segments::capture_is_over() {
  const Lock lock(mutex_);
  if (captures_ > 0) --captures_;
}

void Segments::stream_ends(const Key& key) {
  submit_if(key, Patience::kUntilComplete);
  Lock lock(mutex_);
  see_marks_written(lock);
  for (Busy& stream : busy_) {
    if (stream.key == key) stream.calls = 0;
  }
  marked_.wait(lock, [&] { return !asking_; });
}

void Segments::context_ends() {
  submit(Patience::kUntilComplete);
  Lock lock(mutex_);
  see_marks_written(lock);
}

/// Perhaps the one whose work is cut; if it is still there, its next work says so.
void Segments::context_has_ended() {
  const Lock lock(mutex_);
  ready_ = false;
  set_up_for_ = nullptr;
  home_ = nullptr;
}

void Segments::stand_down(const char* why) {
  submit(Patience::kUntilComplete);
  Lock lock(mutex_);
  see_marks_written(lock);
  if (!down_.exchange(true) && why != nullptr)
    client::tell_user("is not cut into segments any more: ", why);
}

/// The driver's own last steps must not wait at a gate of ours, nor find our helper in a call.
void Segments::at_exit() {
  down_ = true;
  {
    const Lock lock(mutex_);
    if (open_ != 0) connection().force_gate();
  }
  stirred_.fetch_add(1);
  host::futex_wake_all(stirred_);
  for (int naps = 0; helper_started_ && naps < kMostNapsAtExit; ++naps) host::nap_ns(kMs / 10);
}

// The helper: does what needs time, and what nobody else does.

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
  atexit([] { g_segments.load()->at_exit(); });
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

Terms g_terms;

__attribute__((constructor)) void begin() {
  g_terms = read_terms();
  if (!g_terms.asked) return;
  g_segments = new (g_room) Segments(g_terms);
  pthread_atfork([] { g_segments.load()->before_fork(); }, [] { g_segments.load()->in_parent(); },
                 // The GPU's context is the parent's; a child may make one of its own.
                 [] { g_segments = new (g_room) Segments(g_terms); });
}

}  // namespace

bool wanted() { return segments() != nullptr; }

Work::Work(Stream stream) {
  if (Segments* const all = segments()) segment_ = all->enter(stream, epoch_, place_);
}
Work::~Work() {
  if (segment_ != 0) g_segments.load()->leave(epoch_, place_);
}
void Work::waits() {
  if (segment_ != 0) g_segments.load()->submit(Patience::kUntilComplete);
}

void may_wait() {
  if (Segments* const all = segments()) all->submit(Patience::kUntilComplete);
}
void waited() {
  if (Segments* const all = segments()) all->waited();
}
void waits_for_stream(Stream stream) {
  if (Segments* const all = segments()) all->submit_if(key_of(stream), Patience::kUntilComplete);
}
void waits_for_event(void* event) {
  if (Segments* const all = segments()) all->submit_if_event(event, Patience::kUntilComplete);
}
void asks_about_stream(Stream stream) {
  if (Segments* const all = segments()) all->submit_if(key_of(stream), Patience::kNone);
}
void asks_about_event(void* event) {
  if (Segments* const all = segments()) all->submit_if_event(event, Patience::kNone);
}
bool is_new(const void* code) {
  Segments* const all = segments();
  return all != nullptr && all->is_new(code);
}
void code_has_gone() {
  if (Segments* const all = segments()) all->code_has_gone();
}
void recorded(void* event, const Work& work) {
  if (Segments* const all = segments()) all->recorded(event, work.segment(), work.epoch());
}
void event_ends(void* event) {
  if (Segments* const all = segments()) all->event_ends(event);
}
void capture_begins() {
  if (Segments* const all = segments()) all->capture_begins();
}
void capture_is_over() {
  if (Segments* const all = segments()) all->capture_is_over();
}
void stream_ends(Stream stream) {
  if (Segments* const all = segments()) all->stream_ends(key_of(stream));
}
void context_ends() {
  if (Segments* const all = segments()) all->context_ends();
}
void context_has_ended() {
  if (Segments* const all = segments()) all->context_has_ended();
}
void stand_down(const char* why) {
  if (Segments* const all = segments()) all->stand_down(why);
}

}  // namespace tactus::arbiter::preload::automatic
