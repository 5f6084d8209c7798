#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tactus/model/system.hpp"

/// What other tools wrote, as systems, and systems as other tools read them.
namespace tactus::exchange {

/// Every name once: a trace repeats a few hundred kernel names a million times.
class Names {
 public:
  std::uint32_t of(std::string_view name);
  const std::string& operator[](std::uint32_t id) const { return *texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::vector<const std::string*> texts_;  ///< the keys of `ids_`, which stay where they are
};

/// What a call of the CUDA runtime or driver does, as far as it matters here.
enum class CallKind : std::uint8_t {
  kLaunch,         ///< puts work on the GPU
  kLaunchAndWait,  ///< and returns when it is done
  kSync,
  kRecordEvent,
  kWaitEvent,
  kCompute,  ///< CPU work that has a name, and is a node of its own
};

/// What the name of an API function means; nothing: it neither enqueues work nor waits.
std::optional<CallKind> call_kind(std::string_view function);

/// A thread: its process and itself, as the profiler numbers them.
struct ThreadId {
  std::int64_t process = 0, thread = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison with 0 for a pointer
  friend auto operator<=>(const ThreadId&, const ThreadId&) = default;
};

/// A call that a program made.
struct Call {
  CallKind kind = CallKind::kLaunch;
  std::uint32_t name = 0;
  ThreadId by;
  std::int64_t start = 0, end = 0;  ///< ns
  std::int64_t correlation = -1;    ///< joins it with what it put on the GPU
};

enum class GpuKind : std::uint8_t { kKernel, kCopy, kCopyOnDevice, kMemset };

/// A piece of work that the GPU did.
struct GpuWork {
  GpuKind kind = GpuKind::kKernel;
  std::uint32_t name = 0;
  std::int64_t device = 0, stream = 0;
  std::int64_t start = 0, end = 0;
  std::int64_t correlation = -1;
  std::int64_t blocks = 0, threads = 0;  ///< 0: not known
  std::int64_t registers = 0, shared_memory = 0;
};

/// A span of a thread that the program gave a name: record_function, NVTX range, a callback.
struct Annotation {
  std::uint32_t name = 0;
  ThreadId by;
  std::int64_t start = 0, end = 0;
  bool job = true;  ///< can it be one?
};

/// One job sent what another one was started by, as the source says: numbers of annotations.
struct Trigger {
  std::size_t from = 0, to = 0;
};

/// A wait between streams, or of a thread, of which the trace has all ends.
struct KnownWait {
  std::int64_t correlation = -1;         ///< of the call that waits
  std::int64_t stream = -1;              ///< that waits, or whose end is awaited by the thread
  std::int64_t recorded_stream = -1;     ///< where the event was recorded; -1: not known
  std::int64_t record_correlation = -1;  ///< of the call that recorded the event; -1: not known
};

/// What a profiler says of the GPU.
struct GpuDevice {
  std::int64_t id = 0;
  std::string name;
  std::int64_t units = 0;  ///< SMs; 0: not known
  SmLimits sm;
};

/// What a profiler recorded. Readers fill it; `jobs.hpp` goes on from here.
struct Recording {
  Names names;
  std::vector<GpuDevice> devices;
  std::vector<Call> calls;
  std::vector<GpuWork> work;
  std::vector<Annotation> annotations;
  std::vector<KnownWait> waits;
  std::vector<Trigger> triggers;
  std::map<std::string, Time, std::less<>> periods;  ///< of tasks, where the source says them
  std::string date;                                  ///< when it was made, as far as known
  std::optional<std::int64_t> epoch;  ///< its time 0, in ns since 1970, as far as known
  std::vector<std::string> notes;     ///< what the reader left out, and why
  /// What its times are, if not the longest that were seen; then nothing is said to be measured.
  std::string times_are;
  bool any_job = false;      ///< jobs without GPU work count, too
  bool plain_names = false;  ///< work has names that stay whole, not those of functions in C++
  bool own_names = false;    ///< a job has the name of its task, numbers and all
  bool pinned = false;       ///< each thread has a core of its own
  std::size_t threads = 0;   ///< that launch work; 0: as many as are seen
};

/// At most this many calls, pieces of GPU work and annotations are kept.
inline constexpr std::size_t kMostRecords = 8'000'000;

/// How many blocks of a launch configuration one SM holds at once; nothing if that is not known.
std::optional<std::int64_t> blocks_per_sm(const GpuWork& kernel, const SmLimits& sm);

/// How many blocks an SM of this compute capability holds (CUDA programming guide).
std::optional<std::int64_t> most_blocks_of_sm(std::int64_t major, std::int64_t minor);

}  // namespace tactus::exchange
