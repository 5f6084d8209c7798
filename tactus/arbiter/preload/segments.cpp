#include "tactus/arbiter/preload/segments.hpp"

#include <chrono>

#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/host/nap.hpp"

namespace tactus::arbiter::preload::automatic {
namespace {

/// So long a call waits for others to write the marks of the segment before, then passes no gate.
constexpr std::int64_t kMarksNs = kMs;
///< and then sleeps for so long
/// Launches that wait in one segment: less than half of the 1024 that a stream was seen to take.
constexpr std::uint32_t kHalfQueue = 500;
constexpr std::uint32_t kWarmLaunches = 32;  ///< before the first wait, pass no gate
///< before the first wait, pass no gate
constexpr int kMostNapsAtExit = 500;  ///< of a tenth of a millisecond
///< of a tenth of a millisecond
constexpr std::uint32_t kToldStarts = 16;  ///< one of so many segments says when it began

void* const kPerThread = reinterpret_cast<void*>(2);  // CU_STREAM_PER_THREAD
void* const kLegacy = reinterpret_cast<void*>(1);     // CU_STREAM_LEGACY

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

}  // namespace

const void* this_thread() { return &t_here; }

Key key_of(Stream stream) {
  if (stream.handle == kPerThread || (stream.handle == nullptr && stream.per_thread))
    return {kPerThread, &t_here};
  return {stream.handle == kLegacy ? nullptr : stream.handle, nullptr};
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

}  // namespace tactus::arbiter::preload::automatic
