#include "tactus/decide/space.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "tactus/methods/priorities.hpp"

namespace tactus::decide {
namespace {

std::int64_t cores_of(const System& system) {
  std::int64_t cores = 1;
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kCpu) cores = std::max(cores, element.units);
  }
  return cores;
}

/// Time of a task on its core per second, roughly: only where to begin depends on it.
double load_of(const System& system, const Task& task) {
  if (!task.period) return 0;
  double work = 0;
  for (const Node& node : task.nodes) {
    const bool cpu = system.platform.elements[node.on].kind == ElementKind::kCpu;
    const Time time = cpu ? node.wcet.value_or(Time()) : node.launch;
    work += static_cast<double>(time.ns());
  }
  return work / static_cast<double>(task.period->ns());
}

/// The real-time tasks by their priorities, or by deadlines where there are none.
std::vector<TaskIndex> order_of(const System& system) {
  std::vector<TaskIndex> order;
  for (TaskIndex t = 0; t < system.tasks.size(); ++t) {
    if (!system.tasks[t].best_effort) order.push_back(t);
  }
  const auto made = priorities_of(system);
  const auto* priorities = std::get_if<Priorities>(&made);
  std::stable_sort(order.begin(), order.end(), [&](TaskIndex a, TaskIndex b) {
    if (priorities != nullptr) return priorities->of[a] > priorities->of[b];
    return system.tasks[a].deadline < system.tasks[b].deadline;
  });
  return order;
}

}  // namespace

Space::Space(const System& system, const Open& open, std::optional<std::int64_t> spare)
    : base_(system), open_(open), first_order_(order_of(system)) {
  // Of the cores that no task names the first are as good as any: one for each task.
  std::set<std::int64_t> cores;
  for (const Task& task : system.tasks) cores.insert(task.core.value_or(1));
  const auto enough = static_cast<std::int64_t>(2 * system.tasks.size() + 1);
  for (std::int64_t core = 1; core <= std::min(enough, cores_of(system)); ++core)
    cores.insert(core);
  for (const std::int64_t core : cores) {
    if (core != spare) usable_.push_back(core);
  }
  bool needs_cores = open.cores;
  for (const Task& task : system.tasks) needs_cores = needs_cores || task.core.has_value();
  needs_cores = needs_cores || cores_of(system) > 1;
  for (TaskIndex t = 0; t < system.tasks.size(); ++t) {
    const auto& core = system.tasks[t].core;
    const bool is_open = needs_cores && (open.cores || !core) && !usable_.empty();
    fixed_.push_back(is_open ? 0 : core.value_or(0));
    if (is_open) open_tasks_.push_back(t);
  }
  open_order_ = open.priorities && first_order_.size() > 1;
}

std::vector<std::int64_t> Space::choices(const std::vector<std::int64_t>& cores) const {
  std::vector<std::int64_t> allowed;
  bool fresh = false;
  for (std::int64_t core : usable_) {
    const bool used = std::find(cores.begin(), cores.end(), core) != cores.end();
    if (!used && fresh) continue;
    fresh = fresh || !used;
    allowed.push_back(core);
  }
  return allowed;
}

void Space::add_assignments(Candidate& partial, std::size_t next, std::size_t most,
                            std::vector<Candidate>& all) const {
  if (all.size() > most) return;
  if (next == open_tasks_.size()) {
    all.push_back(partial);
    return;
  }
  for (std::int64_t core : choices(partial.cores)) {
    partial.cores[open_tasks_[next]] = core;
    add_assignments(partial, next + 1, most, all);
    partial.cores[open_tasks_[next]] = 0;
  }
}

