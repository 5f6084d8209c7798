#include "tactus/decide/run_start.hpp"

#include <algorithm>

#include "tactus/arbiter/tasks/pieces.hpp"

namespace tactus::decide {
namespace {

using arbiter::tasks::Backend;

/// From the order to leave until the work is off; nothing where it is taken off.
std::optional<Time> leaves_in(const System& system, const Task& task,
                              const arbiter::tasks::TaskRunOptions& options) {
  if (options.backend != Backend::kCuda) return arbiter::tasks::kCpuSlice;
  if (options.tier == Tier::kYield) return arbiter::tasks::kGpuItem;
  // One launch per segment.
  const auto pieces = arbiter::tasks::pieces_of(system, task, options.fill);
  if (!pieces) return std::nullopt;
  std::int64_t longest = 0;
  for (const arbiter::tasks::Piece& piece : *pieces) longest = std::max(longest, piece.gpu_ns);
  return Time::from_ns(longest);
}

}  // namespace

Start start_of_run(const System& system, const arbiter::tasks::TaskRunOptions& options,
                   const arbiter::tasks::Placement& placement) {
  Start start;
  start.own_programs = true;
  start.real_gpu = options.backend == Backend::kCuda;
  for (const Task& task : system.tasks) {
    TaskStart one;
    one.tier = options.tier;
    one.leaves_in = leaves_in(system, task, options);
    one.takes_copies_off = true;
    one.marks_segments = true;
    one.best_effort = task.best_effort;
    if (!task.best_effort) one.priority = task.gpu_priority;
    one.cpus = placement.pinned && task.core
                   ? std::set<int>{placement.cpus[static_cast<std::size_t>(*task.core)]}
                   : std::set<int>(placement.cpus.begin(), placement.cpus.end());
    one.fifo = placement.real_time && !task.best_effort
                   ? arbiter::tasks::cpu_priority_of(system, task)
                   : 0;
    start.tasks.push_back(std::move(one));
  }
  if (arbitrated(options.mode)) {
    ArbiterStart arbiter{options.mode == arbiter::tasks::Mode::kBoost, std::nullopt, 0};
    if (placement.pinned) arbiter.cpu = placement.cpus.front();
    if (placement.pinned && placement.real_time) arbiter.fifo = arbiter::tasks::kArbiterPriority;
    start.arbiter = arbiter;
  }
  return start;
}

bool keeps_from_running(const Start& start, const Condition& condition) {
  if (condition.holds != Holds::kNo) return false;
  if (condition.id == "thresholds") return true;
  return start.real_gpu &&
         (condition.id == "leaves" || condition.id == "best-effort" || condition.id == "copies");
}

}  // namespace tactus::decide
