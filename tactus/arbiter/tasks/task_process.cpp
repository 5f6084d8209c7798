#include "tactus/arbiter/tasks/task_process.hpp"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>

#include "tactus/arbiter/client/diary.hpp"
#include "tactus/arbiter/client/process_client.hpp"
#include "tactus/arbiter/path_variables.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/arbiter/tasks/cpu_work.hpp"
#include "tactus/arbiter/tasks/fifo_lock.hpp"
#include "tactus/arbiter/tasks/priority_lock.hpp"
#include "tactus/arbiter/tasks/segment_work.hpp"
#include "tactus/client.h"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/host/shared_memory.hpp"
#include "tactus/host/threads.hpp"

namespace tactus::arbiter::tasks {
namespace {

void set_cpu_priority(std::int32_t priority) {
  sched_param parameter{};
  parameter.sched_priority = priority;
  sched_setscheduler(0, SCHED_FIFO, &parameter);
}

class TaskProcess {
 public:
  TaskProcess(RunBlock& run, TaskBlock& task)
      : run_(run), task_(task), lock_(run.lock_next, run.lock_serving), priority_lock_(run, task) {}

  int run() {
    settle();
    if (uses_gpu()) {
      auto work = open_segment_work(run_);
      if (!work) return fail(work.error().message);
      work_ = std::move(*work);
      if (arbitrated(run_.mode) && !join()) return 1;
    }
    if (task_.on_path && !open_path()) return fail(tactus_path_problem());
    if (!task_.on_path && client::diary::is_kept()) open_alone();
    task_.state.store(TaskState::kReady);
    while (run_.go.load() == 0) host::futex_wait(run_.go, 0);
    if (run_.go.load() != 1) return 0;
    const bool good = jobs();
    if (work_) task_.resumed = work_->resumed();
    task_.forced = tactus_gates_forced();
    if (path_) tactus_path_releases(path_.get(), &task_.releases);
    if (!good) return 1;
    task_.state.store(TaskState::kDone);
    return 0;
  }

 private:
  bool uses_gpu() const {
    for (std::uint32_t i = 0; i < task_.piece_count; ++i)
      if (task_.pieces[i].on_gpu) return true;
    return false;
  }

  int fail(const std::string& problem) {
    std::snprintf(task_.problem, sizeof task_.problem, "%s", problem.c_str());
    task_.state.store(TaskState::kFailed);
    return 1;
  }

  /// On its core, at its priority; threads made from now on inherit both.
  void settle() {
    prctl(PR_SET_NAME, task_.name);
    host::sharpen_timers();
    stay_on_own_cpu();
    if (task_.cpu_priority > 0) set_cpu_priority(task_.cpu_priority);
    task_.real_time = task_.cpu_priority > 0 && sched_getscheduler(0) == SCHED_FIFO;
  }

  void stay_on_own_cpu() const {
    if (task_.cpu >= 0) host::pin_to(task_.cpu);
  }

  bool join() {
    setenv(kSocketVariable, run_.socket, 1);
    const bool gated = run_.mode == Mode::kBoost;
    Tier tier;
    tier.name = "hold";  // gates only: there is nothing to take off and to put back
    if (run_.tier != TierChoice::kHold) tier = work_->tier();
    client::choose_tier(tier);
    tactus_set_waiting(run_.busy_wait ? TACTUS_BUSY : TACTUS_SUSPEND);
    // The control thread begins where this one is.
    if (CPU_COUNT(&run_.control_cpus) > 0)
      sched_setaffinity(0, sizeof run_.control_cpus, &run_.control_cpus);
    client::process_connection().set_protocol(gated ? Protocol::kBoost : Protocol::kGcaps);
    const bool joined = client::process_connection().open(run_.socket, task_.name);
    stay_on_own_cpu();
    if (!joined) {
      fail(client::process_connection().problem());
      return false;
    }
    std::snprintf(task_.tier, sizeof task_.tier, "%s", tier.name);
    return true;
  }

