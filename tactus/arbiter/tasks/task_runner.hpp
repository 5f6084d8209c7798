#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tactus/arbiter/tasks/task_block.hpp"
#include "tactus/arbiter/tasks/task_placement.hpp"
#include "tactus/base/result.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/trace/observed.hpp"

/// Runs the tasks of a file as processes, each with CPU work and GPU segments of its own, with the
/// GPU left to the driver, behind one lock, or under the arbiter; and says how long their jobs
/// took.
namespace tactus::arbiter::tasks {

struct TaskRunOptions {
  /// Whose plan is run. Mode and waiting must be what its plans need (`find_sharing`).
  const Method* method = nullptr;
  /// The plan and what it promises, to be followed as it is. Null: it is made from the file, when
  /// it is known on which cores the tasks run here; a file that is not schedulable is run, too.
  const Verdict* plan = nullptr;
  std::string variant{kSafe};  ///< of the method, where the plan is made from the file
  Mode mode = Mode::kArbiter;
  Backend backend = Backend::kCpu;
  TierChoice tier = TierChoice::kGate;
  bool busy_wait = false;
  Time duration = Time::from_ms(10'000);
  int fill = 90;          ///< percent of each bound that the work takes
  bool realtime = false;  ///< ask for SCHED_FIFO by the tasks' priorities
  int device = 0;
  std::string program;  ///< the `tactus` to start as task processes
  std::string preload;  ///< the library that the tier channel needs
  /// Asked when it is known what will run where: what the bounds do not cover, for the notes; or
  /// why it must not be run.
  std::function<Result<std::vector<std::string>>(const System& as_run, const Verdict& plan,
                                                 const Placement& placement)>
      judge;
  std::stop_token stop;
};

inline constexpr Time kGpuItem =
    Time::from_us(20);  ///< of the work on a GPU: asked to leave, it ends
inline constexpr Time kCpuSlice = Time::from_us(200);  ///< the same of work on the CPU
inline constexpr int kArbiterPriority = 90;            ///< of SCHED_FIFO, above every task's
/// Ranks 10, 11, ... keep the plan's order within what the scheduler has to offer.
std::int32_t cpu_priority_of(const System& system, const Task& task);

/// What was seen, compared with these bounds. A wrong result, or a segment without the arbiter, is
/// a failure of the run. A job is disturbed when its CPU work took longer than the file says it
/// can, on a core of its own: a hypervisor or an interrupt took the core away.
Result<trace::Observed> run_tasks(const System& system, const TaskRunOptions& options);

std::string_view to_string(Mode mode);
std::string_view to_string(TierChoice tier);
std::optional<TierChoice> tier_named(std::string_view word);

}  // namespace tactus::arbiter::tasks
