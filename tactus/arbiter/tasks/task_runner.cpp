#include "tactus/arbiter/tasks/task_runner.hpp"

#include <fmt/core.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "tactus/arbiter/path_variables.hpp"
#include "tactus/arbiter/tasks/booking.hpp"
#include "tactus/arbiter/tasks/cpu_work.hpp"
#include "tactus/arbiter/tasks/held.hpp"
#include "tactus/arbiter/tasks/pieces.hpp"
#include "tactus/arbiter/tasks/private_arbiter.hpp"
#include "tactus/arbiter/tasks/sharing.hpp"
#include "tactus/arbiter/tasks/task_placement.hpp"
#include "tactus/arbiter/tier.hpp"
#include "tactus/arbiter/tiers/gpu_work.hpp"
#include "tactus/client.h"
#include "tactus/host/child.hpp"
#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/host/nap.hpp"
#include "tactus/host/shared_memory.hpp"
#include "tactus/methods/gcaps/boost/boost_plan.hpp"
#include "tactus/methods/gcaps/boost/view.hpp"
#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/paths.hpp"

namespace tactus::arbiter::tasks {
namespace {

constexpr std::int64_t kGetReadyNs = 60'000'000'000;
constexpr std::int64_t kSpinNs = 20'000'000;

void sleep_ms(std::int64_t milliseconds) { host::nap_ns(milliseconds * 1'000'000); }

/// The memory that all processes of a run share.
class SharedRun {
 public:
  explicit SharedRun(std::size_t tasks)
      : memory_("tactus-run", run_block_size(tasks), host::SharedMemory::For::kStarted) {
    if (!memory_) return;
    run_ = new (memory_.at()) RunBlock;
    run_->task_count = static_cast<std::uint32_t>(tasks);
    for (std::size_t i = 1; i < tasks; ++i) new (&run_->tasks[i]) TaskBlock;
  }

  RunBlock* get() const { return run_; }
  int file() const { return memory_.file(); }

 private:
  host::SharedMemory memory_;
  RunBlock* run_ = nullptr;
};

/// Everything that keeps a method from covering a system, in one sentence.
std::string every_reason(const Verdict& verdict) {
  std::string all;
  for (const Obstacle& obstacle : verdict.obstacles) {
    all.append(all.empty() ? "" : "; ").append(obstacle.reason);
  }
  if (verdict.more_obstacles > 0) all += fmt::format("; and {} more", verdict.more_obstacles);
  return all;
}

class Runner {
 public:
  Runner(const System& system, const TaskRunOptions& options)
      : system_(system), options_(options), shared_(system.tasks.size()), observed_(system) {}

  Result<trace::Observed> run() {
    if (shared_.get() == nullptr) return Error{"no memory to share with the task processes"};
    if (options_.plan != nullptr) obey(*options_.plan);
    placement_ =
        place_tasks(system_, options_.realtime, options_.tier == TierChoice::kProcess ? 2 : 1,
                    options_.plan == nullptr ? CoresOf::kFile : CoresOf::kPlan);
    observed_.producer = trace::Producer::kProcesses;
    observed_.end = options_.duration;
    observed_.notes.insert(observed_.notes.end(), placement_.notes.begin(), placement_.notes.end());
    describe_sharing();
    if (options_.plan == nullptr)
      if (auto problem = make_plan()) return *problem;
    if (auto problem = ask_judge()) return *problem;
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i)
      if (auto problem = describe(i)) return *problem;
    if (auto problem = calibrate()) return *problem;
    if (arbitrated(options_.mode))
      if (auto problem = start_arbiter()) return *problem;
    if (auto problem = make_paths()) return *problem;
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i)
      if (auto problem = start_task(i)) return *problem;
    if (auto problem = wait_until_ready()) return *problem;
    play();
    return collect();
  }

