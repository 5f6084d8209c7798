#include <algorithm>

#include "tactus/methods/pbs/kernel_time.hpp"
#include "tactus/methods/pbs/table.hpp"
#include "tactus/runtime/executors/batch_kernel.hpp"
#include "tactus/runtime/executors/executors.hpp"
#include "tactus/runtime/executors/loop.hpp"
#include "tactus/runtime/executors/partitions.hpp"
#include "tactus/runtime/executors/replays.hpp"
#include "tactus/runtime/executors/table_place.hpp"

namespace tactus::runtime {
namespace {

constexpr std::size_t kMostOverruns = 20;
/// Calls to a GPU vary by some tens of microseconds; a thread that lost its CPU comes back later.
constexpr Time kStall = Time::from_us(100);

/// The table player (docs/use/methods/pbs.md). Which jobs make up a batch and the order of
/// the batches never change; only when a batch starts does:
///  - as planned: at its time in the table, or as soon as possible after it;
///  - reclaim: as soon as the batch before has ended and all its own jobs are released.
///
/// A table is a promise about the GPU, but the host that plays it can be late. To distinguish the
/// two, the player keeps a second clock: when each batch would have ended if the host had submitted
/// all batches at the moment they were due and they had taken the same time.
class TablePlayer final : public Executor {
 public:
  TablePlayer(const System& system, const pbs::ScheduleTable& table, const RunOptions& options)
      : system_(system),
        options_(options),
        hyperperiod_(table.time(table.hyperperiod())),
        best_effort_(system, options) {
    for (const pbs::Frame& source : table.frames()) {
      Frame frame;
      frame.start = table.time(source.start);
      frame.completion = table.time(source.end - source.start);
      for (const pbs::Frame::Job& job : source.batch) {
        const Task& task = system.tasks[table.task_of(job.kernel)];
        sms_ = std::max(sms_, system.platform.elements[task.nodes.front().on].units);
        frame.jobs.push_back({table.task_of(job.kernel), job.number});
        frame.complete = std::max(frame.complete, task.offset + job.number * *task.period);
      }
      frames_.push_back(std::move(frame));
    }
  }

  std::optional<Error> prepare(Device& device, trace::Observed& observed) override {
    // The times of batches were measured on the file's GPU. A larger GPU may be used, too.
    if (auto problem = refuse_beyond(device.capabilities(), sms_)) return problem;
    auto place = make_table_place(system_, device, best_effort_, sms_, options_.best_effort_shares);
    if (!place) return place.error();
    place_of_table_ = std::move(*place);
    if (!place_of_table_.note.empty()) observed.notes.push_back(place_of_table_.note);
    operation_cost_ = device.capabilities().operation_cost;
    filling_ = Filling(options_, device.capabilities());
    observed.batches.emplace();
    jobs_a_round_.resize(system_.tasks.size());
    bound_.resize(system_.tasks.size());
    piece_.resize(system_.tasks.size(), kNoPiece);
    runs_graph_.resize(system_.tasks.size());
    for (const Frame& frame : frames_) {
      for (const Job& job : frame.jobs) {
        const Task& task = system_.tasks[job.task];
        const Time arrival = task.offset + job.number * *task.period;
        auto& bound = observed.tasks[job.task].bound;
        bound = std::max(bound.value_or(Time()), frame.start + frame.completion - arrival);
        bound_[job.task] = *bound;
        ++jobs_a_round_[job.task];
        if (piece_[job.task] != kNoPiece) continue;
        piece_[job.task] = static_cast<std::uint32_t>(observed.nodes.size());
        trace::ObservedNode piece;
        piece.task = job.task;
        piece.element = task.nodes.front().on;
        // A chain of kernels is played as one, of the time of all.
        piece.label = task.nodes.size() == 1 ? task.nodes.front().name : task.name;
        piece.blocks_shown = false;  // the hardware decides how batches share SMs
        piece.unit =
            static_cast<std::uint32_t>(job.task % system_.platform.elements[piece.element].units);
        observed.nodes.push_back(std::move(piece));
        if (auto problem = prepare_graph(job.task, device, observed)) return problem;
      }
    }
    return best_effort_.prepare(place_of_table_.left, device, observed);
  }