  /// Tasks are called by their numbers there: these are short and distinct.
  bool open_path() {
    setenv("TACTUS_PATHS", run_.paths, 1);
    const auto own = static_cast<std::int32_t>(&task_ - run_.tasks);
    const std::string before = task_.after < 0 ? "" : std::to_string(task_.after);
    path_.reset(tactus_path_open(std::to_string(own).c_str(), before.c_str()));
    if (path_) tactus_path_expect(path_.get(), task_.jitter_ns, task_.least_ns);
    return path_ != nullptr;
  }

  /// For who watches the jobs of a task that nobody follows.
  void open_alone() {
    unsetenv(kPathsVariable);
    path_.reset(tactus_path_open(task_.name, nullptr));
  }

  bool jobs() {
    tactus_job job{};
    if (task_.after >= 0) {
      while (next_started(job)) {
        const std::int64_t nominal = job.arrival_ns + task_.least_ns;
        if (!play(job, std::min(nominal, job.released_ns))) return false;
      }
      return true;
    }
    for (std::int64_t release = run_.start_ns + task_.offset_ns; release < run_.end_ns;) {
      host::sleep_until_ns(release);
      if (run_.stop.load() != 0) return true;
      job.due_ns = release;
      if (path_) tactus_path_arrived(path_.get(), release, &job);
      if (!play(job, release)) return false;
      release = task_.period_ns > 0 ? release + task_.period_ns : host::now_ns();
    }
    return true;
  }

  /// Waits until a job of the predecessor has ended; false where no more will.
  bool next_started(tactus_job& job) const {
    constexpr std::int64_t kLookNs = 50'000'000, kGiveUpNs = 3'000'000'000;
    const TaskBlock& before = run_.tasks[task_.after];
    for (;;) {
      const bool over = before.state.load() != TaskState::kReady || run_.stop.load() != 0 ||
                        host::now_ns() > run_.end_ns + kGiveUpNs;
      const int result = tactus_path_wait(path_.get(), over ? 0 : kLookNs, &job);
      if (result == TACTUS_RUNNING) return true;
      if (over || result != TACTUS_TIMEOUT) return false;
    }
  }

  /// One job, which counts from its arrival, even if it was late.
  bool play(const tactus_job& released, std::int64_t arrival) {
    const std::int64_t read = host::now_ns();
    parts_ = {};
    parts_.job = task_.jobs.load();
    parts_.late_ns = read - released.due_ns;
    if (!job()) return false;
    const std::int64_t now = host::now_ns();
    if (path_) tactus_path_ended(path_.get(), &released);
    parts_.response_ns = now - arrival;
    if (parts_.response_ns > task_.worst.response_ns) task_.worst = parts_;
    if (const std::uint32_t count = task_.jobs.load(); count < kMaxJobs) {
      task_.arrival_ns[count] = arrival;
      task_.read_ns[count] = read;
      task_.response_ns[count] = now - arrival;
      task_.disturbed[count] = disturbed_;
      task_.jobs.store(count + 1);
    }
    return check();
  }

  bool job() {
    disturbed_ = false;
    for (std::uint32_t i = 0; i < task_.piece_count; ++i) {
      const Piece& piece = task_.pieces[i];
      if (piece.on_gpu) {
        if (!segment(piece)) return false;
      } else {
        parts_.cpu_ns += timed([&] { spin(piece); });
      }
    }
    return true;
  }

  template <typename Work>
  static std::int64_t timed(const Work& work) {
    const std::int64_t start = host::now_ns();
    work();
    return host::now_ns() - start;
  }

  bool segment(const Piece& piece) {
    ++task_.segments;
    if (run_.mode == Mode::kBoost) return gated_segment(piece);
    std::optional<Error> problem;
    const std::int64_t asked = host::now_ns();
    parts_.begin_ns += timed([&] { begin(); });
    const std::int64_t began = host::now_ns();
    parts_.launch_ns += timed([&] { spin(piece); });
    // A segment that only launches has no GPU work to wait for.
    if (piece.gpu_ns > 0) parts_.gpu_ns += timed([&] { problem = work_->run(piece.gpu_ns); });
    parts_.end_ns += timed([&] { end(); });
    if (run_.mode != Mode::kArbiter) {  // else the client library writes it down
      const std::int64_t ended = host::now_ns();
      client::diary::segment(TACTUS_RUNNING, asked, began, ended, 0);
    }
    if (problem) fail(problem->message);
    return !problem;
  }

