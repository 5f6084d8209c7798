#pragma once

#include <span>
#include <variant>
#include <vector>

#include "tactus/runtime/executors/executor.hpp"

namespace tactus::runtime {

/// Best-effort tasks beside a plan: they run on what the plan leaves, and on nothing else. That is one
/// partition of the SMs that no task owns, shared by all of them, and a core and a copy engine that no
/// task owns: one of the file, if the plan leaves one, else one that the file does not have. A task that needs something of which nothing is left is not
/// run, and the report says so.
class BestEffort {
 public:
  BestEffort(const System& system, const RunOptions& options);

  /// Whether any of them has work on a GPU.
  bool wants_sms() const;
  /// How many SMs to ask for beside those of the plan; 0 where none are wanted, or none are left.
  std::int64_t sms_beside(std::span<const std::int64_t> plan, const Capabilities& machine) const;

  /// What the plan leaves of the machine.
  struct Left {
    std::optional<Partition> sms;   ///< the whole GPU: shared, at the lowest priority
    std::int64_t first_core = 0;    ///< tasks have those before
    std::int64_t first_engine = 0;  ///< the same
  };
  /// Decides which tasks run, and adds their nodes to the report.
  std::optional<Error> prepare(const Left& left, Device& device, trace::Observed& observed);

  bool runs(TaskIndex task) const { return !pieces_[task].empty(); }
  const Graph& steps(TaskIndex task) const { return system_.tasks[task].graph; }
  std::span<const std::uint32_t> pieces(StepId step) const {
    return {&pieces_[step.task][step.step], 1};
  }
  std::int64_t callback_core() const { return left_.first_core; }
  using Operation = std::variant<Kernel, Replay, CpuWork, Copy>;
  /// What a node does. @pre its task runs
  Operation operation(StepId step) const;
  void start(Loop& loop, StepId step) const;

 private:
  std::string why_not(const Task& task, const Capabilities& machine) const;
  std::int64_t width_of(const Node& node) const;
  Time time_of(const Node& node) const;
  void add(TaskIndex index, trace::Observed& observed);

  const System& system_;
  const RunOptions& options_;
  Filling filling_;
  Left left_;
  std::vector<std::vector<std::uint32_t>> pieces_;  ///< by task and node; empty: it is not run
  std::vector<std::vector<bool>> graphs_;           ///< by task and node: runs a graph of the user
};

}  // namespace tactus::runtime