 private:
  /// Writes what a plan says over what the file says.
  void obey(const Verdict& verdict) {
    verdict_ = verdict;
    hold_to(verdict, observed_);
    const auto* gated = dynamic_cast<const gcaps::boost::BoostPlan*>(verdict.plan.get());
    if (gated != nullptr) thresholds_ = gated->thresholds;
    const gcaps::PriorityPlan& plan = gated != nullptr
                                          ? gated->priorities
                                          : dynamic_cast<const gcaps::PriorityPlan&>(*verdict.plan);
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i) system_.tasks[i].core = plan.cores[i];
    for (const gcaps::PriorityPlan::Entry& entry : plan.entries) {
      system_.tasks[entry.task].priority = entry.priority;
      system_.tasks[entry.task].gpu_priority = entry.gpu_priority;
    }
  }

  std::optional<Error> ask_judge() {
    if (!options_.judge) return std::nullopt;
    const auto notes = options_.judge(system_, verdict_, placement_);
    if (!notes) return notes.error();
    observed_.notes.insert(observed_.notes.end(), notes->begin(), notes->end());
    return std::nullopt;
  }

  /// The method's plan for the tasks where they are; without one, the file's priorities.
  std::optional<Error> make_plan() {
    Options options;
    options.variant = options_.variant;
    if (options_.tier == TierChoice::kHold) {
      options.settings.emplace("thresholds", "never");
      charge_what_stays(system_);
    }
    Verdict verdict = analyze(*options_.method, system_, options);
    if (verdict.status == Status::kNotApplicable)
      return Error{fmt::format("{} does not apply: {}", verdict.method, every_reason(verdict))};
    if (!verdict.plan) {
      const auto waiting = options_.busy_wait ? gcaps::Mode::kBusy : gcaps::Mode::kSuspend;
      verdict.plan = file_plan(waiting, verdict);
      observed_.notes.push_back(
          fmt::format("{} does not prove every deadline; the tasks run with the file's priorities",
                      verdict.method));
    }
    obey(verdict);
    return std::nullopt;
  }

  std::shared_ptr<const Plan> file_plan(gcaps::Mode waiting, const Verdict& verdict) const {
    if (options_.mode == Mode::kBoost)
      return std::make_shared<gcaps::boost::BoostPlan>(
          gcaps::boost::plan_of_file(system_, waiting));
    return std::make_shared<gcaps::PriorityPlan>(gcaps::plan_of(system_, waiting, verdict));
  }

  void describe_sharing() {
    trace::ObservedSharing& sharing = observed_.sharing.emplace();
    sharing.mode = to_string(options_.mode);
    if (arbitrated(options_.mode)) {
      sharing.tier = to_string(options_.tier);
      const std::string_view in_force = find_sharing(*options_.method)->variant;
      if (options_.variant != in_force) {
        observed_.notes.push_back(
            fmt::format("the variant in force is {}, which is what tactusd does; the bounds shown "
                        "are of {}",
                        in_force, options_.variant));
      }
    }
    sharing.wait = options_.busy_wait ? "busy" : "suspend";
    sharing.fill = options_.fill;
  }

  std::optional<Error> describe(TaskIndex index) {
    const Task& task = system_.tasks[index];
    TaskBlock& block = shared_.get()->tasks[index];
    const auto pieces = pieces_of(system_, task, options_.fill);
    if (!pieces) return pieces.error();
    std::copy(pieces->begin(), pieces->end(), block.pieces);
    if (auto problem = set_thresholds(index, block.pieces, pieces->size())) return problem;
    block.piece_count = static_cast<std::uint32_t>(pieces->size());
    std::strncpy(block.name, task.name.c_str(), sizeof block.name - 1);
    block.period_ns = task.period.value_or(Time()).ns();
    block.offset_ns = task.offset.ns();
    block.jitter_ns = task.jitter.ns();
    block.least_ns = nominal_delay(system_, index).ns();
    if (task.after) {
      block.after = static_cast<std::int32_t>(*task.after);
      block.on_path = shared_.get()->tasks[*task.after].on_path = true;
    }
    block.best_effort = task.best_effort;
    block.lock_priority =
        task.best_effort ? std::numeric_limits<std::int64_t>::min() : task.priority.value_or(0);
    if (!task.best_effort) {
      block.gpu_priority = static_cast<std::int32_t>(*task.gpu_priority);
      if (block.gpu_priority != *task.gpu_priority ||
          block.gpu_priority <= TACTUS_DEPLOYED_PRIORITY)
        return Error{fmt::format("task {}: an arbiter has no GPU priority {}", task.name,
                                 *task.gpu_priority)};
      if (placement_.real_time) block.cpu_priority = cpu_priority_of(system_, task);
    }
    if (placement_.pinned && task.core)
      block.cpu = placement_.cpus[static_cast<std::size_t>(*task.core)];
    return std::nullopt;
  }

  /// A segment without a threshold has its task's GPU priority.
  std::optional<Error> set_thresholds(TaskIndex index, Piece* pieces, std::size_t count) const {
    const Task& task = system_.tasks[index];
    if (task.best_effort || options_.mode != Mode::kBoost) return std::nullopt;
    std::size_t segment = 0;
    for (std::size_t k = 0; k < count; ++k) {
      if (!pieces[k].on_gpu) continue;
      const auto& own = thresholds_[index];
      const std::int64_t threshold = segment < own.size() ? own[segment] : *task.gpu_priority;
      pieces[k].threshold = static_cast<std::int32_t>(threshold);
      if (pieces[k].threshold != threshold)
        return Error{fmt::format("task {}: an arbiter has no threshold {}", task.name, threshold)};
      ++segment;
    }
    return std::nullopt;
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
    observed_.machine.emplace().name = "CPU only: GPU segments are busy loops";
    if (options_.backend != Backend::kCuda) return std::nullopt;
    auto work = tiers::GpuWork::open(options_.device, tiers::Waiting::kBusy);
    if (!work) return work.error();
    if (auto problem = (*work)->calibrate(kGpuItem)) return problem;
    run.gpu_rounds = (*work)->rounds();
    run.gpu_item_ns = (*work)->item().ns();
    observed_.sharing->gpu_item = (*work)->item();
    observed_.machine->name = (*work)->device_name();
    return std::nullopt;
  }

  /// An arbiter for this run alone, on the CPU that no task has.
  std::optional<Error> start_arbiter() {
    RunBlock& run = *shared_.get();
    daemon::DaemonOptions options;
    if (options_.mode == Mode::kBoost) options.protocol = Protocol::kBoost;
    options.update_timeout_ns =
        std::max(options.update_timeout_ns, least_update_timeout(system_).ns());
    options.lease_ns = std::max(options.lease_ns, 2 * options.update_timeout_ns);
    std::optional<int> cpu;
    if (placement_.pinned) cpu = placement_.cpus.front();
    if (placement_.pinned && placement_.real_time) {
      options.cpu = cpu;
      options.realtime = kArbiterPriority;
    }
    // It has its own CPU; but with a real-time priority it would keep the kernel's threads off.
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

  /// Where tasks that start each other meet.
  std::optional<Error> make_paths() {
    RunBlock& run = *shared_.get();
    if (std::none_of(system_.tasks.begin(), system_.tasks.end(),
                     [](const Task& task) { return task.after.has_value(); }))
      return std::nullopt;
    auto folder = OwnFolder::make();
    if (!folder) return folder.error();
    paths_ = std::move(*folder);
    if (paths_.path().size() >= sizeof run.paths) return Error{"TMPDIR is too long"};
    std::strcpy(run.paths, paths_.path().c_str());
    return std::nullopt;
  }

  std::optional<Error> start_task(TaskIndex index) {
    // So that whoever looks at the processes (tactus watch) knows whose they are.
    std::vector<std::string> environment = {
        fmt::format("{}={}/{}", kTaskVariable, system_.name, system_.tasks[index].name)};
    if (arbitrated(options_.mode) && options_.tier == TierChoice::kChannel)
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
          observed_.cut_short = "it was interrupted";
          child.wait(2000);
          break;
        }
        sleep_ms(2);
      }
    }
  }

  Result<trace::Observed> collect() {
    const RunBlock& run = *shared_.get();
    if (arbiter_) {
      if (const auto problem = arbiter_->end()) return *problem;
      if (options_.mode == Mode::kBoost) {
        book_operations(arbiter_->boost_costs());
      } else {
        book_updates(arbiter_->costs());
      }
      const std::string& why_not = arbiter_->why_not_isolated();
      if (!why_not.empty())
        observed_.notes.push_back("the bounds assume an arbiter on a CPU of its own: " + why_not);
    }
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i) {
      const TaskBlock& block = run.tasks[i];
      if (block.state.load() == TaskState::kFailed)
        return Error{fmt::format("task {}: {}", block.name, block.problem)};
      if (!children_[i].ended())
        observed_.notes.push_back(fmt::format("task {} did not end", block.name));
      book_process(i, block);
      if (block.shared > 0)
        observed_.notes.push_back(fmt::format(
            "task {}: {} of {} segments began while another task, told to leave the GPU, had not "
            "confirmed that it was off: the bounds do not cover that",
            block.name, block.shared, block.segments));
    }
    book_jobs(system_, run, observed_);
    hold_chains_to(verdict_, observed_);
    return std::move(observed_);
  }

  void book_updates(const daemon::UpdateCosts& costs) {
    observed_.sharing->updates = {
        costs.updates, Time::from_ns(costs.mean_ns()), Time::from_ns(costs.max_ns),
        Time::from_ns(std::max(costs.take_off_max_ns, costs.leave_max_ns)),
        Time::from_ns(costs.put_back_max_ns)};
    note_updates(costs);
  }

  void book_operations(const daemon::BoostCosts& seen) {
    const auto of = [](const daemon::OperationCost& cost) {
      return trace::ObservedOperation{cost.count, Time::from_ns(cost.mean_ns()),
                                      Time::from_ns(cost.max_ns)};
    };
    trace::ObservedOperations operations{of(seen.start), of(seen.off), of(seen.on),
                                         Time::from_ns(seen.late.max_ns), 0};
    operations.on.max = Time::from_ns(seen.resume_max_ns());  // with the change of context
    for (TaskIndex i = 0; i < system_.tasks.size(); ++i)
      operations.forced += shared_.get()->tasks[i].forced;
    observed_.sharing->operations = operations;
    for (const Element& element : system_.platform.elements) {
      if (element.kind != ElementKind::kGpu) continue;
      const gcaps::boost::Costs promised = gcaps::boost::costs_of(element);
      note_beyond("to start a segment took", operations.start.max, "start_cost", promised.start);
      note_beyond("to take a segment off took", operations.off.max, "preempt_cost", promised.off);
      note_beyond("to put a segment back took", operations.on.max, "resume_cost", promised.on);
    }
    if (operations.forced > 0)
      observed_.fail(fmt::format("{} gates were opened without the arbiter", operations.forced));
  }

  /// The bounds assume that updates, and leaving the GPU, take no longer than the file says.
  void note_updates(const daemon::UpdateCosts& costs) {
    for (const Element& element : system_.platform.elements) {
      if (element.kind != ElementKind::kGpu) continue;
      note_beyond("an update took", Time::from_ns(costs.prompt_max_ns), "runlist_update",
                  element.runlist_update);
      note_beyond("to leave the GPU a task took", Time::from_ns(costs.leave_max_ns),
                  "preemption_delay", element.preemption_delay.value_or(Time()));
    }
  }
  void note_beyond(std::string_view what, Time worst, std::string_view attribute,
                   std::optional<Time> promised) {
    if (!promised || worst <= *promised) return;
    observed_.notes.push_back(
        fmt::format("{} {}, longer than the file's {} {}: the bounds do not "
                    "cover that",
                    what, format_time(worst, system_.time_unit), attribute,
                    format_time(*promised, system_.time_unit)));
  }

  void book_process(TaskIndex index, const TaskBlock& block) {
    trace::ObservedProcess& process = observed_.tasks[index].process.emplace();
    process.tier = block.tier;
    process.real_time = block.real_time;
    process.segments = block.segments;
    process.unarbitrated = block.unarbitrated;
    process.shared = block.shared;
    process.wrong_results = block.wrong;
    process.resumed = block.resumed;
    for (std::uint32_t b = 0; b < block.begins; ++b)
      process.begins.push_back(Time::from_ns(block.begin_ns[b]));
    process.worst = parts_of(block.worst);
    if (block.wrong > 0)
      observed_.fail(fmt::format("task {}: {} wrong results", block.name, block.wrong));
    if (block.unarbitrated > 0)
      observed_.fail(fmt::format("task {}: {} of {} segments ran without the arbiter", block.name,
                                 block.unarbitrated, block.segments));
  }

  static trace::JobParts parts_of(const JobParts& parts) {
    return {parts.job,
            Time::from_ns(parts.response_ns),
            Time::from_ns(parts.late_ns),
            Time::from_ns(parts.cpu_ns),
            Time::from_ns(parts.begin_ns),
            Time::from_ns(parts.launch_ns),
            Time::from_ns(parts.gpu_ns),
            Time::from_ns(parts.end_ns)};
  }

  System system_;    ///< as it is run
  Verdict verdict_;  ///< with the plan that is obeyed
  const TaskRunOptions& options_;
  SharedRun shared_;
  std::unique_ptr<PrivateArbiter> arbiter_;
  OwnFolder paths_;
  std::vector<host::Child> children_;
  std::vector<std::vector<std::int64_t>> thresholds_;  ///< by task and segment, in mode kBoost
  Placement placement_;
  trace::Observed observed_;
};

}  // namespace

std::int32_t cpu_priority_of(const System& system, const Task& task) {
  std::int32_t rank = 10;
  for (const Task& other : system.tasks)
    if (!other.best_effort && other.priority < task.priority) ++rank;
  return std::min(rank, 80);
}

Result<trace::Observed> run_tasks(const System& system, const TaskRunOptions& options) {
  return Runner(system, options).run();
}

}  // namespace tactus::arbiter::tasks
