#include "tactus/simulate/segments.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "tactus/methods/chain.hpp"
#include "tactus/methods/gpu_time.hpp"
#include "tactus/methods/priorities.hpp"
#include "tactus/trace/ties.hpp"

namespace tactus::simulate {
namespace {

/// Places from the least urgent up: priorities are compared at every decision.
std::vector<std::size_t> ranks(const System& system, const std::vector<std::int64_t>& priorities) {
  std::vector<TaskIndex> order(system.tasks.size());
  std::iota(order.begin(), order.end(), TaskIndex{0});
  const auto urgency = [&](TaskIndex task) {
    const bool real_time = !system.tasks[task].best_effort;
    return std::tuple(real_time, real_time ? priorities[task] : 0, order.size() - task);
  };
  std::sort(order.begin(), order.end(),
            [&](TaskIndex a, TaskIndex b) { return urgency(a) < urgency(b); });
  std::vector<std::size_t> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  return places;
}

std::vector<TaskIndex> inverse(const std::vector<std::size_t>& ranks) {
  std::vector<TaskIndex> tasks(ranks.size());
  for (TaskIndex task = 0; task < ranks.size(); ++task) tasks[ranks[task]] = task;
  return tasks;
}

}  // namespace

SegmentPolicy::SegmentPolicy(const System& system, Options options)
    : system_(system),
      options_(options),
      core_of_(system.tasks.size()),
      place_of_(system.tasks.size()),
      current_(system.tasks.size()),
      step_(system.tasks.size()) {
  const auto& elements = system.platform.elements;
  for (ElementIndex i = 0; i < elements.size(); ++i) {
    if (elements[i].kind == ElementKind::kCpu) cpu_ = i;
    if (elements[i].kind == ElementKind::kGpu) {
      gpu_ = i;
      // A context has the whole GPU; so the engine checks that there is one owner.
      whole_gpu_ =
          static_cast<std::uint32_t>(elements[i].lanes > 1 ? elements[i].lanes : elements[i].units);
    }
  }
  std::map<std::uint32_t, std::vector<TaskIndex>> by_core;
  const std::vector<std::int64_t> priorities = std::get<Priorities>(priorities_of(system)).of;
  for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
    const Task& source = system.tasks[task];
    by_core[static_cast<std::uint32_t>(*source.core - 1)].push_back(task);
    gpu_priority_.push_back(source.gpu_priority.value_or(priorities[task]));
    chains_.push_back(std::get<std::vector<NodeIndex>>(chain_of(source, {})));
  }
  cpu_rank_ = ranks(system, priorities);
  by_cpu_rank_ = inverse(cpu_rank_);
  set_gpu_priorities({});
  for (auto& [unit, tasks] : by_core) {
    std::sort(tasks.begin(), tasks.end(),
              [&](TaskIndex a, TaskIndex b) { return cpu_rank_[a] < cpu_rank_[b]; });
    for (std::size_t place = 0; place < tasks.size(); ++place) {
      core_of_[tasks[place]] = cores_.size();
      place_of_[tasks[place]] = place;
    }
    RankSet ready(tasks.size());
    cores_.push_back({unit, std::move(tasks), std::move(ready)});
  }
}

void SegmentPolicy::expand(const View& view, TaskIndex task, Job& job) {
  const Task& source = system_.tasks[task];
  const std::vector<NodeIndex>& chain = chains_[task];
  std::optional<std::uint32_t> last;
  const auto append = [&](Work& work, Step step) {
    work.tag = step;
    const std::uint32_t index = job.add(work);
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
    append(work, step);
  };
  const auto piece = [&](NodeIndex node, Step step, ElementIndex element, Time least, Time most) {
    Work work;
    work.node = node;
    work.element = element;
    work.activity = step == kLaunch ? trace::Activity::kLaunch : trace::Activity::kRun;
    work.width = step == kExec ? whole_gpu_ : 1;
    if (step == kCopy) {
      work.preemptible = false;
      if (system_.platform.elements[element].sharing == CopySharing::kShared) work.width = 0;
    }
    // Launch code and the GPU work of one node are two pieces.
    trace::Piece what{.number = 2 * node, .node = node};
    if (step == kLaunch) what = {2 * node + 1, node, 0, trace::Piece::Part::kLaunch};
    work.remaining = view.scenario().length(task, job.number, what, least, most);
    append(work, step);
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
    if (!options_.begins_late) bracket(chain[first], kBegin);
    for (; k < chain.size() && on_gpu(k); ++k) {
      piece(chain[k], kLaunch, cpu_, Time(), source.nodes[chain[k]].launch);
    }
    if (options_.begins_late) bracket(chain[first], kBegin);
    for (std::size_t g = first; g < k; ++g) {
      const Node& part = source.nodes[chain[g]];
      if (part.on == gpu_) {
        const WholeGpuTime time = *whole_gpu_time(system_, source, part);
        piece(chain[g], kExec, gpu_, time.bcet, time.wcet);
      } else {
        piece(chain[g], kCopy, part.on, part.bcet, *part.wcet);
      }
    }
    bracket(chain[k - 1], kEnd);
  }
}

void SegmentPolicy::set_gpu_priorities(
    const std::vector<std::pair<TaskIndex, std::int64_t>>& priorities) {
  for (const auto& [task, priority] : priorities) gpu_priority_[task] = priority;
  gpu_rank_ = ranks(system_, gpu_priority_);
  by_gpu_rank_ = inverse(gpu_rank_);
}

