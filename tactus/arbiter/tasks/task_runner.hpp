#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/arbiter/tasks/task_block.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/result.hpp"
#include "tactus/simulate/engine.hpp"

/// Runs the tasks of a file as processes, each with CPU work and GPU segments of its own, with the
/// GPU left to the driver, behind one lock, or under the arbiter; and says how long their jobs
/// took.
namespace tactus::arbiter::tasks {

struct TaskRunOptions {
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
  std::stop_token stop;
};

/// What was seen of one task.
struct TaskRun {
  simulate::Observed seen;
  std::vector<Time> begins;  ///< how long each begin that got the GPU at once took
  std::string tier;          ///< in force; empty where no arbiter is
  bool real_time = false;    ///< had its priority on the CPU
  std::uint32_t segments = 0, unarbitrated = 0, wrong = 0, resumed = 0;
  /// Jobs whose CPU work took longer than the file says it can, on a core of their own: a
  /// hypervisor or an interrupt took the core away. No analysis covers them.
  std::uint32_t disturbed = 0;
  Time longest_undisturbed;  ///< the longest of the others; what a bound is held against
  JobParts worst;            ///< where the time of the longest job went
};

struct TaskRunReport {
  Verdict verdict;                             ///< of the method that covers this mode
  std::vector<TaskRun> tasks;                  ///< by task
  std::optional<daemon::UpdateCosts> updates;  ///< where an arbiter was
  std::string machine;
  Time gpu_item;  ///< what one block does at a stretch
  std::vector<std::string> notes;
  bool interrupted = false;
  /// No deadline missed, no bound exceeded, all results right, nothing ran past the arbiter.
  bool good() const;
};

/// The method whose bounds hold in a mode: gcaps (safe-arbiter), tsg-rr or fmlp.
Verdict bounds_of(const System& system, Mode mode, bool busy_wait);

Result<TaskRunReport> run_tasks(const System& system, const TaskRunOptions& options);

std::string_view to_string(Mode mode);
std::string_view to_string(TierChoice tier);

}  // namespace tactus::arbiter::tasks
