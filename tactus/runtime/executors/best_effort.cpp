#include "tactus/runtime/executors/best_effort.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/runtime/executors/loop.hpp"
#include "tactus/runtime/executors/replays.hpp"

namespace tactus::runtime {
namespace {

/// Below everything else on a core.
constexpr std::int64_t kLeastUrgent = INT64_MIN / 2;

}  // namespace

BestEffort::BestEffort(const System& system, const RunOptions& options)
    : system_(system),
      options_(options),
      pieces_(system.tasks.size()),
      graphs_(system.tasks.size()) {}

bool BestEffort::wants_sms() const {
  return std::any_of(system_.tasks.begin(), system_.tasks.end(), [&](const Task& task) {
    return task.best_effort &&
           std::any_of(task.nodes.begin(), task.nodes.end(), [&](const Node& node) {
             return system_.platform.elements[node.on].kind == ElementKind::kGpu;
           });
  });
}

std::int64_t BestEffort::sms_beside(std::span<const std::int64_t> plan,
                                    const Capabilities& machine) const {
  if (!wants_sms()) return 0;
  const std::int64_t step = std::max<std::int64_t>(machine.partition_step, 1);
  std::int64_t left = machine.divisible > 0 ? machine.divisible : machine.sms;
  for (const std::int64_t asked : plan) {
    left -= std::max((asked + step - 1) / step * step, machine.partition_least);
  }
  left = left / step * step;
  return left >= machine.partition_least ? std::max<std::int64_t>(left, 0) : 0;
}

std::optional<Error> BestEffort::prepare(const Left& left, Device& device,
                                         trace::Observed& observed) {
  left_ = left;
  filling_ = Filling(options_, device.capabilities());
  std::vector<std::string> running;
  for (TaskIndex index = 0; index < system_.tasks.size(); ++index) {
    const Task& task = system_.tasks[index];
    if (!task.best_effort || task.nodes.empty()) continue;
    if (const std::string why = why_not(task, device.capabilities()); !why.empty()) {
      observed.notes.push_back(
          fmt::format("best-effort task {} is not run: {}", quote(task.name), why));
      continue;
    }
    add(index, observed);
    for (NodeIndex node = 0; node < task.nodes.size(); ++node) {
      graphs_[index].push_back(device.runs_graph(index, node));
      if (!graphs_[index].back()) continue;
      Replay replay;
      replay.task = index;
      replay.node = node;
      replay.partition = left_.sms->id;
      if (auto problem = prepare_replay(device, system_, replay, observed)) return problem;
    }
    running.push_back(quote(task.name));
  }
  if (!running.empty()) {
    const bool shared = left_.sms && left_.sms->id == kWholeGpu;
    const std::string sms = left_.sms && !shared ? fmt::format(", {} SMs", left_.sms->got) : "";
    observed.notes.push_back(
        fmt::format("best-effort tasks run {}{}: {}",
                    shared ? "at the lowest priority" : "on what the plan leaves", sms,
                    fmt::join(running, ", ")));
  }
  return std::nullopt;
}

std::string BestEffort::why_not(const Task& task, const Capabilities& machine) const {
  for (const Node& node : task.nodes) {
    switch (system_.platform.elements[node.on].kind) {
      case ElementKind::kGpu:
        if (!left_.sms) return "the plan leaves no SMs";
        break;
      case ElementKind::kCpu:
        if (left_.first_core >= machine.cores) {
          return "the plan and the file leave no core for its CPU work";
        }
        break;
      case ElementKind::kCopy:
        if (left_.first_engine >= machine.copy_engines) {
          return "the plan and the file leave no engine for its copies";
        }
        break;
    }
  }
  // Without a period it runs again and again, and virtual time would stand still.
  const bool timeless = std::all_of(task.nodes.begin(), task.nodes.end(), [&](const Node& node) {
    const bool on_gpu = system_.platform.elements[node.on].kind == ElementKind::kGpu;
    return (on_gpu ? time_of(node) : node.wcet.value_or(Time())) == Time();
  });
  if (machine.virtual_time && timeless) return "the emulator takes its time from the file";
  return {};
}

/// The units that it can use of those that are left.
std::int64_t BestEffort::width_of(const Node& node) const {
  const std::int64_t got = left_.sms->got;
  if (const TimesEntry* entry = entry_for(node.times, got)) return entry->units;
  return std::clamp<std::int64_t>(node.parallelism.value_or(got), 1, got);
}

/// About how long it takes there. Nobody promises anything about it.
Time BestEffort::time_of(const Node& node) const {
  if (const TimesEntry* entry = entry_for(node.times, left_.sms->got)) return entry->wcet;
  if (!node.times.empty()) return node.times.front().wcet;
  if (node.load) return div_up(*node.load, width_of(node));
  return node.wcet.value_or(Time());
}

void BestEffort::add(TaskIndex index, trace::Observed& observed) {
  const Task& task = system_.tasks[index];
  for (NodeIndex node = 0; node < task.nodes.size(); ++node) {
    pieces_[index].push_back(static_cast<std::uint32_t>(observed.nodes.size()));
    trace::ObservedNode piece;
    piece.task = index;
    piece.node = node;
    piece.element = task.nodes[node].on;
    piece.label = task.nodes[node].name;
    observed.nodes.push_back(std::move(piece));
  }
}

void BestEffort::start(Loop& loop, StepId step) const {
  std::visit(
      [&](const auto& work) {
        using Work = std::decay_t<decltype(work)>;
        if constexpr (std::is_same_v<Work, CpuWork>) {
          loop.run(step, work);
        } else if constexpr (std::is_same_v<Work, Copy>) {
          loop.copy(step, work);
        } else {
          loop.launch(step, work);
        }
      },
      operation(step));
}

BestEffort::Operation BestEffort::operation(StepId step) const {
  const Node& node = system_.tasks[step.task].nodes[step.step];
  const Time wcet = node.wcet.value_or(Time());
  switch (system_.platform.elements[node.on].kind) {
    case ElementKind::kCpu:
      return CpuWork{step.task, step.step, left_.first_core, kLeastUrgent, filling_.alone(wcet),
                     node.bcet, wcet};
    case ElementKind::kCopy:
      return Copy{
          step.task, step.step, left_.first_engine, Direction::kToDevice, filling_.alone(wcet),
          node.bcet, wcet};
    case ElementKind::kGpu:
      break;
  }
  const Time longest = time_of(node);
  if (graphs_[step.task][step.step]) {
    Replay replay;
    replay.task = step.task;
    replay.node = step.step;
    replay.partition = left_.sms->id;
    replay.longest = longest;
    return replay;
  }
  Kernel kernel;
  kernel.task = step.task;
  kernel.node = step.step;
  kernel.partition = left_.sms->id;
  kernel.blocks = width_of(node);
  kernel.load = kernel.blocks * filling_.alone(longest);
  kernel.whole = kernel.load;
  kernel.longest = longest;
  return kernel;
}

}  // namespace tactus::runtime