  /// The launch code runs while the work is held back; then the arbiter starts it, and takes it off
  /// only above its threshold.
  bool gated_segment(const Piece& piece) {
    int begun = 0, ended = 0;
    std::optional<Error> problem;
    parts_.begin_ns += timed([&] {
      begun = task_.best_effort ? work_->begin_gated(TACTUS_BEST_EFFORT, TACTUS_OWN_PRIORITY)
                                : work_->begin_gated(task_.gpu_priority, piece.threshold);
    });
    if (begun < 0) return fail(tactus_problem()) == 0;
    parts_.launch_ns += timed([&] { spin(piece); });
    parts_.gpu_ns += timed([&] {
      if (piece.gpu_ns > 0) problem = work_->hand_over(piece.gpu_ns);
      ended = tactus_segment_end();
    });
    if (ended == TACTUS_SHARED) ++task_.shared;
    if (ended != TACTUS_RUNNING && ended != TACTUS_SHARED) ++task_.unarbitrated;
    if (problem) fail(problem->message);
    return !problem;
  }

  bool is_locked() const { return run_.mode == Mode::kLock || run_.mode == Mode::kPriorityLock; }

  void begin() {
    if (run_.mode == Mode::kLock) lock_.lock();
    if (run_.mode == Mode::kPriorityLock) priority_lock_.lock();
    if (is_locked() && task_.real_time) set_cpu_priority(sched_get_priority_max(SCHED_FIFO) - 1);
    if (run_.mode != Mode::kArbiter) return;
    const std::int64_t asked = host::now_ns();
    const int result =
        tactus_segment_begin(task_.best_effort ? TACTUS_BEST_EFFORT : task_.gpu_priority);
    const std::int64_t took = host::now_ns() - asked;
    if (result == TACTUS_SHARED) ++task_.shared;
    if (result != TACTUS_RUNNING && result != TACTUS_PENDING && result != TACTUS_SHARED)
      ++task_.unarbitrated;
    // While it prepares its launch it has nothing on the GPU, and may be kept off its core.
    tactus_launched([](void*) { return 1; }, nullptr);
    if (result == TACTUS_RUNNING && task_.begins < kMaxJobs) task_.begin_ns[task_.begins++] = took;
  }

  void end() {
    if (run_.mode == Mode::kLock) lock_.unlock();
    if (run_.mode == Mode::kPriorityLock) priority_lock_.unlock();
    if (is_locked() && task_.real_time) set_cpu_priority(task_.cpu_priority);
    if (run_.mode == Mode::kArbiter) tactus_segment_end();
  }

  bool check() {
    if (!run_.check_results || !work_) return true;
    const Result<bool> right = work_->correct();
    if (!right) return fail(right.error().message) == 0;
    if (!*right) ++task_.wrong;
    return true;
  }

  void spin(const Piece& piece) {
    if (piece.cpu_ns == 0) return;
    const std::int64_t start = host::now_ns();
    cpu_work(static_cast<std::uint64_t>(static_cast<double>(piece.cpu_ns) * run_.cpu_steps_per_ns));
    // With priorities it may have been preempted, and that is no disturbance.
    if (!task_.real_time && host::now_ns() - start > piece.cpu_bound_ns) disturbed_ = true;
  }

  RunBlock& run_;
  TaskBlock& task_;
  FifoLock lock_;
  PriorityLock priority_lock_;
  std::unique_ptr<SegmentWork> work_;
  struct Closer {
    void operator()(tactus_path* path) const { tactus_path_close(path); }
  };
  std::unique_ptr<tactus_path, Closer> path_;  ///< where it starts others, or is started
  bool disturbed_ = false;                     ///< the present job
  JobParts parts_;                             ///< the present job
};

}  // namespace

int run_task_process(int file, unsigned index) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no task outlives its runner
  const host::SharedMemory memory(file);
  if (!memory || memory.size() < sizeof(RunBlock)) return 2;
  auto& run = *static_cast<RunBlock*>(memory.at());
  if (index >= run.task_count || memory.size() < run_block_size(run.task_count)) return 2;
  return TaskProcess(run, run.tasks[index]).run();
}

}  // namespace tactus::arbiter::tasks
