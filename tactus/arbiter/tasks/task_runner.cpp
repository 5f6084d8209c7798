#include "tactus/arbiter/tasks/task_runner.hpp"

#include <fmt/core.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <thread>

#include "tactus/arbiter/tasks/cpu_work.hpp"
#include "tactus/arbiter/tasks/pieces.hpp"
#include "tactus/arbiter/tasks/placement.hpp"
#include "tactus/arbiter/tasks/private_arbiter.hpp"
#include "tactus/arbiter/tier.hpp"
#include "tactus/arbiter/tiers/gpu_work.hpp"
#include "tactus/host/child.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/model/format.hpp"

namespace tactus::arbiter::tasks {
namespace {

constexpr std::int64_t kGetReadyNs = 60'000'000'000;
constexpr Time kItem = Time::from_us(20);
constexpr int kArbiterPriority = 90;  // above every task's
constexpr std::int64_t kSpinNs = 20'000'000;

void sleep_ms(long milliseconds) {
  const timespec pause{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  nanosleep(&pause, nullptr);
}

/// The memory that all processes of a run share.
class SharedRun {
 public:
  explicit SharedRun(std::size_t tasks) : size_(run_block_size(tasks)) {
    file_ = memfd_create("tactus-run", 0);  // inherited on purpose
    if (file_ < 0 || ftruncate(file_, static_cast<off_t>(size_)) != 0) return;
    void* const memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory == MAP_FAILED) return;
    run_ = new (memory) RunBlock;
    run_->task_count = static_cast<std::uint32_t>(tasks);
    for (std::size_t i = 1; i < tasks; ++i) new (&run_->tasks[i]) TaskBlock;
  }
  ~SharedRun() {
    if (run_ != nullptr) munmap(run_, size_);
    if (file_ >= 0) ::close(file_);
  }
  SharedRun(const SharedRun&) = delete;
  SharedRun& operator=(const SharedRun&) = delete;

  RunBlock* get() const { return run_; }
  int file() const { return file_; }

 private:
  std::size_t size_;
  int file_ = -1;
  RunBlock* run_ = nullptr;
};

class Runner {
 public:
  Runner(const System& system, const TaskRunOptions& options)
      : system_(system), options_(options), shared_(system.tasks.size()) {}

  Result<TaskRunReport> run() {
    if (shared_.get() == nullptr) return Error{"no memory to share with the task processes"};
    placement_ =
        place_tasks(system_, options_.realtime, options_.tier == TierChoice::kProcess ? 2 : 1);
    report_.notes = placement_.notes;
    report_.verdict = bounds_of(system_, options_.mode, options_.busy_wait);
    if (report_.verdict.status == Status::kNotApplicable)
      return Error{
          fmt::format("{} does not apply: {}", report_.verdict.method, report_.verdict.reason)};
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i)
      if (auto problem = describe(i)) return *problem;
    if (auto problem = calibrate()) return *problem;
    if (options_.mode == Mode::kArbiter)
      if (auto problem = start_arbiter()) return *problem;
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i)
      if (auto problem = start_task(i)) return *problem;
    if (auto problem = wait_until_ready()) return *problem;
    play();
    return collect();
  }

 private:
  std::optional<Error> describe(TaskIndex index) {
    const Task& task = system_.tasks[index];
    TaskBlock& block = shared_.get()->tasks[index];
    const auto pieces = pieces_of(system_, task, options_.fill);
    if (!pieces) return pieces.error();
    std::copy(pieces->begin(), pieces->end(), block.pieces);
    block.piece_count = static_cast<std::uint32_t>(pieces->size());
    std::strncpy(block.name, task.name.c_str(), sizeof block.name - 1);
    block.period_ns = task.period.value_or(Time()).ns();
    block.offset_ns = task.offset.ns();
    block.best_effort = task.best_effort;
    if (!task.best_effort) {
      block.gpu_priority =
          static_cast<std::int32_t>(task.gpu_priority.value_or(task.priority.value_or(0)));
      if (placement_.real_time) block.cpu_priority = cpu_priority_of(task);
    }
    if (placement_.pinned && task.core)
      block.cpu = placement_.cpus[static_cast<std::size_t>(*task.core)];
    return std::nullopt;
  }