void SegmentPolicy::became_ready(const View& view, WorkId id) {
  current_[id.task] = id;
  step_[id.task] = view.work(id).tag;
  if (at(id.task, kCopy)) copies_.push_back({id, view.now()});
  changed(id.task);
}

void SegmentPolicy::finished(const View& /*view*/, WorkId id) {
  if (current_[id.task] != id) return;  // it took no time, and was never ready
  std::erase_if(copies_, [&](const CopyAtHand& copy) { return copy.id == id; });
  current_[id.task].reset();
  changed(id.task);
}

void SegmentPolicy::changed(TaskIndex task) {
  cores_[core_of_[task]].ready.put(place_of_[task], ready(task));
}

void SegmentPolicy::put_on_core(const View& view, TaskIndex task, Choice& choice) const {
  if (at(task, kCpu) || at(task, kLaunch)) {
    choice.run(*current_[task], cores_[core_of_[task]].unit);
  } else if (view.job(task).live) {
    hold_core(task, trace::Activity::kSpin, choice);
  }
}

void SegmentPolicy::choose_copies(const View& view, Choice& choice) const {
  if (copies_.empty()) return;
  const auto& elements = system_.platform.elements;
  for (ElementIndex element = 0; element < elements.size(); ++element) {
    if (elements[element].kind == ElementKind::kCopy) add_copies_of(view, element, choice);
  }
}

void SegmentPolicy::add_copies_of(const View& view, ElementIndex element, Choice& choice) const {
  const Element& engine = system_.platform.elements[element];
  std::vector<CopyAtHand> waiting;
  std::vector<bool> busy(static_cast<std::size_t>(engine.units));
  for (const CopyAtHand& copy : copies_) {
    const Work& work = view.work(copy.id);
    if (work.element != element) continue;
    if (engine.sharing == CopySharing::kShared) {
      choice.run(copy.id, 0);
    } else if (work.started) {
      busy[work.unit] = true;
      choice.run(copy.id, work.unit);
    } else {
      waiting.push_back(copy);
    }
  }
  if (trace::ties_at(view.scenario(), view.now()).backwards) {
    std::reverse(waiting.begin(), waiting.end());
    std::stable_sort(waiting.begin(), waiting.end(),
                     [](const CopyAtHand& a, const CopyAtHand& b) { return a.since < b.since; });
  }
  auto next = waiting.begin();
  for (std::size_t unit = 0; unit < busy.size() && next != waiting.end(); ++unit) {
    if (!busy[unit]) choice.run((next++)->id, static_cast<std::uint32_t>(unit));
  }
}

void SegmentPolicy::hold_core(TaskIndex task, trace::Activity activity, Choice& choice) const {
  choice.hold({task, cpu_, cores_[core_of_[task]].unit, activity});
}

std::optional<std::size_t> SegmentPolicy::core_in_use(std::int64_t core) const {
  for (std::size_t k = 0; k < cores_.size(); ++k) {
    if (std::int64_t{cores_[k].unit} + 1 == core) return k;
  }
  return std::nullopt;
}

std::string_view SegmentPolicy::audit(const View& view, const Choice& choice) const {
  std::vector<std::optional<TaskIndex>> occupant(cores_.size());
  std::vector<bool> updates(cores_.size());
  int owners = 0;
  for (const Choice::Run& run : choice.runs) {
    if (view.work(run.id).element == cpu_) {
      occupant[core_of_[run.id.task]] = run.id.task;
    } else if (view.work(run.id).element == gpu_) {
      ++owners;
    }
  }
  for (const Choice::Hold& hold : choice.holds) {
    if (hold.element != cpu_) continue;
    const std::size_t core = *core_in_use(std::int64_t{hold.unit} + 1);
    occupant[core] = hold.task;
    updates[core] = hold.activity == trace::Activity::kUpdate;
  }
  if (owners > 1) return "the GPU has two owners";
  for (const WorkId id : view.ready()) {
    const Work& work = view.work(id);
    if (work.gated || work.element != cpu_) continue;
    const std::size_t core = core_of_[id.task];
    if (!occupant[core]) return "a core idles while a task is ready";
    if (updates[core]) continue;  // not preemptible
    if (cpu_rank(id.task, boosted(id.task)) > cpu_rank(*occupant[core], boosted(*occupant[core]))) {
      return "a core has a task, but a more urgent one is ready";
    }
  }
  return audit_copies(view, choice);
}

std::string_view SegmentPolicy::audit_copies(const View& view, const Choice& choice) const {
  const auto& elements = system_.platform.elements;
  std::vector<std::int64_t> ready(elements.size()), running(elements.size());
  for (const WorkId id : view.ready()) ++ready[view.work(id).element];
  for (const Choice::Run& run : choice.runs) ++running[view.work(run.id).element];
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (elements[e].kind != ElementKind::kCopy) continue;
    const bool shared = elements[e].sharing == CopySharing::kShared;
    const std::int64_t most = shared ? ready[e] : std::min(ready[e], elements[e].units);
    if (running[e] != most) return "a copy engine idles while a copy waits, or makes too many";
  }
  return {};
}

}  // namespace tactus::simulate
