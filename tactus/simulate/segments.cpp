#include "tactus/simulate/segments.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
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
      on_core_(system.tasks.size()),
      on_gpu_(system.tasks.size()) {
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

/// Adds works to the job of a task, each behind those that were last: one on the core, one elsewhere.
class SegmentPolicy::Cutter {
 public:
  Cutter(const SegmentPolicy& policy, const View& view, TaskIndex task, Job& job)
      : policy_(policy), view_(view), task_(task), source_(view.system().tasks[task]), job_(job) {}

  void add_cpu(NodeIndex node) {
    const Node& of = source_.nodes[node];
    append(work(node, kCpu, policy_.cpu_, length({2 * node, node}, of.bcet, *of.wcet)));
  }
  void add_request(NodeIndex node, Step step) {
    if (!policy_.options_.brackets) return;
    Work asked = work(node, step, policy_.cpu_, Time());
    asked.gated = true;
    append(asked);
  }
  void add_launch(NodeIndex node) { append(work(node, kLaunch, policy_.cpu_, launch_of(node))); }
  void add_gpu_work(NodeIndex node) { append(gpu_work(node, times_of(node))); }

  /// The GPU may begin when no more of the launch code of the node is left than overlaps with it.
  void add_beside(NodeIndex node, std::optional<std::uint32_t>& on_gpu) {
    const Node& of = source_.nodes[node];
    const Times times = times_of(node);
    const Time all = launch_of(node);
    const Time first = std::min(all, of.launch - std::min(of.overlap, times.most));
    append(work(node, kLaunch, policy_.cpu_, first));
    const std::uint32_t launched = job_.add(gpu_work(node, times));
    job_.precede(last_.back(), launched);
    if (on_gpu) job_.precede(*on_gpu, launched);
    on_gpu = launched;
    if (all > first) append(work(node, kLaunch, policy_.cpu_, all - first));
  }
  void wait_for(std::uint32_t other) { last_.push_back(other); }

 private:
  Work work(NodeIndex node, Step step, ElementIndex element, Time remaining) const {
    Work made;
    made.node = node;
    made.element = element;
    made.activity = step == kLaunch ? trace::Activity::kLaunch : trace::Activity::kRun;
    made.tag = step;
    made.remaining = remaining;
    return made;
  }
  struct Times {
    Time least, most;
  };
  Times times_of(NodeIndex node) const {
    const Node& of = source_.nodes[node];
    if (of.on != policy_.gpu_) return {of.bcet, *of.wcet};
    const WholeGpuTime whole = *whole_gpu_time(view_.system(), source_, of);
    return {whole.bcet, whole.wcet};
  }
  Work gpu_work(NodeIndex node, Times times) const {
    const Node& of = source_.nodes[node];
    const bool kernel = of.on == policy_.gpu_;
    Work made = work(node, kernel ? kExec : kCopy, of.on,
                     length({2 * node, node}, times.least, times.most));
    if (kernel) {
      made.width = policy_.whole_gpu_;
    } else {
      made.preemptible = false;
      const Element& engine = view_.system().platform.elements[of.on];
      if (engine.sharing == CopySharing::kShared) made.width = 0;
    }
    return made;
  }
  // Launch code and the GPU work of one node are two pieces.
  Time launch_of(NodeIndex node) const {
    return length({2 * node + 1, node, 0, trace::Piece::Part::kLaunch}, Time(),
                  source_.nodes[node].launch);
  }
  Time length(const trace::Piece& piece, Time least, Time most) const {
    return view_.scenario().length(task_, job_.number, piece, least, most);
  }
  void append(const Work& work) {
    const std::uint32_t index = job_.add(work);
    for (const std::uint32_t before : last_) job_.precede(before, index);
    last_.assign(1, index);
  }

  const SegmentPolicy& policy_;
  const View& view_;
  TaskIndex task_;
  const Task& source_;
  Job& job_;
  std::vector<std::uint32_t> last_;
};

void SegmentPolicy::expand(const View& view, TaskIndex task, Job& job) {
  const std::vector<Node>& nodes = system_.tasks[task].nodes;
  const std::vector<NodeIndex>& chain = chains_[task];
  const auto on_cpu = [&](NodeIndex node) { return nodes[node].on == cpu_; };
  Cutter cutter(*this, view, task, job);
  for (auto at = chain.begin(); at != chain.end();) {
    if (on_cpu(*at)) {
      cutter.add_cpu(*at++);
      continue;
    }
    const std::span segment(at, std::find_if(at, chain.end(), on_cpu));
    at += std::ssize(segment);
    if (!options_.begins_late) cutter.add_request(segment.front(), kBegin);
    const bool overlaps = std::any_of(segment.begin(), segment.end(),
                                      [&](NodeIndex node) { return nodes[node].overlap > Time(); });
    if (overlaps && !options_.begins_late) {
      std::optional<std::uint32_t> on_gpu;
      for (const NodeIndex node : segment) cutter.add_beside(node, on_gpu);
      cutter.wait_for(*on_gpu);
    } else {  // all its launch code first, then all its GPU work
      for (const NodeIndex node : segment) cutter.add_launch(node);
      if (options_.begins_late) cutter.add_request(segment.front(), kBegin);
      for (const NodeIndex node : segment) cutter.add_gpu_work(node);
    }
    cutter.add_request(segment.back(), kEnd);
  }
}

void SegmentPolicy::set_gpu_priorities(
    const std::vector<std::pair<TaskIndex, std::int64_t>>& priorities) {
  for (const auto& [task, priority] : priorities) gpu_priority_[task] = priority;
  gpu_rank_ = ranks(system_, gpu_priority_);
  by_gpu_rank_ = inverse(gpu_rank_);
}

void SegmentPolicy::became_ready(const View& view, WorkId id) {
  const std::uint32_t step = view.work(id).tag;
  (step >= kExec ? on_gpu_ : on_core_)[id.task] = {id, step};
  if (at(id.task, kCopy)) copies_.push_back({id, view.now()});
  changed(id.task);
}

void SegmentPolicy::finished(const View& /*view*/, WorkId id) {
  for (std::optional<Current>* current : {&on_core_[id.task], &on_gpu_[id.task]}) {
    if (!*current || (*current)->id != id) continue;  // it took no time, and was never ready
    std::erase_if(copies_, [&](const CopyAtHand& copy) { return copy.id == id; });
    current->reset();
    changed(id.task);
  }
}

void SegmentPolicy::changed(TaskIndex task) {
  cores_[core_of_[task]].ready.put(place_of_[task], ready(task));
}

void SegmentPolicy::put_on_core(const View& view, TaskIndex task, Choice& choice) const {
  if (at(task, kCpu) || at(task, kLaunch)) {
    choice.run(on_core_[task]->id, cores_[core_of_[task]].unit);
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
