#include "tactus/methods/pbs/task_set.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tactus/model/diagnostic.hpp"

namespace tactus::pbs {
namespace {

using Problem = std::optional<Refusal>;

Refusal refuse(const Task& task, std::string_view problem) {
  return {fmt::format("task {}: {}", quote(task.name), problem), task.at};
}
Refusal refuse(const Task& task, const Node& node, std::string_view problem) {
  return {fmt::format("task {}: {}", quote(task.name), problem), node.at};
}

Problem find_gpu(const System& system, ElementIndex& gpu) {
  const auto& elements = system.platform.elements;
  std::optional<ElementIndex> found;
  for (ElementIndex i = 0; i < elements.size(); ++i) {
    if (elements[i].kind != ElementKind::kGpu) continue;
    if (found) {
      return Refusal{fmt::format("element {} is a second gpu element; pbs needs exactly one",
                                 quote(elements[i].name)),
                     elements[i].at};
    }
    found = i;
  }
  if (!found) return Refusal{"the platform has no gpu element; pbs needs exactly one", {}};
  gpu = *found;
  return std::nullopt;
}

/// One kernel on the gpu, constrained deadline inside the period even with the offset: then all
/// deadlines of [0, H) are within H, and at most one job of a task is ready on time.
Problem check_task(const Task& task, ElementIndex gpu) {
  if (!task.period) return refuse(task, "has no period; pbs needs periodic tasks");
  if (task.nodes.size() != 1) {
    return refuse(task, fmt::format("has {} nodes; pbs takes tasks of one kernel, one node",
                                    task.nodes.size()));
  }
  const Node& node = task.nodes.front();
  if (node.on != gpu) return refuse(task, node, "its node is not on the gpu");
  if (!node.wcet) return refuse(task, node, "its node has no wcet");
  if (*node.wcet == Time()) return refuse(task, node, "its wcet is 0; pbs needs wcet > 0");
  if (node.launch > Time()) {
    return refuse(task, node,
                  "its node has a launch time; fold it into wcet and completions, which are "
                  "measured from submission to synchronise");
  }
  if (*task.deadline > *task.period) {
    return refuse(task, "deadline exceeds period; pbs needs constrained deadlines");
  }
  if (task.offset + *task.deadline > *task.period) {
    return refuse(task, "offset + deadline exceeds period; pbs needs every deadline within it");
  }
  return std::nullopt;
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

/// What the absence of `interference.model` means.
InterferenceModel model_of(const System& system, const TaskSet& set) {
  if (system.interference && system.interference->model) return *system.interference->model;
  if (!system.batches.empty()) return InterferenceModel::kTable;
  const bool any_factor =
      std::any_of(set.kernels.begin(), set.kernels.end(), [&](const Kernel& kernel) {
        return system.tasks[kernel.index].nodes.front().slowdown.has_value();
      });
  const bool common_factor = system.interference && system.interference->factor;
  return any_factor || common_factor ? InterferenceModel::kSlowdown : InterferenceModel::kNone;
}

/// The slowdown formula, rounded up to multiples of `step` ticks.
Problem add_levels(const System& system, TaskSet& set, Ticks step) {
  if (set.model != InterferenceModel::kSlowdown) return std::nullopt;
  for (Kernel& kernel : set.kernels) {
    const Task& task = system.tasks[kernel.index];
    std::optional<Factor> factor = task.nodes.front().slowdown;
    if (!factor && system.interference) factor = system.interference->factor;
    if (!factor) {
      return refuse(task, task.nodes.front(),
                    "has no slowdown, and interference no factor; the slowdown model needs one");
    }
    const Time wcet = Time::from_ns(kernel.wcet / step);
    kernel.level =
        checked::mul(mul_div_up(wcet, factor->billionths, Factor{}.billionths).ns(), step);
  }
  return std::nullopt;
}

Problem add_listed(const System& system, TaskSet& set) {
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
        return Refusal{fmt::format("batches[{}]: task {} is best-effort; pbs never submits it", b,
                                   quote(system.tasks[task].name)),
                       batch.at};
      }
      listed.kernels.push_back(kernel_of[task]);
    }
    // A batch of one says again what wcet says; the reader has compared them.
    if (listed.kernels.size() > 1) set.listed.push_back(std::move(listed));
  }
  return std::nullopt;
}