  const Graph& steps(TaskIndex task) const override {
    if (best_effort_.runs(task)) return best_effort_.steps(task);
    return jobs_a_round_[task] > 0 ? one_step_ : none_;
  }
  std::span<const std::uint32_t> pieces(StepId step) const override {
    if (best_effort_.runs(step.task)) return best_effort_.pieces(step);
    return {&piece_[step.task], 1};
  }

  std::int64_t callback_core(StepId step) const override {
    return best_effort_.runs(step.task) ? best_effort_.callback_core() : 0;
  }

  void start_ready(Loop& loop) override {
    start_batch(loop);                               // first: what follows takes the host some time
    const std::vector<StepId> ready = loop.ready();  // a copy: starting takes out of it
    for (const StepId step : ready) {
      if (best_effort_.runs(step.task)) best_effort_.start(loop, step);
    }
  }

  void finished(StepId step, const Completion& completion, trace::Observed& observed) override {
    if (best_effort_.runs(step.task)) return;
    ended_ = std::max(ended_, completion.end);
    last_start_ = std::max(last_start_, completion.start);
    ended_jobs_.emplace_back(step.task, completion.end);
    if (--running_ > 0) return;
    const Time stalled = std::min(stalled_, clamp_at_zero(last_start_ - submitted_));
    // From submission to the end of the last kernel, as completions are defined.
    const Frame& frame = frames_[place_];
    const Time took = ended_ - submitted_;
    if (took > frame.completion) {
      ++observed.batches->overrun;
      if (observed.batches->overruns.size() < kMostOverruns) {
        observed.batches->overruns.push_back({place_, submitted_, frame.completion, took, stalled});
      }
    }
    const Time on_time = std::max(due(), on_time_end_);
    const Time held_up = submitted_ - on_time + stalled;
    on_time_end_ = ended_ - held_up;
    for (const auto& [task, end] : ended_jobs_) judge(task, end, held_up, observed);
    advance();
  }

 private:
  struct Job {
    TaskIndex task;
    std::int64_t number;  ///< in the hyperperiod
  };
  struct Frame {
    Time start, completion;
    Time complete;          ///< when the last of its jobs arrives, in the first hyperperiod
    std::vector<Job> jobs;  ///< in submission order
  };

  void start_batch(Loop& loop) {
    if (running_ > 0) return;
    while (const auto members = next_batch(loop)) {
      if (!members->empty()) return submit(loop, *members);
      advance();  // none of its jobs will ever be released: the run is ending
    }
  }

  bool reclaims() const { return options_.strategy == Strategy::kReclaim; }

  std::uint32_t number_of(const Job& job) const {
    return static_cast<std::uint32_t>(job.number + round_ * jobs_a_round_[job.task]);
  }

  /// When the batch is to start, if the one before has ended.
  Time due() const {
    const Frame& frame = frames_[place_];
    return round_ * hyperperiod_ + (reclaims() ? frame.complete : frame.start);
  }

  /// The jobs of the batch that is due, without those that never come; nothing: not yet.
  std::optional<std::vector<TaskIndex>> next_batch(Loop& loop) {
    std::vector<TaskIndex> members;
    for (const Job& job : frames_[place_].jobs) {
      const bool here = loop.is_ready({job.task, 0}) && loop.job_number(job.task) == number_of(job);
      if (here) {
        members.push_back(job.task);
      } else if (loop.will_come(job.task, number_of(job))) {
        return std::nullopt;  // its release wakes the loop
      }
    }
    if (!loop.more_to_come()) return std::nullopt;
    if (loop.now() < due()) {
      loop.wake_at(due());
      return std::nullopt;
    }
    return members;
  }

  void submit(Loop& loop, const std::vector<TaskIndex>& members) {
    const Frame& frame = frames_[place_];
    submitted_ = loop.now();
    ended_ = last_start_ = submitted_;
    ended_jobs_.clear();
    trace::ObservedBatches& seen = *loop.observed().batches;
    seen.late.push_back(clamp_at_zero(submitted_ - std::max(free_since_, due())));
    ++seen.played;
    running_ = members.size();
    for (const TaskIndex task : members) {
      if (runs_graph_[task]) {
        loop.launch({task, 0}, replay_of(task, frame.completion));
      } else {
        loop.launch({task, 0}, kernel_of(task, frame.completion));
      }
    }
    // Submitting is part of a completion; only what no call takes by itself is a stall.
    const Time over = loop.now() - submitted_ - std::ssize(members) * operation_cost_;
    stalled_ = over > kStall ? over : Time();
  }

