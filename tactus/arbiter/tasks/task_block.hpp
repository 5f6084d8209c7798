#pragma once

#include <sched.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tactus/client.h"

/// What the runner and its task processes share: one memory file, mapped by all. Plain data,
/// because the processes are started afresh.
namespace tactus::arbiter::tasks {

/// What decides about the GPU.
enum class Mode : std::uint32_t {
  kOff,           ///< nothing but the driver's round robin
  kLock,          ///< one lock around GPU segments, first come first served
  kPriorityLock,  ///< one lock around GPU segments, the most urgent first
  kArbiter,       ///< tactusd
  kBoost,         ///< tactusd, which opens gates (--protocol boost)
};

/// Is there an arbiter?
constexpr bool arbitrated(Mode mode) { return mode == Mode::kArbiter || mode == Mode::kBoost; }

/// How a task's GPU work is done.
enum class Backend : std::uint32_t {
  kCuda,  ///< on a GPU
  kCpu,   ///< on the CPU, in slices, to try everything without a GPU
};

enum class TierChoice : std::uint32_t { kChannel, kYield, kGate, kProcess, kHold };

struct Piece {
  bool on_gpu = false;
  std::int64_t cpu_ns = 0;        ///< CPU work; of a GPU segment, its launch part
  std::int64_t cpu_bound_ns = 0;  ///< the most it may take, as the file says
  std::int64_t gpu_ns = 0;
  /// Of a GPU segment in mode kBoost: taken off only for GPU priorities above this.
  std::int32_t threshold = 0;
};

inline constexpr std::size_t kMaxPieces = 64;
inline constexpr std::size_t kMaxJobs = 1 << 16;

/// Where the time of one job went.
struct JobParts {
  std::uint32_t job = 0;  ///< which one, from 0
  std::int64_t response_ns = 0;
  std::int64_t late_ns = 0;   ///< from its release to its first instruction
  std::int64_t cpu_ns = 0;    ///< outside of segments
  std::int64_t begin_ns = 0;  ///< to have the GPU, or the lock
  std::int64_t launch_ns = 0;
  std::int64_t gpu_ns = 0;  ///< from launch to completion, including the turns of others
  std::int64_t end_ns = 0;
};

enum class TaskState : std::uint32_t { kStarting, kReady, kDone, kFailed };

struct TaskBlock {
  // what to do
  char name[48] = {};
  std::int64_t period_ns = 0;  ///< 0: job after job
  std::int64_t offset_ns = 0;
  std::int32_t after = -1;     ///< the task that starts it; -1: none
  bool on_path = false;        ///< it starts others, or is started
  std::int64_t jitter_ns = 0;  ///< the most by which it may be released late
  std::int64_t least_ns = 0;   ///< from the arrival of the path to its nominal one
  bool best_effort = false;
  std::int32_t gpu_priority = 0;
  std::int32_t cpu_priority = 0;   ///< of SCHED_FIFO; 0: none
  std::int32_t cpu = -1;           ///< to stay on; -1: anywhere
  std::int64_t lock_priority = 0;  ///< in the queue of mode kPriorityLock
  std::uint32_t piece_count = 0;
  Piece pieces[kMaxPieces];

  std::atomic<std::uint32_t> waits_for_lock = 0;  ///< futex: 1 while in that queue

  // what came of it
  std::atomic<TaskState> state = TaskState::kStarting;
  char problem[200] = {};
  char tier[16] = {};      ///< the tier in force
  bool real_time = false;  ///< did it get its CPU priority?
  std::atomic<std::uint32_t> jobs = 0;
  std::uint32_t segments = 0;
  std::uint32_t unarbitrated = 0;     ///< segments that ran without an arbiter
  std::uint32_t shared = 0;           ///< segments that began with another still on the GPU
  std::uint64_t forced = 0;           ///< gates that were opened without the arbiter
  std::uint32_t wrong = 0;            ///< GPU segments with a wrong result
  std::int64_t arrival_ns[kMaxJobs];  ///< (nominal) of each job, CLOCK_MONOTONIC
  std::int64_t read_ns[kMaxJobs];     ///< when it began
  std::int64_t response_ns[kMaxJobs];
  tactus_releases releases = {};  ///< of a task that is started by another one
  /// The machine disturbed the job: its CPU work took longer than the file says it can.
  bool disturbed[kMaxJobs] = {};
  JobParts worst;                   ///< of the longest response
  std::int64_t begin_ns[kMaxJobs];  ///< how long each `begin` that got the GPU at once took
  std::uint32_t begins = 0;
  std::uint32_t resumed = 0;  ///< relaunches after a yield
};

struct RunBlock {
  // for all tasks
  Mode mode = Mode::kOff;
  Backend backend = Backend::kCpu;
  TierChoice tier = TierChoice::kGate;
  bool busy_wait = false;
  bool check_results = true;
  std::int32_t device = 0;
  std::uint32_t gpu_rounds = 1;  ///< shape of the GPU work, found once by the runner
  std::int64_t gpu_item_ns = 1;
  double cpu_steps_per_ns = 1;
  char socket[108] = {};
  char paths[108] = {};         ///< folder where tasks start each other
  cpu_set_t control_cpus = {};  ///< for control threads; none: where the task is
  // the lock of mode kLock: tickets
  std::atomic<std::uint32_t> lock_next = 0, lock_serving = 0;
  // that of mode kPriorityLock
  std::atomic<std::uint32_t> queue_guard = 0, lock_held = 0;
  // the run
  std::atomic<std::uint32_t> go = 0;  ///< futex: 1 start, 2 give up
  std::int64_t start_ns = 0, end_ns = 0;
  std::atomic<std::uint32_t> stop = 0;
  std::uint32_t task_count = 0;
  TaskBlock tasks[1];  ///< task_count of them
};

constexpr std::size_t run_block_size(std::size_t tasks) {
  return sizeof(RunBlock) + (tasks > 0 ? tasks - 1 : 0) * sizeof(TaskBlock);
}

}  // namespace tactus::arbiter::tasks
