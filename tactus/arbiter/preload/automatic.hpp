#pragma once

#include <cstddef>
#include <cstdint>

#include "tactus/host/driver_symbols.hpp"

/// Automatic segments: the GPU work of a program that marks nothing, cut into segments by what it
/// calls. `tactus exec --auto` asks for them.
///
/// Work opens a segment; each of its streams waits at the gate from its first work on. The segment
/// is handed to the arbiter when the program waits for that work or asks about it, when it becomes
/// too large for the driver's queue, or when the program has launched nothing for a while. What is
/// launched from then on belongs to the next segment, which is handed over when this one is
/// complete.
///
/// Under an arbiter for gcaps a segment begins, and the program waits for its turn, before the first
/// work; it ends when all streams with work of it are drained, as seen when the program waited or
/// paused.
///
/// No lock is held across a call of the driver. At most one segment has a gate that nobody has
/// handed over, and it opens in any case: by the arbiter, by the helper thread after the pause, or
/// by the control thread after TACTUS_GATE_LIMIT, which calls no driver. Before all marks of a
/// segment are written no gate of the next one exists, so no mark is ever behind a later gate.
namespace tactus::arbiter::preload::automatic {

/// What the program is to be cut into, for the environment: "70", "70 90" or "70 protected".
inline constexpr const char kVariable[] = "TACTUS_AUTOMATIC";
/// Microseconds without a launch after which a segment is handed over although nobody waits.
inline constexpr const char kPauseVariable[] = "TACTUS_PAUSE";
/// For so many milliseconds from its first work nothing waits at a gate.
inline constexpr const char kWarmUpVariable[] = "TACTUS_WARM_UP";

/// Is this process asked for, and has nothing spoken against it since?
bool wanted();

/// A stream as a call names it.
struct Stream {
  void* handle;
  bool per_thread;  ///< what null means for this form of the call
};

/// Around a call that puts work into a stream.
class Work {
 public:
  explicit Work(Stream stream);
  ~Work();
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;
  /// The call waits for the GPU, too: the segment with it is handed over now.
  void waits();
  /// Of its segment; 0: it is in none.
  std::uint32_t segment() const { return segment_; }
  std::uint32_t epoch() const { return epoch_; }  ///< of its page

 private:
  std::uint32_t segment_ = 0, epoch_ = 0;
  std::size_t place_ = 0;  ///< of its stream in the segment
};

/// Before a call that may wait for anything, and after each call that waited.
void may_wait();
void waited();
/// Before a call that waits for, or asks about, this work only.
void waits_for_stream(Stream stream);
void waits_for_event(void* event);
void asks_about_stream(Stream stream);
void asks_about_event(void* event);

/// Is this kernel or graph launched for the first time? The driver may have to load it, and to wait
/// for the GPU then: so it is told before, as a call that may wait, and passes no gate.
bool is_new(const void* code);
/// What was loaded may be gone, and its handles be used again.
void code_has_gone();

/// An event was recorded behind this work.
void recorded(void* event, const Work& work);
void event_ends(void* event);
/// A graph is made of what comes in this stream; nothing of ours may be in it.
void capture_begins();
void capture_is_over();
/// Before a stream or a context ends.
void stream_ends(Stream stream);
void context_ends();
void context_has_ended();

/// Another way of marking segments is used in this process: from now on nothing is cut.
void stand_down(const char* why);

}  // namespace tactus::arbiter::preload::automatic
