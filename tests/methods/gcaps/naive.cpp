#include "tests/methods/gcaps/naive.hpp"

#include <algorithm>

namespace tactus::gcaps::naive {

std::vector<NodeIndex> walk(const tactus::Task& task) {
  NodeIndex at = 0;
  while (!task.graph.predecessors(at).empty()) at = task.graph.predecessors(at)[0];
  std::vector<NodeIndex> order = {at};
  while (!task.graph.successors(at).empty()) order.push_back(at = task.graph.successors(at)[0]);
  return order;
}

namespace {

Task make_task(const System& system, const tactus::Task& source) {
  Task task;
  task.name = source.name;
  task.best_effort = source.best_effort;
  task.core = *source.core;
  if (source.period) task.T = source.period->ns();
  if (source.best_effort) {
    task.D = task.T.value_or(0);
  } else {
    task.D = source.deadline->ns();
    task.J = source.jitter.ns();
    task.pi = *source.priority;
    task.pi_g = source.gpu_priority.value_or(*source.priority);
  }
  bool on_gpu = false;
  for (const NodeIndex index : walk(source)) {
    const Node& node = source.nodes[index];
    if (system.platform.elements[node.on].kind == ElementKind::kCpu) {
      task.C += node.wcet->ns();
      if (task.segments.empty()) task.C_first = task.C;
      task.P.back() += node.wcet->ns();
      on_gpu = false;
    } else {
      if (!on_gpu) {
        task.segments.emplace_back();
        task.P.push_back(0);
      }
      task.segments.back().m += node.launch.ns();
      task.segments.back().e += node.wcet->ns();
      task.segments.back().overlap += node.overlap.ns();
      const bool copy = system.platform.elements[node.on].kind == ElementKind::kCopy;
      task.gpu_nodes.push_back({task.segments.size() - 1, node.on, copy, node.wcet->ns()});
      on_gpu = true;
    }
  }
  task.last_phase = !on_gpu;
  struct Piece {
    bool gpu;
    Ns time;
  };
  std::vector<Piece> pieces;  // CPU and GPU segments in order
  for (const NodeIndex index : walk(source)) {
    const Node& node = source.nodes[index];
    const bool gpu = system.platform.elements[node.on].kind != ElementKind::kCpu;
    if (pieces.empty() || pieces.back().gpu != gpu) pieces.push_back({gpu, 0});
    pieces.back().time += node.wcet->ns() + node.launch.ns();
  }
  while (!pieces.empty() && !pieces.back().gpu && pieces.back().time == 0) pieces.pop_back();
  task.ends_on_gpu = !pieces.empty() && pieces.back().gpu;
  task.ends_in_request = task.ends_on_gpu && pieces.back().time == 0;
  return task;
}

}  // namespace

Ns Task::Gm() const {
  Ns sum = 0;
  for (const Segment& segment : segments) sum += segment.m;
  return sum;
}

Ns Task::Ge() const {
  Ns sum = 0;
  for (const Segment& segment : segments) sum += segment.e;
  return sum;
}

Ns Task::G() const {
  Ns sum = 0;
  for (const Segment& segment : segments) sum += segment.G();
  return sum;
}

Ns Task::longest() const {
  Ns most = 0;
  for (const Segment& segment : segments) most = std::max(most, segment.G());
  return most;
}

Set make_set(const System& system) {
  Set set;
  for (const Element& element : system.platform.elements) {
    const bool exclusive =
        element.kind == ElementKind::kCopy && element.sharing != CopySharing::kShared;
    set.engines.push_back(exclusive ? element.units : 0);
  }
  for (const Element& element : system.platform.elements) {
    if (element.kind != ElementKind::kGpu) continue;
    if (element.time_slice) set.L = element.time_slice->ns();
    if (element.context_switch) set.theta = element.context_switch->ns();
    if (element.runlist_update) set.eps = element.runlist_update->ns();
    if (element.preemption_delay) set.d = element.preemption_delay->ns();
  }
  for (const tactus::Task& task : system.tasks) {
    set.tasks.push_back(make_task(system, task));
    if (task.best_effort || !task.after) continue;
    const tactus::Task& before = system.tasks[*task.after];
    Ns b = 0;
    for (const Node& node : before.nodes) b += node.bcet.ns();
    set.afters.push_back({task.name, before.name, b, task.jitter.ns()});
  }
  // "Only when some task uses the GPU (else the value counts as 0)".
  if (set.gpu().empty()) set.L = set.theta = set.eps = set.d = 0;
  return set;
}

Tasks Set::real_time() const {
  Tasks found;
  for (const Task& task : tasks) {
    if (!task.best_effort) found.push_back(&task);
  }
  return found;
}

Tasks Set::by_priority() const {
  Tasks found = real_time();
  std::sort(found.begin(), found.end(), [](auto* a, auto* b) { return a->pi > b->pi; });
  return found;
}

Tasks Set::hpp(const Task& i) const {
  Tasks found;
  for (const Task* h : real_time()) {
    if (h->core == i.core && h->pi > i.pi) found.push_back(h);
  }
  return found;
}

Tasks Set::llp(const Task& i) const {
  Tasks found;
  for (const Task& l : tasks) {
    if (&l == &i || l.core != i.core || l.eta() == 0) continue;
    if (l.best_effort || l.pi < i.pi) found.push_back(&l);
  }
  return found;
}

Ns wait_behind(const std::vector<Ns>& others, std::int64_t units) {
  // Is there work for all units for so long, if nobody works on two of them at a time?
  const auto spare = [&](Ns t) {
    Ns work = -units * t;
    for (const Ns other : others) work += std::min(other, t);
    return work;
  };
  Ns yes = 0, no = 1;
  for (const Ns other : others) no += other;
  while (no - yes > 1) {
    const Ns middle = yes + (no - yes) / 2;
    (spare(middle) >= 0 ? yes : no) = middle;
  }
  return spare(yes) > 0 ? yes + 1 : yes;
}

Ns Set::copy_waits(const Task& i, const Tasks& others) const {
  Ns sum = 0;
  for (const GpuNode& own : i.gpu_nodes) {
    if (!own.copy || engines[own.element] == 0) continue;
    std::vector<Ns> ahead;
    for (const Task* other : others) {
      Ns longest = 0;
      for (const GpuNode& node : other->gpu_nodes) {
        if (node.element == own.element) longest = std::max(longest, node.time);
      }
      ahead.push_back(longest);
    }
    sum += wait_behind(ahead, engines[own.element]);
  }
  return sum;
}

Tasks Set::all_but(const Task& i, const Tasks& those) const {
  Tasks found;
  for (const Task& task : tasks) {
    if (&task != &i && std::find(those.begin(), those.end(), &task) == those.end()) {
      found.push_back(&task);
    }
  }
  return found;
}

Tasks Set::gpu() const {
  Tasks found;
  for (const Task& task : tasks) {
    if (task.eta() > 0) found.push_back(&task);
  }
  return found;
}

Ns jobs(Ns R, Ns T, Ns J) {
  const Ns window = R + std::max<Ns>(J, 0);
  return window / T + (window % T == 0 ? 0 : 1);
}

Ns total(const std::vector<Demand>& demands, Ns R) {
  Ns sum = 0;
  for (const Demand& demand : demands) sum += jobs(R, demand.T, demand.J) * demand.d;
  return sum;
}

std::optional<Ns> fixed_point(Ns start, Ns deadline, const std::function<Ns(Ns)>& next) {
  Ns R = start;
  while (R <= deadline) {
    const Ns more = next(R);
    if (more == R) return R;
    R = more;
  }
  return std::nullopt;
}

Ns limit(const Set& set, const Task& i) { return set.without == Row::kOwnJitter ? i.D : i.D - i.J; }
Ns released(const Set& set, const Task& h) { return set.without == Row::kOthersJitter ? 0 : h.J; }

bool all_found(const Bounds& bounds) {
  return std::all_of(bounds.begin(), bounds.end(), [](auto& entry) { return !!entry.second; });
}

Bounds in_priority_order(
    const Set& set,
    const std::function<std::optional<Ns>(const Task&, const Responses&)>& bound_of) {
  Bounds bounds;
  Responses responses;
  bool failed = false;
  for (const Task* i : set.by_priority()) {
    std::optional<Ns> bound = failed ? std::nullopt : bound_of(*i, responses);
    if (bound && set.without != Row::kOwnJitter) *bound += i->J;
    bounds[i->name] = bound;
    if (bound) responses[i->name] = *bound;
    failed = failed || !bound;
  }
  return bounds;
}

Bounds settled(Set set, bool all, const std::function<Bounds(const Set&)>& find) {
  const auto jitter = [](Set& of, const std::string& name) -> Ns& {
    return std::find_if(of.tasks.begin(), of.tasks.end(),
                        [&](const Task& task) { return task.name == name; })
        ->J;
  };
  for (const After& after : set.afters) jitter(set, after.task) = after.own;
  for (;;) {
    Bounds bounds = find(set);
    if (set.afters.empty()) return bounds;
    if (all && !all_found(bounds)) {
      for (auto& [name, bound] : bounds) bound.reset();
      return bounds;
    }
    for (bool taken = true; taken;) {
      taken = false;
      const auto take = [&](const std::string& name) {
        taken = taken || bounds[name];
        bounds[name].reset();
      };
      bool failed = false;
      for (const Task* i : set.by_priority()) {
        failed = failed || !bounds[i->name];
        if (failed) take(i->name);
      }
      for (const After& after : set.afters) {
        if (!bounds[after.before]) take(after.task);
      }
    }
    bool changed = false;
    for (const After& after : set.afters) {
      if (!bounds[after.task]) continue;
      const Ns now = *bounds[after.before] - after.b + after.own;
      changed = changed || jitter(set, after.task) != now;
      jitter(set, after.task) = now;
    }
    if (!changed) return bounds;
  }
}

Ns Set::d_prime() const {
  Ns users = 0;
  for (const Task* task : gpu()) users += task->best_effort ? 1 : 0;
  return d * std::max<Ns>(1, users);
}

Answer analyze(const System& system, std::string_view method, std::string_view variant,
               std::optional<Row> without) {
  Set set = make_set(system);
  set.without = without;
  const bool busy = method.find(".busy") != std::string_view::npos;
  const bool safe = variant.starts_with("safe");
  if (method.starts_with("gcaps")) {
    const Variant which = !safe                       ? Variant::kPaper
                          : variant == "safe-arbiter" ? Variant::kSafeArbiter
                          : variant == "safe-inherit" ? Variant::kSafeInherit
                                                      : Variant::kSafe;
    return gcaps(set, busy, method.ends_with(".prio"), which);
  }
  Answer answer;
  answer.bounds = variant == "windows"           ? by_windows(set, busy, method.starts_with("fmlp"))
                  : method.starts_with("tsg-rr") ? tsg_rr(set, busy, variant)
                  : method.starts_with("mpcp")   ? mpcp(set, busy, safe)
                                                 : fmlp(set, busy, safe);
  answer.schedulable = all_found(answer.bounds);
  return answer;
}

}  // namespace tactus::gcaps::naive