  /// Whether the job of a batch that has ended came too late, and why. @param held_up how much
  /// sooner the batch would have ended if the host had never been late
  void judge(TaskIndex task, Time end, Time held_up, trace::Observed& observed) const {
    const auto member = std::find_if(frames_[place_].jobs.begin(), frames_[place_].jobs.end(),
                                     [&](const Job& job) { return job.task == task; });
    trace::LateJob job;
    job.task = task;
    job.job = number_of(*member);
    job.release = system_.tasks[task].offset + job.job * *system_.tasks[task].period;
    job.response = end - job.release;
    job.on_time = job.response - held_up;
    const Time bound = bound_[task];
    const Time deadline = system_.tasks[task].deadline.value_or(job.response);
    if (job.response <= bound && job.response <= deadline) return;
    job.missed = job.response > deadline;
    job.cause = job.on_time > (job.missed ? deadline : bound) ? trace::LateJob::Cause::kBatches
                                                              : trace::LateJob::Cause::kHost;
    observed.batches->add(job);
  }

  std::optional<Error> prepare_graph(TaskIndex task, Device& device, trace::Observed& observed) {
    const std::size_t count = system_.tasks[task].nodes.size();
    for (NodeIndex node = 0; node < count; ++node) {
      if (!device.runs_graph(task, node)) continue;
      if (count > 1) {
        return refuse_graph(system_, task, node,
                            "but a table plays the kernels of a task as one: it must be its only "
                            "node");
      }
      runs_graph_[task] = true;
      return prepare_replay(device, system_, replay_of(task, Time()), observed);
    }
    return std::nullopt;
  }

  Replay replay_of(TaskIndex task, Time completion) const {
    Replay replay;
    replay.task = task;
    replay.partition = place_of_table_.partition;
    replay.priority = place_of_table_.priority;
    replay.longest = completion;
    replay.least =
        std::min(std::max(pbs::kernel_time(system_, system_.tasks[task])->bcet, Time::from_ns(1)),
                 completion);
    return replay;
  }

  Kernel kernel_of(TaskIndex task, Time completion) const {
    const pbs::KernelTime alone = *pbs::kernel_time(system_, system_.tasks[task]);
    Kernel kernel = batch_kernel(system_, task, filling_.alone(alone.wcet), place_of_table_.sms);
    kernel.partition = place_of_table_.partition;
    kernel.priority = place_of_table_.priority;
    kernel.longest = completion;
    kernel.least = std::min(std::max(alone.bcet, Time::from_ns(1)), completion);
    return kernel;
  }

  void advance() {
    free_since_ = std::max(ended_, free_since_);
    if (++place_ < frames_.size()) return;
    place_ = 0;
    ++round_;
  }

  const System& system_;
  const RunOptions& options_;
  const Time hyperperiod_;
  std::vector<Frame> frames_;
  std::vector<std::int64_t> jobs_a_round_;  ///< by task
  std::vector<Time> bound_;                 ///< by task, from the release
  std::vector<std::uint32_t> piece_;        ///< by task
  std::vector<bool> runs_graph_;            ///< by task
  std::int64_t sms_ = 1;                    ///< of the file's GPU
  BestEffort best_effort_;
  TablePlace place_of_table_;
  Time operation_cost_;
  Filling filling_;
  const Graph one_step_{1, {}}, none_;

  std::size_t place_ = 0;   ///< the frame that is played, or comes next
  std::int64_t round_ = 0;  ///< hyperperiods done
  std::size_t running_ = 0;
  Time submitted_, last_start_, ended_;                 ///< of the batch
  std::vector<std::pair<TaskIndex, Time>> ended_jobs_;  ///< of the batch, and when
  Time stalled_;                                        ///< while it was submitted
  Time free_since_;                                     ///< the end of the batch before
  Time on_time_end_;                                    ///< the same, if the host had not been late
};

}  // namespace

MadeExecutor make_pbs_executor(const System& system, const pbs::ScheduleTable& table,
                               const RunOptions& options) {
  if (options.strategy != Strategy::kPlanned && options.strategy != Strategy::kReclaim) {
    return Error{"a table is played as `planned` or `reclaim`; there is no other strategy"};
  }
  if (table.frames().empty()) return Error{"the table is empty"};
  return MadeExecutor(std::make_unique<TablePlayer>(system, table, options));
}

}  // namespace tactus::runtime
