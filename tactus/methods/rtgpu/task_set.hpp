#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "tactus/methods/rtgpu/kernel.hpp"
#include "tactus/methods/verdict.hpp"
#include "tactus/model/system.hpp"

namespace tactus::rtgpu {

/// Some nodes in a row of a chain.
struct ChainRange {
  std::uint32_t first = 0, count = 1;
};

/// One piece of a chain after normalisation. It stands for several
/// nodes where CPU nodes are merged; a launch stands for the node it launches.
struct Segment {
  enum class Kind { kCpu, kCopy, kKernel };

  Kind kind = Kind::kCpu;
  ChainRange nodes;
  Time upper, lower;    ///< of a CPU segment or a copy
  std::size_t bus = 0;  ///< of a copy: 0 .. buses-1
  Kernel kernel;

  /// A segment whose upper bound is 0 is never requested.
  bool absent() const { return kind == Kind::kKernel ? kernel.work == Time() : upper == Time(); }
};

struct ChainTask {
  TaskIndex index = 0;  ///< in the file
  std::string_view name;
  Time period, deadline;      ///< zero for best effort
  std::int64_t priority = 0;  ///< of the file, or deadline monotonic
  std::size_t core = 0;       ///< 0 .. cores-1
  bool best_effort = false;
  std::vector<NodeIndex> order;  ///< the nodes along the chain
  std::vector<Segment> chain;
  /// The fewest SMs it can run on: 0 without (present) kernels, else the widest rigid one.
  std::int64_t min_sms = 0;

  bool has_kernels() const { return min_sms > 0; }
};

/// Invariant: `tasks` holds the real-time tasks in decreasing priority, then the best-effort ones,
/// so that the tasks more urgent than tasks[k] are those before it and the rest can block it.
struct TaskSet {
  std::vector<ChainTask> tasks;
  std::size_t real_time = 0;  ///< how many of `tasks` are real-time
  std::size_t cores = 0;
  std::size_t buses = 0;
  std::int64_t sms = 0;            ///< GN
  std::vector<std::string> notes;  ///< what was derived where the file does not say it

  std::int64_t least_sms() const;  ///< sum of the minima
};

/// Maps a system file to the model of docs/use/methods/rtgpu.md, or says why it does not fit.
std::variant<TaskSet, Refusal> make_task_set(const System& system);

/// How long less urgent and best-effort work can keep a bus from each real-time task: the longest
/// of their copies on it, as `[bus][rank]`.
std::vector<std::vector<Time>> copy_blocking(const TaskSet& set);

}  // namespace tactus::rtgpu
