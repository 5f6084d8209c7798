#include "tactus/simulate/shrink.hpp"

#include <algorithm>
#include <vector>

namespace tactus::simulate {
namespace {

/// The graph without one node; its predecessors then precede its successors.
Graph without(const Graph& graph, NodeIndex gone) {
  std::vector<Edge> edges;
  const auto renumbered = [&](NodeIndex node) { return node > gone ? node - 1 : node; };
  for (const auto& [from, to] : graph.edges()) {
    if (from != gone && to != gone) edges.emplace_back(renumbered(from), renumbered(to));
  }
  for (NodeIndex before : graph.predecessors(gone)) {
    for (NodeIndex after : graph.successors(gone)) {
      edges.emplace_back(renumbered(before), renumbered(after));
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return Graph(graph.size() - 1, std::move(edges));
}

/// Simpler values for a time: nothing, whole units, half.
std::vector<Time> simpler(Time time, Time unit) {
  std::vector<Time> values = {Time(), Time::from_ns(time.ns() / unit.ns() * unit.ns()),
                              Time::from_ns(time.ns() / 2 / unit.ns() * unit.ns())};
  if (time > unit) values.push_back(time - unit);
  std::erase_if(values, [&](Time value) { return value >= time; });
  return values;
}

/// With a smaller upper bound, what must stay below it becomes smaller, too.
void keep_bounds_in_order(System& system) {
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      if (node.wcet) node.bcet = std::min(node.bcet, *node.wcet);
      if (node.wcet) node.overlap = std::min(node.overlap, *node.wcet);
      node.overlap = std::min(node.overlap, node.launch);
      for (TimesEntry& entry : node.times) entry.bcet = std::min(entry.bcet, entry.wcet);
      if (!node.load) continue;
      node.load_min = std::min(node.load_min, *node.load);
      node.overhead = std::min(node.overhead, *node.load);
    }
  }
}

/// Takes a task out of whatever names it; false where another one is started by it.
bool forget(System& system, TaskIndex gone) {
  for (Task& task : system.tasks) {
    if (task.after == gone) return false;
    if (task.after && *task.after > gone) --*task.after;
  }
  std::erase_if(system.chains, [&](const Chain& chain) {
    return std::find(chain.tasks.begin(), chain.tasks.end(), gone) != chain.tasks.end();
  });
  for (Chain& chain : system.chains) {
    for (TaskIndex& task : chain.tasks) task -= task > gone ? 1 : 0;
  }
  return true;
}

class Shrinker {
 public:
  Shrinker(System system, const std::function<bool(const System&)>& fails)
      : best_(std::move(system)), fails_(fails) {}

  System run() {
    while (drop_tasks() || drop_nodes() || drop_entries() || simplify_times()) continue;
    return std::move(best_);
  }

 private:
  bool keep(System candidate) {
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  bool drop_tasks() {
    bool smaller = false;
    if (!best_.batches.empty()) return false;  // they name tasks by place
    for (std::size_t i = best_.tasks.size(); i-- > 0 && best_.tasks.size() > 1;) {
      System candidate = best_;
      if (!forget(candidate, static_cast<TaskIndex>(i))) continue;
      candidate.tasks.erase(candidate.tasks.begin() + static_cast<std::ptrdiff_t>(i));
      smaller |= keep(std::move(candidate));
    }
    return smaller;
  }

  bool drop_nodes() {
    bool smaller = false;
    for (std::size_t t = 0; t < best_.tasks.size(); ++t) {
      for (NodeIndex n = best_.tasks[t].graph.size(); n-- > 0 && best_.tasks[t].nodes.size() > 1;) {
        System candidate = best_;
        Task& task = candidate.tasks[t];
        task.graph = without(task.graph, n);
        task.nodes.erase(task.nodes.begin() + static_cast<std::ptrdiff_t>(n));
        smaller |= keep(std::move(candidate));
      }
    }
    return smaller;
  }

  /// Measured curves with one point less.
  bool drop_entries() {
    bool smaller = false;
    for (std::size_t t = 0; t < best_.tasks.size(); ++t) {
      for (std::size_t n = 0; n < best_.tasks[t].nodes.size(); ++n) {
        for (std::size_t e = best_.tasks[t].nodes[n].times.size();
             e-- > 0 && best_.tasks[t].nodes[n].times.size() > 1;) {
          System candidate = best_;
          auto& times = candidate.tasks[t].nodes[n].times;
          times.erase(times.begin() + static_cast<std::ptrdiff_t>(e));
          smaller |= keep(std::move(candidate));
        }
      }
    }
    return smaller;
  }

  /// Tries simpler values of one time of the system, reached through `access`.
  template <typename Access>
  bool simplify(Access access) {
    bool smaller = false;
    const Time unit = Time::from_ns(nanoseconds_in(best_.time_unit));
    for (Time value : simpler(access(best_), unit)) {
      System candidate = best_;
      access(candidate) = value;
      keep_bounds_in_order(candidate);
      if (keep(std::move(candidate))) {
        smaller = true;
        break;
      }
    }
    return smaller;
  }

  bool simplify_times() {
    bool smaller = false;
    for (std::size_t t = 0; t < best_.tasks.size(); ++t) {
      smaller |= simplify([=](System& s) -> Time& { return s.tasks[t].jitter; });
      for (std::size_t n = 0; n < best_.tasks[t].nodes.size(); ++n) {
        if (best_.tasks[t].nodes[n].wcet) {
          smaller |= simplify([=](System& s) -> Time& { return *s.tasks[t].nodes[n].wcet; });
        }
        if (best_.tasks[t].nodes[n].load) {
          smaller |= simplify([=](System& s) -> Time& { return *s.tasks[t].nodes[n].load; });
        }
        for (std::size_t e = 0; e < best_.tasks[t].nodes[n].times.size(); ++e) {
          smaller |=
              simplify([=](System& s) -> Time& { return s.tasks[t].nodes[n].times[e].wcet; });
          smaller |=
              simplify([=](System& s) -> Time& { return s.tasks[t].nodes[n].times[e].bcet; });
        }
        smaller |= simplify([=](System& s) -> Time& { return s.tasks[t].nodes[n].overlap; });
        smaller |= simplify([=](System& s) -> Time& { return s.tasks[t].nodes[n].launch; });
        smaller |= simplify([=](System& s) -> Time& { return s.tasks[t].nodes[n].overhead; });
        smaller |= simplify([=](System& s) -> Time& { return s.tasks[t].nodes[n].load_min; });
        smaller |= simplify([=](System& s) -> Time& { return s.tasks[t].nodes[n].bcet; });
      }
    }
    return smaller;
  }

  System best_;
  const std::function<bool(const System&)>& fails_;
};

}  // namespace

System shrink(System system, const std::function<bool(const System&)>& fails) {
  return Shrinker(std::move(system), fails).run();
}

}  // namespace tactus::simulate
