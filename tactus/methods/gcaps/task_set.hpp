#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

namespace tactus::gcaps {

/// A GPU segment: launch code on the CPU (G^m), then pure GPU work (G^e).
struct Segment {
  Time launch, exec;
  Time length() const { return launch + exec; }
};

/// A task as these analyses see it: C, G^m, G^e are sums over one job.
struct GpuTask {
  TaskIndex index = 0;  ///< in the file
  std::string_view name;
  Time cpu;     ///< C
  Time launch;  ///< G^m
  Time exec;    ///< G^e
  std::vector<Segment> segments;
  std::optional<Time> period;  ///< a best-effort task may have none
  Time deadline;
  std::int64_t priority = 0;  ///< of the file, or deadline-monotonic
  std::int64_t gpu_priority = 0;
  std::size_t core = 0;   ///< 0 .. cores-1
  std::size_t place = 0;  ///< among the tasks of its core, in the order of the set
  bool best_effort = false;
  /// A job ends with a GPU segment of length 0: it takes no time but must be granted.
  bool ends_in_request = false;
  /// lambda: GPU-using tasks on the same core with lower CPU priority, best-effort ones included.
  std::int64_t lower_gpu_users = 0;

  std::int64_t eta() const { return static_cast<std::int64_t>(segments.size()); }
  bool uses_gpu() const { return !segments.empty(); }
  Time gpu() const { return launch + exec; }
};

/// Everything the ten analyses need, in the order they need it.
///
/// Invariant: `tasks` holds the real-time tasks in decreasing CPU priority, then the best-effort
/// ones in file order. So the tasks with higher CPU priority than tasks[i] are those before it.
struct TaskSet {
  std::vector<GpuTask> tasks;
  std::size_t real_time = 0;  ///< how many of `tasks` are real-time
  std::size_t cores = 0;      ///< how many cores have tasks
  // Most analyses sum over the tasks of one core, or over the users of the GPU: places in `tasks`.
  std::vector<std::vector<std::size_t>> on_core;
  std::vector<std::size_t> gpu_users;
  Time epsilon;  ///< runlist update; zero where no task uses the GPU
  Time theta;    ///< context switch
  Time slice;    ///< time slice L
  /// d': from the order to leave until the GPU is free. Best-effort tasks run side by side, so all
  /// of them can be leaving at once.
  Time leave;
  std::vector<std::string> notes;  ///< derived because the file does not state it
  bool uses_gpu = false;
  /// Do GPU priorities sort the real-time tasks differently than CPU priorities do?
  bool gpu_order_differs = false;

  bool same_core(std::size_t a, std::size_t b) const { return tasks[a].core == tasks[b].core; }
  /// hpp(i): same core, higher CPU priority. @pre tasks[i] is real-time.
  std::span<const std::size_t> hpp(std::size_t i) const {
    return std::span(on_core[tasks[i].core]).first(tasks[i].place);
  }
  /// The tasks after tasks[i] on its core; llp(i) are those that use the GPU.
  std::span<const std::size_t> lower_on_core(std::size_t i) const {
    return std::span(on_core[tasks[i].core]).subspan(tasks[i].place + 1);
  }
};

/// Which of the GPU's overheads an analysis needs in the file.
enum class Overheads { kNone, kRunlistUpdate, kTimeSlice };

/// Maps a system file to the model of docs/use/methods/gcaps.md, or says why it does not fit.
std::variant<TaskSet, Refusal> make_task_set(const System& system, Overheads needed);

}  // namespace tactus::gcaps
