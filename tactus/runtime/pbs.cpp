#include <algorithm>

#include "tactus/runtime/batch_kernel.hpp"
#include "tactus/runtime/executors.hpp"
#include "tactus/runtime/loop.hpp"

namespace tactus::runtime {
namespace {

constexpr std::size_t kMostOverruns = 20;

/// The table player (specification of pbs, section 8). Which jobs make up a batch and the order of
/// the batches never change; only when a batch starts does:
///  - as planned: at its time in the table, or as soon as possible after it;
///  - reclaim: as soon as the batch before has ended and all its own jobs are released.
class TablePlayer final : public Executor {
 public:
  TablePlayer(const System& system, const pbs::ScheduleTable& table, const RunOptions& options)
      : system_(system), options_(options), hyperperiod_(table.time(table.hyperperiod())) {
    for (const pbs::Frame& source : table.frames()) {
      Frame frame;
      frame.start = table.time(source.start);
      frame.completion = table.time(source.end - source.start);
      for (const pbs::Frame::Job& job : source.batch) {
        const Task& task = system.tasks[table.task_of(job.kernel)];
        frame.jobs.push_back({table.task_of(job.kernel), job.number});
        frame.complete = std::max(frame.complete, task.offset + job.number * *task.period);
      }
      frames_.push_back(std::move(frame));
    }
  }

  std::optional<Error> prepare(Device& device, RunReport& report) override {
    sms_ = device.capabilities().sms;
    filling_ = Filling(options_, device.capabilities());
    report.batches.emplace();
    jobs_a_round_.resize(system_.tasks.size());
    piece_.resize(system_.tasks.size(), kNoPiece);
    for (const Frame& frame : frames_) {
      for (const Job& job : frame.jobs) {
        const Task& task = system_.tasks[job.task];
        const Time arrival = task.offset + job.number * *task.period;
        auto& bound = report.tasks[job.task].bound;
        bound = std::max(bound.value_or(Time()), frame.start + frame.completion - arrival);
        ++jobs_a_round_[job.task];
        if (piece_[job.task] != kNoPiece) continue;
        piece_[job.task] = static_cast<std::uint32_t>(report.pieces.size());
        Piece piece;
        piece.task = job.task;
        piece.element = task.nodes.front().on;
        piece.label = task.nodes.front().name;
        piece.blocks_shown = false;  // batches share SMs as the hardware likes
        piece.unit =
            static_cast<std::uint32_t>(job.task % system_.platform.elements[piece.element].units);
        report.pieces.push_back(std::move(piece));
      }
    }
    for (const Task& task : system_.tasks) {
      if (!task.best_effort) continue;
      report.notes.push_back("best-effort tasks are never submitted");
      break;
    }
    return std::nullopt;
  }

  const Graph& steps(TaskIndex task) const override {
    return jobs_a_round_[task] > 0 ? one_step_ : none_;
  }
  std::span<const std::uint32_t> pieces(StepId step) const override {
    return {&piece_[step.task], 1};
  }

  void start_ready(Loop& loop) override {
    if (running_ > 0) return;
    while (const auto members = next_batch(loop)) {
      if (!members->empty()) return submit(loop, *members);
      advance();  // none of its jobs will ever be released: the run is ending
    }
  }

  void finished(StepId, const Completion& completion, RunReport& report) override {
    ended_ = std::max(ended_, completion.end);
    if (--running_ > 0) return;
    // From submission to the end of the last kernel, as completions are defined.
    const Frame& frame = frames_[place_];
    const Time took = ended_ - submitted_;
    if (took > frame.completion) {
      ++report.batches->overrun;
      if (report.batches->overruns.size() < kMostOverruns) {
        report.batches->overruns.push_back({place_, submitted_, frame.completion, took});
      }
    }
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

  bool reclaims() const { return options_.strategy == Strategy::kReclaim; }

  std::uint32_t number_of(const Job& job) const {
    return static_cast<std::uint32_t>(job.number + round_ * jobs_a_round_[job.task]);
  }

  /// The jobs of the batch that is due, without those that never come; nothing: not yet.
  std::optional<std::vector<TaskIndex>> next_batch(Loop& loop) {
    const Frame& frame = frames_[place_];
    const Time start = round_ * hyperperiod_ + (reclaims() ? frame.complete : frame.start);
    std::vector<TaskIndex> members;
    for (const Job& job : frame.jobs) {
      const bool here = loop.is_ready({job.task, 0}) && loop.job_number(job.task) == number_of(job);
      if (here) {
        members.push_back(job.task);
      } else if (loop.will_come(job.task, number_of(job))) {
        return std::nullopt;  // its release wakes the loop
      }
    }
    if (!loop.more_to_come()) return std::nullopt;
    if (loop.now() < start) {
      loop.wake_at(start);
      return std::nullopt;
    }
    return members;
  }

  void submit(Loop& loop, const std::vector<TaskIndex>& members) {
    const Frame& frame = frames_[place_];
    submitted_ = loop.now();
    ended_ = submitted_;
    const Time planned = reclaims() ? std::max(free_since_, round_ * hyperperiod_ + frame.complete)
                                    : round_ * hyperperiod_ + frame.start;
    loop.report().batches->late.push_back(clamp_at_zero(submitted_ - planned));
    ++loop.report().batches->played;
    running_ = members.size();
    for (const TaskIndex task : members) loop.launch({task, 0}, kernel_of(task, frame.completion));
  }

  Kernel kernel_of(TaskIndex task, Time completion) const {
    const Node& node = system_.tasks[task].nodes.front();
    Kernel kernel = batch_kernel(system_, task, filling_.alone(*node.wcet), sms_);
    kernel.longest = completion;
    kernel.least = std::min(std::max(node.bcet, Time::from_ns(1)), completion);
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
  std::vector<std::uint32_t> piece_;        ///< by task
  std::int64_t sms_ = 1;
  Filling filling_;
  const Graph one_step_{1, {}}, none_;

  std::size_t place_ = 0;   ///< the frame that is played, or comes next
  std::int64_t round_ = 0;  ///< hyperperiods done
  std::size_t running_ = 0;
  Time submitted_, ended_, free_since_;
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
