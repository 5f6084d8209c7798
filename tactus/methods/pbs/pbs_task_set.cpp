#include "tactus/methods/pbs/pbs_task_set.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/chain.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/obstacles.hpp"
#include "tactus/methods/pbs/kernel_time.hpp"
#include "tactus/methods/ways_out.hpp"

namespace tactus::pbs {
namespace {

void refuse(const Task& task, std::string_view problem, Obstacles& obstacles) {
  obstacles.refuse(fmt::format("task {}: {}", quote(task.name), problem), task.at);
}

std::optional<ElementIndex> find_gpu(const System& system, Obstacles& obstacles) {
  const auto& elements = system.platform.elements;
  std::optional<ElementIndex> found;
  for (ElementIndex i = 0; i < elements.size(); ++i) {
    if (elements[i].kind != ElementKind::kGpu) continue;
    if (found) {
      obstacles.refuse(
          elements[i],
          fmt::format("is a second gpu element; pbs needs exactly one: {}", kFileForEachGpu));
    }
    found = found.value_or(i);
  }
  if (!found) obstacles.refuse("the platform has no gpu element; pbs needs exactly one");
  return found;
}

/// The task as one kernel: its nodes are a chain on the gpu, and together take some time.
std::optional<KernelTime> find_kernel(const System& system, const Task& task, ElementIndex gpu,
                                      Obstacles& obstacles) {
  auto chain = chain_of(task, "pbs takes one kernel, or a chain of kernels");
  if (!chain) obstacles.add(chain.error());
  bool all_on_gpu = true, all_have_times = true;
  for (const Node& node : task.nodes) {
    if (node.on != gpu) {
      all_on_gpu = false;
      obstacles.refuse(task, node,
                       "is not on the gpu; pbs takes one kernel, or a chain of kernels");
      continue;
    }
    if (node.launch > Time()) {
      obstacles.refuse(task, node,
                       "has a launch time; fold it into wcet and completions, which are measured "
                       "from submission to synchronise");
    }
    if (whole_gpu_time(system, task, node)) continue;
    all_have_times = false;
    obstacles.lacks(task, node, {"wcet", "load", "times"},
                    "has no time; pbs needs `wcet`, `load` or `times`");
  }
  if (!all_on_gpu || !all_have_times) return std::nullopt;
  auto time = kernel_time(system, task);
  if (time->wcet > Time()) return time;
  refuse(task, "its wcet is 0; pbs needs wcet > 0", obstacles);
  return std::nullopt;
}

/// Constrained deadline inside the period even with the offset: then all deadlines of [0, H) are
/// within H, and at most one job of a task is ready on time.
void check_timing(const Task& task, Obstacles& obstacles) {
  if (!task.period) {
    obstacles.lacks(task, {"period"}, "has no period; pbs needs periodic tasks");
  } else if (*task.deadline > *task.period) {
    refuse(task,
           fmt::format("deadline exceeds period; pbs needs constrained deadlines: {}",
                       kCutAtThePeriod),
           obstacles);
  } else if (task.offset + *task.deadline > *task.period) {
    refuse(task, "offset + deadline exceeds period; pbs needs every deadline within it", obstacles);
  }
}

/// The largest power of ten of nanoseconds, at most `tick`, that divides `time`. @pre `tick` is
/// one.
Time finer(Time tick, Time time) {
  std::int64_t ns = tick.ns();
  while (time.ns() % ns != 0) ns /= 10;
  return Time::from_ns(ns);
}

/// The largest power of ten of nanoseconds, at most one `unit`, that divides every one of `times`.
Time tick_of(TimeUnit unit, const std::vector<Time>& times) {
  return std::accumulate(times.begin(), times.end(), Time::from_ns(nanoseconds_in(unit)), finer);
}

/// The model if `interference.model` is missing.
InterferenceModel model_of(const System& system, const TaskSet& set) {
  if (system.interference && system.interference->model) return *system.interference->model;
  if (!system.batches.empty()) return InterferenceModel::kTable;
  const bool any_factor =
      std::any_of(set.kernels.begin(), set.kernels.end(), [&](const Kernel& kernel) {
        const auto& nodes = system.tasks[kernel.index].nodes;
        return std::any_of(nodes.begin(), nodes.end(),
                           [](const Node& node) { return node.slowdown.has_value(); });
      });
  const bool common_factor = system.interference && system.interference->factor;
  return any_factor || common_factor ? InterferenceModel::kSlowdown : InterferenceModel::kNone;
}

/// The slowdown formula, rounded up to multiples of `step` ticks; node by node in a chain.
void add_levels(const System& system, TaskSet& set, Ticks step, Obstacles& obstacles) {
  if (set.model != InterferenceModel::kSlowdown) return;
  for (Kernel& kernel : set.kernels) {
    const Task& task = system.tasks[kernel.index];
    for (const Node& node : task.nodes) {
      std::optional<Factor> factor = node.slowdown;
      if (!factor && system.interference) factor = system.interference->factor;
      if (!factor) {
        obstacles.lacks(
            task, node, {"slowdown"},
            "has no slowdown, and interference no factor; the slowdown model needs one");
        continue;
      }
      const Time alone = whole_gpu_time(system, task, node)->wcet;
      const Time in_steps = Time::from_ns(alone.ns() / set.tick.ns() / step);
      kernel.level = checked::add(
          kernel.level,
          checked::mul(mul_div_up(in_steps, factor->billionths, Factor{}.billionths).ns(), step));
    }
  }
}

/// A completion is not below the time of a member alone, and for a batch of one it is that time.
/// The reader has compared them where the file states the time itself.
void check_completion(const TaskSet& set, std::size_t place, const Batch& batch,
                      const ListedBatch& listed, Obstacles& obstacles) {
  if (!listed.completion) return;
  for (const std::uint32_t k : listed.kernels) {
    const Kernel& kernel = set.kernels[k];
    const bool alone = listed.kernels.size() == 1;
    if (alone ? *listed.completion == kernel.wcet : *listed.completion >= kernel.wcet) continue;
    obstacles.refuse(fmt::format("batches[{}]: completion is {} the time of task {} alone", place,
                                 alone ? "not" : "below", quote(kernel.name)),
                     batch.at);
  }
}

void add_listed(const System& system, TaskSet& set, Obstacles& obstacles) {
  constexpr std::uint32_t kLeftOut = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> kernel_of(system.tasks.size(), kLeftOut);
  for (std::uint32_t i = 0; i < set.size(); ++i) kernel_of[set.kernels[i].index] = i;
  for (std::size_t b = 0; b < system.batches.size(); ++b) {
    const Batch& batch = system.batches[b];
    ListedBatch listed;
    listed.ordered = batch.ordered;
    if (batch.completion) listed.completion = batch.completion->ns() / set.tick.ns();
    for (TaskIndex task : batch.tasks) {
      if (kernel_of[task] == kLeftOut) {
        obstacles.refuse(fmt::format("batches[{}]: task {} is best-effort; pbs never submits it", b,
                                     quote(system.tasks[task].name)),
                         batch.at);
        continue;
      }
      listed.kernels.push_back(kernel_of[task]);
    }
    check_completion(set, b, batch, listed, obstacles);
    // A batch of one says again what the time of the task says.
    if (listed.kernels.size() > 1) set.listed.push_back(std::move(listed));
  }
}

/// Whether the tasks have block data: all or none, both numbers, and one kernel each.
bool have_blocks(const System& system, const TaskSet& set, Obstacles& obstacles) {
  bool any = false;
  std::vector<const Task*> without;
  for (const Kernel& kernel : set.kernels) {
    const Task& task = system.tasks[kernel.index];
    bool some = false;
    for (const Node& node : task.nodes) {
      some = some || node.blocks;
      if (node.blocks.has_value() == node.threads.has_value()) continue;
      some = true;
      obstacles.lacks(task, node, {node.blocks ? "threads" : "blocks"},
                      "has only one of blocks and threads; pbs needs both or none");
    }
    if (some && task.nodes.size() > 1) {
      obstacles.refuse(task, "has blocks, but several kernels; pbs places the blocks of one");
    }
    any = any || some;
    if (!some) without.push_back(&task);
  }
  if (!any) return false;
  for (const Task* task : without) {
    obstacles.lacks(*task, task->nodes.front(), {"blocks"},
                    "has no blocks and threads, but other tasks have; pbs needs all or none");
  }
  return true;
}

/// Every limit of an SM has a value, and one block of every kernel fits.
void add_blocks(const System& system, const Element& gpu, TaskSet& set, Obstacles& obstacles) {
  set.units = gpu.units;
  set.has_blocks = have_blocks(system, set, obstacles);
  if (!set.has_blocks) return;
  const SmLimits limits = gpu.sm.value_or(SmLimits{});
  // `lanes` stands in for a missing thread limit; 1, its default, says nothing about an SM.
  const std::int64_t threads = limits.threads.value_or(gpu.lanes > 1 ? gpu.lanes : 0);
  if (threads == 0) {
    obstacles.lacks(gpu, {"sm"}, "has no sm.threads or lanes, but the tasks have blocks");
  }
  if (obstacles.any()) return;
  set.sm = {threads, limits.blocks.value_or(INT64_MAX), limits.registers.value_or(INT64_MAX),
            limits.shared_memory.value_or(INT64_MAX)};
  for (Kernel& kernel : set.kernels) {
    const Node& node = system.tasks[kernel.index].nodes.front();
    kernel.blocks = *node.blocks;
    kernel.need = {*node.threads, 1, checked::mul(node.registers.value_or(0), *node.threads),
                   node.shared_memory.value_or(0)};
    for (std::size_t r = 0; r < kernel.need.size(); ++r) {
      if (kernel.need[r] <= set.sm[r]) continue;
      obstacles.refuse(system.tasks[kernel.index], node, "has a block that is larger than an SM");
      break;
    }
  }
}

/// The hyperperiod and the number of its jobs, in 128 bits: a lcm of 64-bit periods is abandoned
/// long before it could overflow.
void add_hyperperiod(TaskSet& set, Obstacles& obstacles) {
  using Wide = __int128;
  constexpr Wide kTooLong = Wide{1} << 100;
  Wide lcm = 1;
  for (const Kernel& kernel : set.kernels) {
    const Wide period = kernel.period;
    const Wide common = std::gcd(static_cast<std::int64_t>(lcm % period), kernel.period);
    lcm = lcm / common * period;
    if (lcm > kTooLong) break;
  }
  Wide jobs = 0;
  for (const Kernel& kernel : set.kernels) jobs += lcm / kernel.period;
  if (jobs > kMaxJobs) {
    const bool exact = lcm <= kTooLong && jobs <= INT64_MAX;
    return obstacles.refuse(
        fmt::format("a hyperperiod has {} {} jobs, and pbs unrolls at most {}; harmonise the "
                    "periods",
                    exact ? "exactly" : "more than",
                    exact ? static_cast<std::int64_t>(jobs) : INT64_MAX, kMaxJobs));
  }
  constexpr Wide kRoom = 16;  // sums of a few instants must fit as well
  if (lcm > INT64_MAX / kRoom) checked::throw_overflow();
  set.hyperperiod = static_cast<Ticks>(lcm);
  set.jobs = static_cast<std::int64_t>(jobs);
}

void add_warnings(const System& system, TaskSet& set) {
  for (const Task& task : system.tasks) {
    if (!task.best_effort) continue;
    set.warnings.push_back(fmt::format(
        "best-effort task {} is left out: the player never submits it", quote(task.name)));
  }
  if (set.model == InterferenceModel::kNone && set.size() > 1) {
    set.warnings.emplace_back("no parallel batch was available (interference model none)");
  }
}

}  // namespace

Result<TaskSet, Refusal> make_task_set(const System& system, Time margin) {
  Obstacles obstacles;
  const auto gpu = find_gpu(system, obstacles);
  TaskSet set;
  std::vector<Time> times;  // that the tick divides
  std::vector<Time> wcets;  // by kernel
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.best_effort) continue;
    check_timing(task, obstacles);
    auto time = gpu ? find_kernel(system, task, *gpu, obstacles) : std::nullopt;
    Kernel kernel;
    kernel.index = i;
    kernel.name = task.name;
    set.kernels.push_back(kernel);
    if (!time || !task.period) continue;
    std::move(time->notes.begin(), time->notes.end(), std::back_inserter(set.notes));
    wcets.push_back(time->wcet);
    times.insert(times.end(), {*task.period, *task.deadline, task.offset});
    for (const Node& node : task.nodes) times.push_back(whole_gpu_time(system, task, node)->wcet);
  }
  if (set.kernels.empty()) obstacles.refuse("there is no real-time task to analyse");
  if (obstacles.any()) return std::move(obstacles).refusal();
  for (const Batch& batch : system.batches) times.push_back(batch.completion.value_or(Time()));
  // The slowdown formula rounds to the ticks of the file: a finer margin, added after it, must not
  // make it round less, or a batch would end earlier with the margin than without.
  const Time file_tick = tick_of(system.time_unit, times);
  set.tick = finer(file_tick, margin);
  const auto ticks = [&](Time time) { return time.ns() / set.tick.ns(); };
  for (std::size_t i = 0; i < set.size(); ++i) {
    Kernel& kernel = set.kernels[i];
    const Task& task = system.tasks[kernel.index];
    kernel.period = ticks(*task.period);
    kernel.deadline = ticks(*task.deadline);
    kernel.offset = ticks(task.offset);
    kernel.wcet = ticks(wcets[i]);
  }
  set.model = model_of(system, set);
  add_levels(system, set, ticks(file_tick), obstacles);
  add_listed(system, set, obstacles);
  add_blocks(system, system.platform.elements[*gpu], set, obstacles);
  add_hyperperiod(set, obstacles);
  if (obstacles.any()) return std::move(obstacles).refusal();
  for (Kernel& kernel : set.kernels) {
    kernel.wcet = checked::add(kernel.wcet, ticks(margin));
    kernel.level = checked::add(kernel.level, ticks(margin));
  }
  for (ListedBatch& listed : set.listed) {
    if (listed.completion) *listed.completion = checked::add(*listed.completion, ticks(margin));
  }
  add_warnings(system, set);
  return set;
}

}  // namespace tactus::pbs
