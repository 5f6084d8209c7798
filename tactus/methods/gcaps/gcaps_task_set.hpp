#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tactus/methods/gcaps/copies.hpp"
#include "tactus/methods/obstacles.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

namespace tactus::gcaps {

/// A GPU segment: launch code on the CPU (G^m), then pure GPU work (G^e), or partly beside it.
struct Segment {
  Time launch, exec;
  Time cpu_before;         ///< the CPU segment that it follows; zero if there is none
  Time overlap;            ///< of `launch` and `exec`, at least
  std::int64_t nodes = 0;  ///< what is launched, one after another
  /// G
  Time length() const { return launch + exec - overlap; }
};

/// A task as these analyses see it: C, G^m, G^e are sums over one job.
struct GpuTask {
  TaskIndex index = 0;  ///< in the file
  std::string_view name;
  Time cpu;                           ///< C
  Time launch;                        ///< G^m
  Time exec;                          ///< G^e
  Time overlap;                       ///< G^m + G^e - G
  std::span<const Segment> segments;  ///< of the set
  std::optional<Time> period;         ///< a best-effort task may have none
  Time deadline;
  /// J: released at most this long after its arrival. Bounds and the deadline count from the arrival,
  /// the windows of the equations from the release.
  Time jitter;
  std::int64_t priority = 0;  ///< of the file, or deadline-monotonic
  std::int64_t gpu_priority = 0;
  std::size_t core = 0;        ///< 0 .. cores-1
  std::size_t place = 0;       ///< among the tasks of its core, in the order of the set
  std::size_t file_place = 0;  ///< among the real-time tasks of the file
  bool best_effort = false;
  /// A job ends with a GPU segment of length 0: it takes no time but must be granted.
  bool ends_in_request = false;
  /// After the last GPU segment a job has nothing of any length to do on its core.
  bool ends_on_gpu = false;
  Time cpu_after;                   ///< the CPU segment behind the last GPU segment
  Time longest_section;             ///< of its GPU segments, G
  Time longest_launch;              ///< of its GPU segments, G^m
  bool ends_with_cpu_node = false;  ///< even if that takes no time
  Time copy_time;                   ///< of `exec`: its copies
  /// What a job waits for copies that are ahead of its own, one of each task: of those that are not
  /// above it by the GPU priorities of the file; of all others.
  Time copy_wait, copy_wait_for_all;
  /// lambda: GPU-using tasks on the same core with lower CPU priority, best-effort ones included.
  std::int64_t lower_gpu_users = 0;

  std::int64_t eta() const { return static_cast<std::int64_t>(segments.size()); }
  bool uses_gpu() const { return !segments.empty(); }
  /// G
  Time gpu() const { return launch + exec - overlap; }
  /// The longest window that ends in time.
  Time limit() const { return deadline - jitter; }
};

/// A task that another one starts, by their places in the set.
struct Follower {
  std::size_t task = 0, after = 0;
  Time least;  ///< b of the other one
  Time own;    ///< its own `jitter`
};

/// Everything the ten analyses need, in the order they need it.
///
/// Invariant: `tasks` holds the real-time tasks in decreasing CPU priority, then the best-effort
/// ones in file order. So the tasks with higher CPU priority than tasks[i] are those before it.
struct TaskSet {
  std::vector<GpuTask> tasks;
  std::size_t real_time = 0;      ///< how many of `tasks` are real-time
  std::size_t cores = 0;          ///< how many cores have tasks
  std::vector<Segment> segments;  ///< of all tasks
  // Most analyses sum over the tasks of one core, or over the users of the GPU: places in `tasks`.
  std::vector<std::size_t> by_core;     ///< core after core, each in the order of the set
  std::vector<std::size_t> core_start;  ///< in `by_core`; one more than there are cores
  std::vector<std::size_t> gpu_users;
  Copies copies;
  std::vector<Follower> followers;  ///< in the order of the file
  Time epsilon;                     ///< runlist update; zero where no task uses the GPU
  Time theta;                       ///< context switch
  Time slice;                       ///< time slice L
  Time preemption_delay;            ///< d, of one task that leaves the GPU
  std::vector<std::string> notes;   ///< what was derived where the file does not say it
  bool uses_gpu = false;
  bool says_waits = false;  ///< does the file say for a task how it waits?
  /// Do GPU priorities sort the real-time tasks differently than CPU priorities do?
  bool gpu_order_differs = false;

  /// d': from the order to leave until the GPU is free. Best-effort tasks run side by side, so all
  /// of them can be about to leave.
  Time leave() const;
  bool same_core(std::size_t a, std::size_t b) const { return tasks[a].core == tasks[b].core; }
  std::span<const std::size_t> on_core(std::size_t core) const {
    return std::span(by_core).subspan(core_start[core], core_start[core + 1] - core_start[core]);
  }
  /// hpp(i): same core, higher CPU priority. @pre tasks[i] is real-time.
  std::span<const std::size_t> hpp(std::size_t i) const {
    return on_core(tasks[i].core).first(tasks[i].place);
  }
  /// The tasks after tasks[i] on its core; llp(i) are those that use the GPU.
  std::span<const std::size_t> lower_on_core(std::size_t i) const {
    return on_core(tasks[i].core).subspan(tasks[i].place + 1);
  }

  /// Empty again; memory is kept.
  void clear();
  /// The same tasks; their segments stay those of this one, which must live as long.
  TaskSet with_same_segments() const;

  TaskSet() = default;
  TaskSet(TaskSet&&) = default;
  TaskSet& operator=(TaskSet&&) = default;
  TaskSet& operator=(const TaskSet&) = delete;
  ~TaskSet() = default;

 private:
  TaskSet(const TaskSet&) = default;  // tasks point into `segments`
};

/// Which of the GPU's overheads an analysis needs in the file.
enum class Overheads { kNone, kRunlistUpdate, kTimeSlice, kOperations };

/// A system file in the model of docs/use/methods/gcaps.md, for all methods of the
/// family, or why it does not fit.
struct FamilyView {
  TaskSet set;                   ///< usable where nothing is refused
  Obstacles of_file;             ///< whatever the method
  const Element* gpu = nullptr;  ///< where a task uses it
  Obstacles of_priorities;       ///< found once there are no others
  /// Where GPU priorities invert the CPU order of a core. Only an owner that needs its core to give
  /// the GPU back must not be kept off it: with `Overheads::kOperations` it does not.
  Obstacles of_gpu_order;

  /// Why a method that needs these overheads does not cover the system.
  std::optional<Refusal> refusal(Overheads needed) const;
};

/// Writes over `view`, and uses its memory.
void make_view(const System& system, FamilyView& view);

/// Of each GPU segment of a task, the largest `gpu_threshold` of its nodes, if one gives it. Not part
/// of the view: few methods ask for it. @pre the view of the system refuses nothing.
std::vector<std::optional<std::int64_t>> thresholds_of(const System& system, const GpuTask& task);

}  // namespace tactus::gcaps