/// Block data: all tasks or none, and then every limit of an SM has a value.
Problem add_blocks(const System& system, const Element& gpu, TaskSet& set) {
  set.units = gpu.units;
  std::size_t with = 0;
  const Task* without = nullptr;
  for (const Kernel& kernel : set.kernels) {
    const Node& node = system.tasks[kernel.index].nodes.front();
    if (node.blocks.has_value() != node.threads.has_value()) {
      return refuse(system.tasks[kernel.index], node,
                    "has only one of blocks and threads; pbs needs both or none");
    }
    if (node.blocks) {
      ++with;
    } else if (without == nullptr) {
      without = &system.tasks[kernel.index];
    }
  }
  if (with == 0) return std::nullopt;
  if (without != nullptr) {
    return refuse(*without, without->nodes.front(),
                  "has no blocks and threads, but other tasks have; pbs needs all or none");
  }
  const SmLimits limits = gpu.sm.value_or(SmLimits{});
  // `lanes` stands in for a missing thread limit; 1, its default, says nothing about an SM.
  const std::int64_t threads = limits.threads.value_or(gpu.lanes > 1 ? gpu.lanes : 0);
  if (threads == 0) {
    return Refusal{fmt::format("element {} has no sm.threads or lanes, but the tasks have blocks",
                               quote(gpu.name)),
                   gpu.at};
  }
  set.has_blocks = true;
  set.sm = {threads, limits.blocks.value_or(INT64_MAX), limits.registers.value_or(INT64_MAX),
            limits.shared_memory.value_or(INT64_MAX)};
  for (Kernel& kernel : set.kernels) {
    const Node& node = system.tasks[kernel.index].nodes.front();
    kernel.blocks = *node.blocks;
    kernel.need = {*node.threads, 1, checked::mul(node.registers.value_or(0), *node.threads),
                   node.shared_memory.value_or(0)};
    for (std::size_t r = 0; r < kernel.need.size(); ++r) {
      if (kernel.need[r] > set.sm[r]) {
        return refuse(system.tasks[kernel.index], node, "one block is larger than an SM");
      }
    }
  }
  return std::nullopt;
}

/// The hyperperiod and the number of its jobs, in 128 bits: a lcm of 64-bit periods is abandoned
/// long before it could overflow.
Problem add_hyperperiod(TaskSet& set) {
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
    return Refusal{
        fmt::format("a hyperperiod has {} {} jobs, and pbs unrolls at most {}; harmonise the "
                    "periods",
                    exact ? "exactly" : "more than",
                    exact ? static_cast<std::int64_t>(jobs) : INT64_MAX, kMaxJobs),
        {}};
  }
  constexpr Wide kRoom = 16;  // sums of a few instants must fit as well
  if (lcm > INT64_MAX / kRoom) checked::throw_overflow();
  set.hyperperiod = static_cast<Ticks>(lcm);
  set.jobs = static_cast<std::int64_t>(jobs);
  return std::nullopt;
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

std::variant<TaskSet, Refusal> make_task_set(const System& system, Time margin) {
  ElementIndex gpu = 0;
  if (auto problem = find_gpu(system, gpu)) return *problem;

  TaskSet set;
  std::vector<Time> times;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.best_effort) continue;
    if (auto problem = check_task(task, gpu)) return *problem;
    Kernel kernel;
    kernel.index = i;
    kernel.name = task.name;
    set.kernels.push_back(kernel);
    times.insert(times.end(),
                 {*task.period, *task.deadline, task.offset, *task.nodes.front().wcet});
  }
  if (set.kernels.empty()) return Refusal{"there is no real-time task to analyse", {}};
  for (const Batch& batch : system.batches) times.push_back(batch.completion.value_or(Time()));
  // The slowdown formula rounds to the ticks of the file: a finer margin, added after it, must not
  // make it round less, or a batch would end earlier with the margin than without.
  const Time file_tick = tick_of(system.time_unit, times);
  set.tick = finer(file_tick, margin);
  const auto ticks = [&](Time time) { return time.ns() / set.tick.ns(); };
  for (Kernel& kernel : set.kernels) {
    const Task& task = system.tasks[kernel.index];
    kernel.period = ticks(*task.period);
    kernel.deadline = ticks(*task.deadline);
    kernel.offset = ticks(task.offset);
    kernel.wcet = ticks(*task.nodes.front().wcet);
  }
  set.model = model_of(system, set);
  if (auto problem = add_levels(system, set, ticks(file_tick))) return *problem;
  if (auto problem = add_listed(system, set)) return *problem;
  if (auto problem = add_blocks(system, system.platform.elements[gpu], set)) return *problem;
  if (auto problem = add_hyperperiod(set)) return *problem;
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
