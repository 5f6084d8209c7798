#pragma once

#include <string_view>

#include "tactus/model/system.hpp"

/// The common workload, rewritten for families that cannot take it as it is. Every form is
/// conservative: whoever keeps the deadlines of the form keeps those of the drawn system, if it is
/// run in the way that the form describes. docs/use/reproduction.md has the arguments.
namespace tactus::common {

inline constexpr std::string_view kFormNames[] = {"as-is", "one-core", "own-copies", "held",
                                                  "one-graph"};
enum class Form { kAsIs, kOneCore, kOwnCopies, kHeld, kOneGraph };

/// The elements of a drawn system.
inline constexpr ElementIndex kCpu = 0, kCopy = 1, kGpu = 2;

/// Rewrites a drawn system, which is `as-is`. Its tasks are chains, each with a core; its kernels
/// have `times` on every number of SMs, and the shortest period divides all others.
///
/// - `one-core`: all tasks are on core 1; the other cores stay idle.
/// - `own-copies`: a copy becomes work on the core of its task, which waits meanwhile. It takes its
///   own time and the longest copy of every other task: the engine serves copies as they come, and
///   a task has one at a time.
/// - `held`: a job is one kernel that has the GPU from its release to its end, its CPU work and
///   copies included. Up to four jobs may share the GPU in a batch, each on an equal part of the SMs;
///   the batch lasts until the last of them has ended, if every copy of the others and all CPU work
///   of the others on its core delays it. Jobs come strictly periodically.
/// - `one-graph`: one job of every task is one graph that starts once per shortest period; jobs
///   come strictly periodically. A piece of CPU work or a copy is a kernel that needs all SMs. It
///   takes its own time and, as engine and cores serve what comes in order, the longest piece there
///   of every other task. A kernel has the load that covers its time on every number of SMs.
System rewritten(System drawn, Form form);

}  // namespace tactus::common
