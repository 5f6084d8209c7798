#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tactus/base/result.hpp"
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
  bool absent() const { return kind == Kind::kKernel ? kernel.absent() : upper == Time(); }
};

/// On how many SMs a kernel runs.
struct KernelUnits {
  NodeIndex node = 0;  ///< of its task
  std::int64_t units = 0;

  friend bool operator==(const KernelUnits&, const KernelUnits&) = default;
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
  /// The fewest SMs it can run on: 0 without (present) kernels, else what its widest kernel needs.
  std::int64_t min_sms = 0;

  bool has_kernels() const { return min_sms > 0; }
  /// The next larger count of SMs that can make a difference; nothing where none is larger.
  std::optional<std::int64_t> next_count(std::int64_t sms) const;
  /// The counts of SMs at which the least time of some kernel rises, ascending. Only measured
  /// kernels have any: a kernel whose least time is longer on more SMs.
  std::vector<std::int64_t> rises() const;
  /// What its SMs count as where malleable kernels interleave with themselves.
  std::int64_t virtual_sms(std::int64_t sms) const;
  /// On how many of its SMs each of its (present) kernels runs, in the order of the chain.
  std::vector<KernelUnits> kernel_units(std::int64_t sms) const;
};

/// Invariant: `tasks` holds the real-time tasks in decreasing priority, then the best-effort ones,
/// so that the tasks more urgent than tasks[k] are those before it and the rest can block it.
struct TaskSet {
  std::vector<ChainTask> tasks;
  std::size_t real_time = 0;  ///< how many of `tasks` are real-time
  std::size_t cores = 0;
  std::size_t buses = 0;
  std::int64_t sms = 0;            ///< GN
  std::vector<std::string> notes;  ///< derived because the file does not state it

  std::int64_t least_sms() const;  ///< sum of the minima
  /// Is there a real-time task with a kernel whose least time rises somewhere with its SMs?
  bool lower_bounds_rise() const;
};

/// Maps a system file to the model of docs/use/methods/rtgpu.md, or says why it does not fit.
Result<TaskSet, Refusal> make_task_set(const System& system);

/// How long less urgent and best-effort work can keep a bus from each real-time task: the longest
/// of their copies on it, as `[bus][rank]`.
std::vector<std::vector<Time>> copy_blocking(const TaskSet& set);

}  // namespace tactus::rtgpu