std::optional<std::vector<Candidate>> Space::all(std::size_t most) const {
  std::vector<Candidate> assignments;
  Candidate partial{fixed_, {}};
  add_assignments(partial, 0, most, assignments);
  if (assignments.size() > most) return std::nullopt;
  if (!open_order_) return assignments;
  std::size_t orders = 1;
  for (std::size_t k = 2; k <= first_order_.size(); ++k) {
    orders *= k;
    if (orders > most) return std::nullopt;
  }
  if (orders * assignments.size() > most) return std::nullopt;
  std::vector<Candidate> all;
  std::vector<std::size_t> places(first_order_.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  do {
    std::vector<TaskIndex> order;
    for (std::size_t place : places) order.push_back(first_order_[place]);
    for (const Candidate& assignment : assignments) all.push_back({assignment.cores, order});
  } while (std::next_permutation(places.begin(), places.end()));
  return all;
}

Candidate Space::start() const {
  Candidate candidate{fixed_, {}};
  if (open_order_) candidate.order = first_order_;
  if (usable_.empty()) return candidate;
  std::map<std::int64_t, double> load;
  for (std::int64_t core : usable_) load[core] = 0;
  std::vector<TaskIndex> left;
  for (TaskIndex t : open_tasks_) {
    const auto& core = base_.tasks[t].core;
    if (core && load.contains(*core)) {
      candidate.cores[t] = *core;
    } else {
      left.push_back(t);
    }
  }
  for (TaskIndex t = 0; t < base_.tasks.size(); ++t) {
    const auto place = load.find(candidate.cores[t]);
    if (place != load.end()) place->second += load_of(base_, base_.tasks[t]);
  }
  std::stable_sort(left.begin(), left.end(), [&](TaskIndex a, TaskIndex b) {
    return load_of(base_, base_.tasks[a]) > load_of(base_, base_.tasks[b]);
  });
  for (TaskIndex t : left) {
    const auto least = std::min_element(
        load.begin(), load.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    candidate.cores[t] = least->first;
    least->second += load_of(base_, base_.tasks[t]);
  }
  return candidate;
}

Candidate Space::random(Random& random) const {
  Candidate candidate = start();
  for (TaskIndex t : open_tasks_) {
    const auto last = static_cast<std::int64_t>(usable_.size()) - 1;
    candidate.cores[t] = usable_[static_cast<std::size_t>(random.integer(0, last))];
  }
  for (std::size_t k = candidate.order.size(); k > 1; --k) {
    const auto other = random.integer(0, static_cast<std::int64_t>(k) - 1);
    std::swap(candidate.order[k - 1], candidate.order[static_cast<std::size_t>(other)]);
  }
  return candidate;
}

std::vector<Candidate> Space::neighbours(const Candidate& from, Random& random) const {
  std::vector<Candidate> near;
  for (TaskIndex t : open_tasks_) {  // to another core
    for (std::int64_t core : choices(from.cores)) {
      if (core == from.cores[t]) continue;
      near.push_back(from);
      near.back().cores[t] = core;
    }
  }
  for (std::size_t a = 0; a < open_tasks_.size(); ++a) {  // each on the other's core
    for (std::size_t b = a + 1; b < open_tasks_.size(); ++b) {
      const TaskIndex s = open_tasks_[a], t = open_tasks_[b];
      if (from.cores[s] == from.cores[t]) continue;
      near.push_back(from);
      std::swap(near.back().cores[s], near.back().cores[t]);
    }
  }
  for (std::size_t a = 0; a < from.order.size(); ++a) {  // to another place in the order
    for (std::size_t b = 0; b < from.order.size(); ++b) {
      if (a == b || a + 1 == b) continue;
      near.push_back(from);
      auto& order = near.back().order;
      const TaskIndex moved = order[a];
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(a));
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(b), moved);
    }
  }
  for (std::size_t k = near.size(); k > 1; --k) {
    const auto other = random.integer(0, static_cast<std::int64_t>(k) - 1);
    std::swap(near[k - 1], near[static_cast<std::size_t>(other)]);
  }
  return near;
}

System Space::system(const Candidate& candidate) const {
  System system = base_;
  for (TaskIndex t = 0; t < system.tasks.size(); ++t) {
    if (candidate.cores[t] > 0) system.tasks[t].core = candidate.cores[t];
    if (open_.gpu_priorities) system.tasks[t].gpu_priority.reset();
  }
  // The file's own numbers, in another order; from 1 where it has none.
  std::vector<std::int64_t> numbers;
  for (TaskIndex t : candidate.order) {
    if (base_.tasks[t].priority) numbers.push_back(*base_.tasks[t].priority);
  }
  if (numbers.size() != candidate.order.size()) {
    numbers.resize(candidate.order.size());
    std::iota(numbers.begin(), numbers.end(), std::int64_t{1});
  }
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  for (std::size_t k = 0; k < candidate.order.size(); ++k) {
    system.tasks[candidate.order[k]].priority = numbers[k];
  }
  return system;
}

Candidate Space::renamed(const Candidate& candidate) const {
  // Pairs of a core here and a core of the file, those first that most tasks have in common.
  std::map<std::pair<std::int64_t, std::int64_t>, int> common;
  for (TaskIndex t : open_tasks_) {
    const auto& before = base_.tasks[t].core;
    const bool usable =
        before && std::find(usable_.begin(), usable_.end(), *before) != usable_.end();
    if (usable) ++common[{candidate.cores[t], *before}];
  }
  std::map<std::int64_t, std::int64_t> names;
  std::vector<std::int64_t> taken;
  const auto give = [&](std::int64_t core, std::int64_t name) {
    const bool free = std::find(taken.begin(), taken.end(), name) == taken.end();
    if (!free || !names.emplace(core, name).second) return;
    taken.push_back(name);
  };
  for (std::int64_t core : fixed_) {  // a task that stays there says which core it is
    if (core > 0) give(core, core);
  }
  std::vector<std::pair<int, std::pair<std::int64_t, std::int64_t>>> pairs;
  for (const auto& [pair, count] : common) pairs.push_back({-count, pair});
  std::sort(pairs.begin(), pairs.end());
  for (const auto& [count, pair] : pairs) give(pair.first, pair.second);
  Candidate out = candidate;
  for (TaskIndex t : open_tasks_) {
    for (std::int64_t name : usable_) give(candidate.cores[t], name);
    out.cores[t] = names.at(candidate.cores[t]);
  }
  return out;
}

}  // namespace tactus::decide
