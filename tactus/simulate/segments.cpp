#include "tactus/simulate/segments.hpp"

#include <algorithm>
#include <map>

#include "tactus/methods/chain.hpp"

namespace tactus::simulate {

SegmentPolicy::SegmentPolicy(const System& system, Options options)
    : system_(system),
      options_(options),
      core_of_(system.tasks.size()),
      current_(system.tasks.size()),
      step_(system.tasks.size()) {
  const auto& elements = system.platform.elements;
  for (ElementIndex i = 0; i < elements.size(); ++i) {
    if (elements[i].kind == ElementKind::kCpu) cpu_ = i;
    if (elements[i].kind == ElementKind::kGpu) {
      gpu_ = i;
      // A context has the GPU to itself; the engine then sees to it that there is one owner.
      whole_gpu_ =
          static_cast<std::uint32_t>(elements[i].lanes > 1 ? elements[i].lanes : elements[i].units);
    }
  }
  std::map<std::uint32_t, std::vector<TaskIndex>> by_core;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const Task& source = system.tasks[task];
    by_core[static_cast<std::uint32_t>(*source.core - 1)].push_back(task);
    gpu_priority_.push_back(source.gpu_priority.value_or(source.priority.value_or(0)));
    chains_.push_back(std::get<std::vector<NodeIndex>>(chain_of(source, {})));
  }
  for (auto& [unit, tasks] : by_core) {
    for (TaskIndex task : tasks) core_of_[task] = cores_.size();
    cores_.push_back({unit, std::move(tasks)});
  }
}

void SegmentPolicy::expand(const View& view, TaskIndex task, Job& job) {
  const Task& source = system_.tasks[task];
  const std::vector<NodeIndex>& chain = chains_[task];
  std::optional<std::uint32_t> last;
  const auto append = [&](Work work, Step step) {
    work.tag = step;
    const std::uint32_t index = job.add(std::move(work));
    if (last) job.precede(*last, index);
    last = index;
  };
  const auto on_gpu = [&](std::size_t k) { return source.nodes[chain[k]].on != cpu_; };
  const auto bracket = [&](NodeIndex node, Step step) {
    if (!options_.brackets) return;
    Work work;
    work.node = node;
    work.element = cpu_;
    work.gated = true;
    append(std::move(work), step);
  };
  const auto piece = [&](NodeIndex node, Step step, ElementIndex element, Time least, Time most) {
    Work work;
    work.node = node;
    work.element = element;
    work.activity = step == kLaunch ? Activity::kLaunch : Activity::kRun;
    work.width = element == cpu_ ? 1 : whole_gpu_;
    // Launch code and the GPU work of one node are two pieces.
    const std::uint32_t number = 2 * node + (step == kLaunch ? 1 : 0);
    work.remaining = view.scenario().length(task, job.number, number, least, most);
    append(std::move(work), step);
  };
  for (std::size_t k = 0; k < chain.size();) {
    const Node& node = source.nodes[chain[k]];
    if (!on_gpu(k)) {
      piece(chain[k], kCpu, cpu_, node.bcet, *node.wcet);
      ++k;
      continue;
    }
    // A GPU segment: all its launch code first, then all its GPU work.
    const std::size_t first = k;
    bracket(chain[first], kBegin);
    for (; k < chain.size() && on_gpu(k); ++k) {
      piece(chain[k], kLaunch, cpu_, Time(), source.nodes[chain[k]].launch);
    }
    for (std::size_t g = first; g < k; ++g) {
      const Node& part = source.nodes[chain[g]];
      piece(chain[g], kExec, gpu_, part.bcet, *part.wcet);
    }
    bracket(chain[k - 1], kEnd);
  }
}

SegmentPolicy::Rank SegmentPolicy::cpu_rank(TaskIndex task, bool boosted) const {
  const Task& source = system_.tasks[task];
  return {boosted, !source.best_effort, source.best_effort ? 0 : source.priority.value_or(0),
          -static_cast<std::int64_t>(task)};
}

SegmentPolicy::Rank SegmentPolicy::gpu_rank(TaskIndex task) const {
  const bool real_time = !system_.tasks[task].best_effort;
  return {false, real_time, real_time ? gpu_priority_[task] : 0, -static_cast<std::int64_t>(task)};
}

void SegmentPolicy::look(const View& view) {
  std::fill(current_.begin(), current_.end(), std::nullopt);
  for (const WorkId id : view.ready()) {
    current_[id.task] = id;
    step_[id.task] = view.work(id).tag;
  }
}

void SegmentPolicy::put_on_core(const View& view, TaskIndex task, Choice& choice) const {
  if (at(task, kCpu) || at(task, kLaunch)) {
    choice.run(*current_[task], cores_[core_of_[task]].unit);
  } else if (view.job(task).live) {
    hold_core(task, Activity::kSpin, choice);
  }
}

void SegmentPolicy::hold_core(TaskIndex task, Activity activity, Choice& choice) const {
  choice.hold({task, cpu_, cores_[core_of_[task]].unit, activity});
}

}  // namespace tactus::simulate