  /// Ranks 10, 11, ... keep the file's order within what the scheduler has to offer.
  std::int32_t cpu_priority_of(const Task& task) const {
    std::int32_t rank = 10;
    for (const Task& other : system_.tasks)
      if (!other.best_effort && other.priority < task.priority) ++rank;
    return std::min(rank, 80);
  }

  std::optional<Error> calibrate() {
    RunBlock& run = *shared_.get();
    run.mode = options_.mode;
    run.backend = options_.backend;
    run.tier = options_.tier;
    run.busy_wait = options_.busy_wait;
    run.device = options_.device;
    std::vector<int> busy;
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i)
      if (run.tasks[i].cpu >= 0) busy.push_back(run.tasks[i].cpu);
    std::sort(busy.begin(), busy.end());
    busy.erase(std::unique(busy.begin(), busy.end()), busy.end());
    run.cpu_steps_per_ns = calibrate_cpu_work(busy);
    report_.machine = "CPU only: GPU segments are spun";
    if (options_.backend != Backend::kCuda) return std::nullopt;
    auto work = tiers::GpuWork::open(options_.device, tiers::Waiting::kBusy);
    if (!work) return work.error();
    if (auto problem = (*work)->calibrate(kItem)) return problem;
    run.gpu_rounds = (*work)->rounds();
    run.gpu_item_ns = (*work)->item().ns();
    report_.gpu_item = (*work)->item();
    report_.machine = (*work)->device_name();
    return std::nullopt;
  }

  /// An arbiter for this run alone, on the CPU that no task has.
  std::optional<Error> start_arbiter() {
    RunBlock& run = *shared_.get();
    daemon::DaemonOptions options;
    std::optional<int> cpu;
    if (placement_.pinned) cpu = placement_.cpus.front();
    if (placement_.pinned && placement_.real_time) {
      options.cpu = cpu;
      options.realtime = kArbiterPriority;
    }
    // It has the CPU to itself; but at a real-time priority it would keep the kernel's threads off.
    if (cpu && !placement_.real_time) options.spin_ns = kSpinNs;
    CPU_ZERO(&run.control_cpus);
    for (const int free : placement_.control_cpus)
      CPU_SET(static_cast<std::size_t>(free), &run.control_cpus);
    auto started = PrivateArbiter::start(options, cpu);
    if (!started) return started.error();
    arbiter_ = std::move(*started);
    if (arbiter_->socket().size() >= sizeof run.socket) return Error{"TMPDIR is too long"};
    std::strcpy(run.socket, arbiter_->socket().c_str());
    return std::nullopt;
  }

  std::optional<Error> start_task(TaskIndex index) {
    std::vector<std::string> environment;
    if (options_.mode == Mode::kArbiter && options_.tier == TierChoice::kChannel)
      environment.push_back("LD_PRELOAD=" + options_.preload);
    auto started = host::Child::start(
        {options_.program, "task-process", std::to_string(shared_.file()), std::to_string(index)},
        environment);
    if (!started) return started.error();
    children_.push_back(std::move(*started));
    return std::nullopt;
  }

  std::optional<Error> wait_until_ready() {
    RunBlock& run = *shared_.get();
    const std::int64_t give_up = host::now_ns() + kGetReadyNs;
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i) {
      const TaskBlock& task = run.tasks[i];
      while (task.state.load() == TaskState::kStarting) {
        const auto code = children_[i].ended();
        if (code && task.state.load() == TaskState::kStarting)
          return Error{fmt::format("the process of task {} ended with {}", task.name, *code)};
        if (host::now_ns() > give_up || options_.stop.stop_requested())
          return Error{fmt::format("task {} does not get ready", task.name)};
        sleep_ms(1);
      }
      if (task.state.load() == TaskState::kFailed)
        return Error{fmt::format("task {}: {}", task.name, task.problem)};
    }
    return std::nullopt;
  }

  void play() {
    RunBlock& run = *shared_.get();
    run.start_ns = host::now_ns() + 100'000'000;
    run.end_ns = run.start_ns + options_.duration.ns();
    run.go.store(1);
    host::futex_wake_all(run.go);
    const std::int64_t give_up = run.end_ns + 5'000'000'000;
    for (host::Child& child : children_) {
      while (!child.ended() && host::now_ns() < give_up) {
        if (options_.stop.stop_requested()) {
          run.stop.store(1);
          report_.interrupted = true;
          child.wait(2000);
          break;
        }
        sleep_ms(2);
      }
    }
  }

  Result<TaskRunReport> collect() {
    const RunBlock& run = *shared_.get();
    if (arbiter_) {
      if (const auto problem = arbiter_->end()) return *problem;
      report_.updates = arbiter_->costs();
      note_updates(Time::from_ns(arbiter_->costs().max_ns));
      const std::string& why_not = arbiter_->why_not_isolated();
      if (!why_not.empty())
        report_.notes.push_back("the bounds assume an arbiter on a CPU of its own: " + why_not);
    }
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i) {
      const TaskBlock& block = run.tasks[i];
      if (block.state.load() == TaskState::kFailed)
        return Error{fmt::format("task {}: {}", block.name, block.problem)};
      if (!children_[i].ended())
        report_.notes.push_back(fmt::format("task {} did not come to an end", block.name));
      report_.tasks.push_back(seen_of(system_.tasks[i], block));
    }
    return std::move(report_);
  }

  /// The bounds count on updates that take no longer than the file says.
  void note_updates(Time worst) {
    for (const Element& element : system_.platform.elements) {
      const auto promised = element.runlist_update;
      if (element.kind != ElementKind::kGpu || !promised || worst <= *promised) continue;
      report_.notes.push_back(fmt::format(
          "an update took {}, longer than the file's runlist_update {}: the bounds do "
          "not cover that",
          format_time(worst, system_.time_unit), format_time(*promised, system_.time_unit)));
    }
  }

  static TaskRun seen_of(const Task& task, const TaskBlock& block) {
    TaskRun run;
    const std::uint32_t jobs = block.jobs.load();
    Time late;  // the job before took this long beyond the next release
    for (std::uint32_t j = 0; j < jobs; ++j) {
      const Time response = Time::from_ns(block.response_ns[j]);
      run.seen.responses.push_back(response);
      run.seen.longest = std::max(run.seen.longest, response);
      run.seen.longest_alone = std::max(run.seen.longest_alone, response - late);
      if (!task.best_effort && task.deadline && response > *task.deadline) ++run.seen.misses;
      if (block.disturbed[j])
        ++run.disturbed;
      else
        run.longest_undisturbed = std::max(run.longest_undisturbed, response - late);
      late = task.period ? clamp_at_zero(response - *task.period) : Time();
    }
    for (std::uint32_t b = 0; b < block.begins; ++b)
      run.begins.push_back(Time::from_ns(block.begin_ns[b]));
    run.tier = block.tier;
    run.real_time = block.real_time;
    run.segments = block.segments;
    run.unarbitrated = block.unarbitrated;
    run.wrong = block.wrong;
    run.resumed = block.resumed;
    run.worst = block.worst;
    return run;
  }

  System system_;  ///< as it is run
  const TaskRunOptions& options_;
  SharedRun shared_;
  std::unique_ptr<PrivateArbiter> arbiter_;
  std::vector<host::Child> children_;
  Placement placement_;
  TaskRunReport report_;
};

}  // namespace

Result<TaskRunReport> run_tasks(const System& system, const TaskRunOptions& options) {
  return Runner(system, options).run();
}

}  // namespace tactus::arbiter::tasks
