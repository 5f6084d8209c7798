#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "tactus/base/result.hpp"
#include "tactus/runtime/device.hpp"
#include "tactus/runtime/executors/arrivals.hpp"
#include "tactus/runtime/executors/overrun.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::runtime {

/// How the plan is followed, if there is a choice.
enum class Strategy {
  kPlanned,     ///< as the plan says
  kReclaim,     ///< a table: the next batch as soon as the one before has ended
  kConcurrent,  ///< a graph: without the order that the plan adds; its bound does not hold then
  kStreams,     ///< a graph: as planned, its order kept by streams and events
  kShared,      ///< shares: all tasks on the whole GPU; their bounds do not hold then
};

/// A job that runs just now.
struct LiveJob {
  TaskIndex task = 0;
  std::uint32_t job = 0;
  Time since;  ///< its arrival, or the end of the job before
};

struct RunOptions {
  std::uint32_t jobs = 100;      ///< release until the slowest task has had this many
  std::optional<Time> duration;  ///< or until this time
  trace::Scenario scenario;      ///< when jobs arrive
  Strategy strategy = Strategy::kPlanned;
  bool strict = false;  ///< accept no other widths than asked for
  /// Share of each bound that synthetic work fills, in percent: noise needs the rest.
  int fill = 95;
  /// Where a table leaves no SMs: best-effort tasks share its GPU at the lowest priority.
  bool best_effort_shares = false;
  std::stop_token stop;
  trace::TraceSink* sink = nullptr;

  /// Jobs longer than a bound of theirs: nothing: they are counted. The callback decides if given.
  std::optional<OnOverrun> on_overrun;
  OverrunCallback overrun_callback;
  /// Tasks that are released when an input is there, instead of by their period. Null: none.
  Arrivals* arrivals = nullptr;
  /// Told of each job that is not released, by the thread that runs the plan.
  std::function<void(TaskIndex, std::uint32_t job)> skipped;
  /// Release jobs until `stop`. Memory stays constant: of times, the last are kept.
  bool until_stopped = false;
  /// Called now and then (in real time, some ten times a second) with what was seen so far, by the
  /// thread that runs the plan: it must be short.
  std::function<void(const trace::Observed&, const std::vector<LiveJob>&)> look;
};

/// How much synthetic work represents a bound. A bound includes what it takes to start the work and
/// to notice its end, so the work itself is shorter.
class Filling {
 public:
  Filling() = default;
  Filling(const RunOptions& options, const Capabilities& machine)
      : percent_(options.fill), cost_(machine.operation_cost) {}

  /// Inside a graph, where only the machine comes between two kernels.
  Time of(Time bound) const { return mul_div_up(bound, percent_, 100); }
  /// As an operation of its own.
  Time alone(Time bound) const { return std::max(of(bound) - cost_, div_up(bound, 100)); }

 private:
  int percent_ = 100;
  Time cost_;
};

/// A step of the job that a task has live: what is submitted at once.
struct StepId {
  TaskIndex task = 0;
  std::uint32_t step = 0;

  friend bool operator==(StepId, StepId) = default;
};

class Loop;

/// What a family adds to the loop that all share (loop.hpp): how a job is cut into steps, and which
/// of those that are ready start now.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Before anything runs: makes partitions, prepares graphs, fills in the bounds of tasks, the
  /// nodes and the shares.
  virtual std::optional<Error> prepare(Device& device, trace::Observed& observed) = 0;
  /// Precedence between the steps of a job; a task without nodes is not run.
  virtual const Graph& steps(TaskIndex task) const = 0;
  /// The pieces (`Observed::nodes`) that a step consists of: as `Completion::kernels` lists them
  /// where it has kernels, else one. `kNoPiece` for a barrier.
  virtual std::span<const std::uint32_t> pieces(StepId step) const = 0;
  /// Something has happened: starts those of `Loop::ready` that may start.
  virtual void start_ready(Loop& loop) = 0;
  /// A whole step has ended.
  virtual void finished(StepId /*step*/, const Completion& /*last*/,
                        trace::Observed& /*observed*/) {}
  /// Where the callbacks of a step's node run.
  virtual std::int64_t callback_core(StepId /*step*/) const { return 0; }

  static constexpr std::uint32_t kNoPiece = static_cast<std::uint32_t>(-1);
};

using MadeExecutor = Result<std::unique_ptr<Executor>>;

}  // namespace tactus::runtime
