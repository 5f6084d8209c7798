#pragma once

#include <dlfcn.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tactus/arbiter/client/process_client.hpp"
#include "tactus/arbiter/client/stream_gate.hpp"
#include "tactus/arbiter/preload/automatic.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/host/driver_symbols.hpp"

/// What is behind the calls of automatic.hpp. segments.cpp cuts, gcaps_segments.cpp does so under an
/// arbiter for gcaps, segments_helper.cpp is the thread that does what needs time.
namespace tactus::arbiter::preload::automatic {

inline constexpr std::int64_t kMs = 1'000'000;
inline constexpr std::int64_t kUsualPauseNs = kMs;
inline constexpr std::int64_t kLookNs = 2 * kMs;  ///< at marks, in case that nobody wakes us

/// Functions of the driver that only automatic segments need.
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

Key key_of(Stream stream);
/// The thread of a default stream that is this thread's.
const void* this_thread();

/// What the variables say.
struct Terms {
  bool asked = false;
  Urgency urgency;
  std::int32_t threshold = 0;
  std::int64_t pause_ns = kUsualPauseNs, warm_up_ns = 0;
};

/// A page of the arbiter that the GPU knows. Never destroyed: calls may still be under way with it.
struct Page {
  client::StreamGate gate;
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

}  // namespace tactus::arbiter::preload::automatic
