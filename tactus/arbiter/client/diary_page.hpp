#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// What a program writes down of its jobs and GPU segments, for who watches it (`tactus watch`): a ring
/// of notes in a file of its own. Writing one takes no system call and waits for nobody; whoever reads
/// too seldom finds that notes are gone, and how many.
namespace tactus::arbiter::client {

enum class NoteKind : std::uint32_t {
  kReleased = 1,  ///< a job may begin
  kJob = 2,       ///< it has ended
  kSegment = 3,   ///< a GPU segment has ended; `number` is its outcome (tactus/client.h)
  kNode = 4,      ///< of a plan that one process plays: a node has ended; `number` says which
};

/// Of a segment that waited behind a gate (boost), beside its outcome: its launches came before it asked.
inline constexpr int kGatedSegment = 1 << 16;

/// Times are CLOCK_MONOTONIC in ns.
struct Note {
  NoteKind kind = NoteKind::kReleased;
  std::uint32_t number = 0;   ///< of the job
  std::int64_t asked_ns = 0;  ///< of a job: its arrival, nominal where another one starts it
  std::int64_t due_ns = 0;    ///< of a job: its arrival, or the end of the job that starts it
  std::int64_t began_ns = 0;  ///< when it could begin; had the GPU; began
  std::int64_t ended_ns = 0;  ///< 0 in kReleased
  std::int64_t off_ns = 0;    ///< of a segment: for how long of that its work was held off
  std::int64_t cpu_ns = 0;    ///< CPU time of the thread since its last note
};

inline constexpr const char kDiarySuffix[] = ".diary";  ///< of its file (task_file.hpp)

/// All zero is a good start.
struct DiaryPage {
  static constexpr std::uint32_t kVersion = 1;
  static constexpr std::size_t kNotes = 1024;

  struct Slot {
    std::atomic<std::uint64_t> turn;  ///< which note is here, from 1; written after it
    Note note;
  };

  std::atomic<std::uint32_t> version;  ///< kVersion, or 0 where nobody has used it yet
  std::atomic<std::int32_t> pid;       ///< who writes it
  std::atomic<std::uint64_t> claimed;  ///< notes until now, also those that are being written
  Slot slots[kNotes];
};
static_assert(std::is_trivially_destructible_v<DiaryPage>);
static_assert(std::is_trivially_copyable_v<Note>, "read as bytes");
static_assert(sizeof(DiaryPage::Slot) == 64, "the size is the format");

/// Any thread of the one process that writes it.
inline void write(DiaryPage& page, const Note& note) {
  const std::uint64_t turn = page.claimed.fetch_add(1) + 1;
  DiaryPage::Slot& slot = page.slots[(turn - 1) % DiaryPage::kNotes];
  slot.turn.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  slot.note = note;
  slot.turn.store(turn, std::memory_order_release);
}

}  // namespace tactus::arbiter::client
