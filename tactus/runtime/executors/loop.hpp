#pragma once

#include <deque>
#include <unordered_map>
#include <variant>

#include "tactus/runtime/executors/executor.hpp"
#include "tactus/runtime/executors/overruns.hpp"
#include "tactus/trace/chain_record.hpp"
#include "tactus/trace/trace.hpp"

namespace tactus::runtime {

/// The event loop behind every executor: releases jobs, those of a task with `after` when a job of its
/// predecessor has ended, those of a task released on arrival when its input is there; follows the
/// precedence of their steps, and writes down what was seen. One job per task is live at a time; a
/// job that is released while the one before runs waits for it.
class Loop {
 public:
  Loop(const System& system, Executor& executor, Device& device, const RunOptions& options);

  /// Runs everything. An `Error` when the machine cannot, or is lost. @pre the executor is prepared
  Result<trace::Observed> run();

  // For executors, inside `start_ready`:

  /// Steps that may start: their predecessors have ended. In the order they became ready.
  const std::vector<StepId>& ready() const { return ready_; }
  bool is_ready(StepId step) const;
  Time now() const { return device_.now(); }
  /// The number of the live job of a task.
  std::uint32_t job_number(TaskIndex task) const { return jobs_[task].number; }
  /// Will this job of the task ever be released?
  bool will_come(TaskIndex task, std::uint32_t number) const;
  /// Is any job live, or still to be released?
  bool more_to_come() const;
  /// Start a step, or one of several operations that make it up.
  void launch(StepId step, const Kernel& kernel);
  void launch(StepId step, GraphId graph);
  void launch(StepId step, const Replay& replay);
  void run(StepId step, const CpuWork& work);
  void copy(StepId step, const Copy& copy);
  /// Ask again at this time, if nothing happens before.
  void wake_at(Time time) { wake_ = wake_ ? std::min(*wake_, time) : time; }
  trace::Observed& observed() { return observed_; }

 private:
  using Operation = std::variant<Kernel, GraphId, Replay, CpuWork, Copy>;
  struct Step {
    std::size_t waiting_for = 0;
    std::int64_t operations = 0, in_flight = 0;
    bool started = false, seen = false;
    Time requested, start, end;
    /// A callback before it runs: these are submitted when it has ended.
    std::vector<std::pair<OpId, Operation>> held;
    std::vector<KernelSeen> kernels;  ///< of what the callback after it follows
  };
  /// A job to be released.
  struct Coming {
    Time arrival;
    Time due;              ///< its arrival, or the end of the job that starts it
    Time release;          ///< that, and what the scenario adds in virtual time
    bool skipped = false;  ///< the job that would have started it was
  };
  struct Released {
    std::uint32_t number;
    Time arrival, late;
  };
  struct Job {
    bool live = false;
    std::uint32_t number = 0;
    Time arrival, late, begin, end;
    std::vector<Step> steps;
    std::size_t left = 0;

    std::deque<Released> waiting;  ///< while the job before is live
    bool skip = false;             ///< the next release: this job overran
    bool told = false;             ///< the callback, that this job is late and still runs ...
    bool sheds = false;            ///< ... and it answered that releases are skipped meanwhile
    std::uint32_t released = 0;    ///< in all
    std::deque<Coming> coming;     ///< to be released, in order; of a root at most one
    Time last_end;                 ///< of the job before

    bool on_arrival = false;           ///< released when its input is there
    std::optional<Time> last_arrival;  ///< of that
    std::uint64_t early = 0;           ///< inputs that came less than a period after the one before
  };

  bool takes_part(TaskIndex task) const { return executor_.steps(task).size() > 0; }
  void plan_release(TaskIndex task, Time at);
  Coming coming_at(TaskIndex task, std::uint32_t number, Time arrival, Time due) const;
  void start_others(TaskIndex task, Time arrival, std::optional<Time> end);
  void take_arrivals();
  bool arrivals_open() const;
  void end_releases();
  void note_arrivals();
  void release_due();
  void watch_release(TaskIndex task, const Coming& came, Time now);
  bool skips(TaskIndex task, const Coming& came);
  void skip(TaskIndex task, std::uint32_t number);
  void begin_job(TaskIndex task, const Released& released);
  void end_job(TaskIndex task);
  void follow_chains(TaskIndex task);
  bool over() const;
  bool interrupted() const { return !observed_.cut_short.empty(); }
  void note_machine();
  std::optional<Time> next_event() const;
  void begin_operation(StepId step, Operation operation, std::int64_t unit = 0);
  void submit(OpId op, const Operation& operation);
  bool has_callback(StepId step, Phase phase) const;
  void call(StepId step, Phase phase);
  void handle(const Completion& completion);
  void count_in(Step& step, const Completion& completion);
  void end_step(StepId id, const Completion& completion);
  void record(StepId id, const Completion& completion);
  void show(const trace::ObservedNode& piece, std::uint32_t unit, Time start, Time end);
  void finish_step(StepId id);
  void book_unfinished();
  void overran(const Overrun& overrun);
  void look_now_and_then();
  void forget_what_is_old();
  void check_widths();

  const System& system_;
  Executor& executor_;
  Device& device_;
  const RunOptions& options_;
  trace::Observed observed_;
  Overruns overruns_;
  std::uint64_t dropped_ = 0;   ///< jobs that waited when the run was stopped
  std::int64_t next_look_ = 0;  ///< CLOCK_MONOTONIC
  bool virtual_time_ = false;
  Time releases_end_;      ///< of tasks with a period; from then on nothing is released
  std::vector<Job> jobs_;  ///< by task
  std::vector<std::vector<TaskIndex>> starts_;  ///< by task: whom the end of its jobs releases
  std::vector<Time> least_;                     ///< by task
  trace::ChainRecord chains_;
  std::vector<StepId> ready_;
  struct Flight {
    StepId step;
    std::uint32_t unit = 0;  ///< core or engine
    Phase phase = Phase::kNode;
  };
  std::unordered_map<OpId, Flight> in_flight_;
  OpId next_op_ = 0;
  std::optional<Time> wake_;
  std::optional<Error> error_;
};

}  // namespace tactus::runtime
