#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "tactus/model/result.hpp"
#include "tactus/runtime/device.hpp"
#include "tactus/runtime/report.hpp"
#include "tactus/simulate/scenario.hpp"

namespace tactus::runtime {

/// How the plan is followed, where there is a choice.
enum class Strategy {
  kPlanned,     ///< as the plan says
  kReclaim,     ///< a table: the next batch as soon as the one before has ended
  kConcurrent,  ///< a graph: without the order that the plan adds; its bound does not hold then
};

struct RunOptions {
  std::uint32_t jobs = 100;      ///< of every task
  std::optional<Time> duration;  ///< or release jobs until this time
  simulate::Scenario scenario;   ///< when jobs arrive
  Strategy strategy = Strategy::kPlanned;
  bool strict = false;  ///< refuse a machine that gives other widths than asked
  /// Share of each bound that synthetic work fills, in percent: launching and noise need the rest.
  int fill = 95;
  std::stop_token stop;
  TraceSink* sink = nullptr;

  /// Work that should take at most `bound`.
  Time filled(Time bound) const { return Time::from_ns(mul_div_up(bound, fill, 100).ns()); }
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
  /// Before anything runs: carves partitions, prepares graphs, fills in what the report says of
  /// tasks, pieces and shares.
  virtual std::optional<Error> prepare(Device& device, RunReport& report) = 0;
  /// Precedence between the steps of a job; without nodes the task takes no part.
  virtual const Graph& steps(TaskIndex task) const = 0;
  /// The pieces (of the report) that a step consists of: as `Completion::kernels` lists them where
  /// it has kernels, else one. `kNoPiece` for a barrier.
  virtual std::span<const std::uint32_t> pieces(StepId step) const = 0;
  /// Something has happened: starts what may start of `Loop::ready`.
  virtual void start_ready(Loop& loop) = 0;
  /// All of a step is over.
  virtual void finished(StepId /*step*/, const Completion& /*last*/, RunReport& /*report*/) {}

  static constexpr std::uint32_t kNoPiece = static_cast<std::uint32_t>(-1);
};

}  // namespace tactus::runtime
