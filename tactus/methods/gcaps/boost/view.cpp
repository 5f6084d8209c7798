#include "tactus/methods/gcaps/boost/view.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tactus::gcaps::boost {

Costs costs_of(const Element& gpu) {
  const Time update = gpu.runlist_update.value_or(Time());
  const Time change = gpu.context_switch.value_or(Time());
  const Time within = std::min(change, update);
  Costs costs;
  costs.off = gpu.preempt_cost.value_or(update - within + gpu.preemption_delay.value_or(Time()));
  costs.on = gpu.resume_cost.value_or(update);
  costs.start = gpu.start_cost.value_or(gpu.preempt_cost ? change : within);
  return costs;
}

namespace {

void add_task(const System& system, std::size_t i, Thresholds whose, View& view,
              Obstacles& obstacles) {
  const GpuTask& task = view.task(i);
  auto thresholds = thresholds_of(system, task);
  if (whose == Thresholds::kChosenNow) thresholds.assign(thresholds.size(), std::nullopt);
  for (std::size_t k = 0; k < task.segments.size(); ++k) {
    const Segment& segment = task.segments[k];
    view.phases.push_back(segment.cpu_before + segment.launch);
    const Time length = view.costs.start + segment.exec;
    const Time demand = std::max(length, Time::from_ns(1));
    view.sections.push_back({i, segment.exec, length, demand, thresholds[k]});
    if (!thresholds[k]) continue;
    view.thresholds_given = true;
    // The reader refuses this where the file gives priorities. Here they are derived.
    if (*thresholds[k] < task.gpu_priority) {
      obstacles.refuse(system.tasks[task.index],
                       fmt::format("has a gpu_threshold ({}) below its GPU priority, which is {}",
                                   *thresholds[k], task.gpu_priority));
    }
  }
  view.phases.push_back(task.cpu_after);
  view.first.push_back(view.sections.size());
  if (task.uses_gpu()) view.gpu_tasks.push_back(i);
}

}  // namespace

View make_view(const System& system, const FamilyView& family, Obstacles& obstacles,
               Thresholds whose) {
  View view;
  view.set = &family.set;
  std::optional<std::int64_t> arbiter_core;
  if (family.gpu != nullptr) {
    view.costs = costs_of(*family.gpu);
    arbiter_core = family.gpu->arbiter_core;
  }
  const TaskSet& set = family.set;
  view.first.push_back(0);
  for (std::size_t i = 0; i < set.real_time; ++i) {
    add_task(system, i, whose, view, obstacles);
    view.on_arbiter_core.push_back(arbiter_core &&
                                   system.tasks[set.tasks[i].index].core == arbiter_core);
  }
  view.best_effort_gpu = std::any_of(set.tasks.begin(), set.tasks.end(), [](const GpuTask& task) {
    return task.best_effort && task.uses_gpu();
  });
  return view;
}

}  // namespace tactus::gcaps::boost
