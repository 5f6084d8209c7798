#include "tactus/methods/gang/locks/lock_view.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/locks/smlp.hpp"
#include "tactus/methods/obstacles.hpp"

namespace tactus::gang {
namespace {

std::optional<ElementIndex> only_cpu(const System& system, Obstacles& obstacles) {
  std::optional<ElementIndex> cpu;
  for (ElementIndex p = 0; p < system.platform.elements.size(); ++p) {
    const Element& element = system.platform.elements[p];
    if (element.kind != ElementKind::kCpu) continue;
    if (cpu) {
      obstacles.refuse(element, "is a second cpu element; the locking baselines need exactly one");
    }
    cpu = p;
  }
  if (!cpu) {
    obstacles.refuse("there is no cpu element; the locking baselines need exactly one");
  }
  return cpu;
}

class Flattening {
 public:
  Flattening(const System& system, const GangDag& dag, ElementIndex cpu)
      : system_(system), gangs_(dag), cpu_(cpu) {}

  LockDag run() {
    LockDag dag{gangs_.task, gangs_.period, gangs_.deadline, {}, {}};
    std::vector<std::vector<NodeIndex>> places(gangs_.nodes.size());
    for (NodeIndex v = 0; v < gangs_.nodes.size(); ++v) {
      const GangNode& gang = gangs_.nodes[v];
      if (gang.on != cpu_) {
        places[v] = {place_of_access(v, dag)};
        continue;
      }
      if (gang.copies >
          static_cast<std::int64_t>(kMaxNodes - std::min(dag.nodes.size(), kMaxNodes))) {
        throw LimitReached(fmt::format("task {} has more than {} cpu nodes",
                                       quote(system_.tasks[dag.task].name), kMaxNodes));
      }
      for (std::int64_t copy = 0; copy < gang.copies; ++copy) {
        places[v].push_back(static_cast<NodeIndex>(dag.nodes.size()));
        dag.nodes.push_back({gang.wcet, std::nullopt});
      }
    }
    std::vector<Edge> edges;
    for (const auto& [from, to] : gangs_.graph.edges()) {
      for (NodeIndex a : places[from]) {
        for (NodeIndex b : places[to]) edges.emplace_back(a, b);
      }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    dag.graph = Graph(static_cast<NodeIndex>(dag.nodes.size()), std::move(edges));
    return dag;
  }

 private:
  /// Equal gangs with the same neighbours are one kernel, at the place of the first.
  NodeIndex place_of_access(NodeIndex v, LockDag& dag) {
    const GangNode& gang = gangs_.nodes[v];
    const auto list = [](std::span<const NodeIndex> nodes) {
      return std::vector<NodeIndex>(nodes.begin(), nodes.end());
    };
    const auto [known, is_new] =
        accesses_.try_emplace({gang.on, gang.width, gang.wcet, list(gangs_.graph.predecessors(v)),
                               list(gangs_.graph.successors(v))},
                              static_cast<NodeIndex>(dag.nodes.size()));
    if (is_new) {
      dag.nodes.push_back({Time(), Access{gang.on, gang.width, gang.wcet, gang.copies}});
    } else {
      std::int64_t& count = dag.nodes[known->second].access->count;
      count = checked::add(count, gang.copies);
    }
    return known->second;
  }

  const System& system_;
  const GangDag& gangs_;
  ElementIndex cpu_;
  /// Element, width, wcet, predecessors and successors of a kernel; and its place.
  using Kind =
      std::tuple<ElementIndex, std::int64_t, Time, std::vector<NodeIndex>, std::vector<NodeIndex>>;
  std::map<Kind, NodeIndex> accesses_;
};

template <typename Visit>
void for_each_access(const LockView& view, Visit visit) {
  for (const LockDag& dag : view.dags) {
    for (const auto& node : dag.nodes) {
      if (node.access) visit(*node.access);
    }
  }
}

/// The most partitions of an element that each hold its widest gang and can all be in use, by
/// element that some DAG uses.
std::map<ElementIndex, std::int64_t> partition_caps(const LockModel& model) {
  std::map<ElementIndex, std::int64_t> caps;
  for (const auto& [element, need] : model.need) {
    const std::int64_t room = model.system->platform.elements[element].units / need;
    caps[element] = std::max<std::int64_t>(1, std::min(model.cpus, room));
  }
  return caps;
}

}  // namespace

Result<LockModel, Refusal> make_lock_model(const System& system,
                                           const std::vector<GangTask>& tasks) {
  Obstacles obstacles;
  const auto cpu = only_cpu(system, obstacles);
  LockModel model{&system, &tasks, cpu.value_or(0), 0, {}, false};
  if (cpu) model.cpus = system.platform.elements[*cpu].units;
  for (const GangTask& gangs : tasks) {
    model.moldable = model.moldable || gangs.moldable();
    for (const Piece& piece : gangs.pieces) {
      const std::int64_t width = piece.choices.front().units;
      const Element& element = system.platform.elements[piece.on];
      if (piece.on != cpu) {
        std::int64_t& need = model.need.try_emplace(piece.on, 1).first->second;
        if (element.lanes == 1) need = std::max(need, width);
      } else if (width > 1) {
        const Task& task = system.tasks[gangs.task];
        obstacles.refuse(task, task.nodes[piece.node],
                         fmt::format("is a gang of {} on {}; the locking baselines need sequential "
                                     "cpu nodes",
                                     width, quote(element.name)));
      }
    }
  }
  if (obstacles.any()) return std::move(obstacles).refusal();
  return model;
}

Entries entries_within(const GangTask& task, const Partitions& partitions) {
  Entries entries(task.pieces.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Piece& piece = task.pieces[i];
    if (piece.moldable) entries[i] = piece.fastest_within(partitions.at(piece.on).units);
  }
  return entries;
}

LockView make_lock_view(const LockModel& model, const Partitions& partitions) {
  LockView view{model.cpus, {}};
  for (const GangTask& task : *model.tasks) {
    const GangDag dag = make_dag(task, entries_within(task, partitions));
    view.dags.push_back(Flattening(*model.system, dag, model.cpu).run());
  }
  return view;
}

AccessParts access_parts(const Element& element, const Access& access, std::int64_t units) {
  const Pools pools = pools_of(element, units);
  const std::int64_t side_by_side = pools.size / access.width;
  // Totals of equal widths are multiples: the only one that can block a gang is the largest.
  const bool blocked = access.count - 1 >= side_by_side;
  const std::int64_t idle = blocked ? pools.size % access.width : 0;
  return {multiply(multiply(access.width, access.count - 1), access.wcet.ns()),
          multiply(pools.size - idle, pools.count)};
}

Fraction access_length(const Element& element, const Access& access, std::int64_t units) {
  const AccessParts parts = access_parts(element, access, units);
  return to_fraction(access.wcet) + quotient(parts.others, parts.capacity);
}

Fraction access_length(const Element& element, const Access& access, const Lock& lock) {
  return lock.resizes ? to_fraction(resized_length(element, access, lock.units))
                      : access_length(element, access, lock.units);
}

Partitions partitions_of(const LockModel& model, std::int64_t k) {
  Partitions partitions;
  for (const auto& [element, cap] : partition_caps(model)) {
    const std::int64_t count = std::min(k, cap);
    partitions[element] = {count, model.system->platform.elements[element].units / count};
  }
  return partitions;
}

Partitions fewest_units(const LockModel& model) {
  Partitions fewest;
  for (const auto& [element, need] : model.need) fewest[element] = {1, need};
  return fewest;
}

std::int64_t most_partitions(const LockModel& model) {
  std::int64_t most = 1;
  for (const auto& [element, cap] : partition_caps(model)) most = std::max(most, cap);
  return most;
}

std::int64_t blocking_requests(std::int64_t accesses, std::int64_t partitions, std::int64_t cpus,
                               Protocol protocol) {
  const std::int64_t fifo = ceil_div(accesses, partitions) - 1;
  const std::int64_t donation = 2 * ceil_div(cpus, partitions) - 1;
  switch (protocol) {
    case Protocol::kFifo:
      return fifo;
    case Protocol::kDonation:
      return donation;
    case Protocol::kEither:
    case Protocol::kSmlp:
      break;
  }
  return std::min(fifo, donation);
}

Locks make_locks(const System& system, const LockView& view, const Partitions& partitions,
                 const Waiting& waiting) {
  Locks locks;
  for (const auto& [element, partition] : partitions) {
    locks[element].partitions = partition.count;
    locks[element].units = partition.units;
    locks[element].resizes = waiting.protocol == Protocol::kSmlp;
  }
  std::map<ElementIndex, ResizedLock> resized;
  for_each_access(view, [&](const Access& access) {
    const Element& element = system.platform.elements[access.element];
    Lock& lock = locks[access.element];
    ++lock.accesses;
    lock.longest_access = std::max(lock.longest_access, access_length(element, access, lock));
    if (!lock.resizes) return;
    ResizedLock& seen = resized[access.element];
    seen.longest = std::max(seen.longest, resized_length(element, access, lock.units));
    seen.areas.push_back(largest_area(element, access, lock.units));
  });
  for (auto& [element, lock] : locks) {
    if (lock.resizes) {
      ResizedLock& seen = resized[element];
      seen.units = system.platform.elements[element].units;
      seen.fewest = lock.units;
      seen.cpus = view.cpus;
      lock.blocking = waiting.published ? seen.published_blocking() : seen.blocking();
      continue;
    }
    const Fraction times = waiting.requests
                               ? *waiting.requests
                               : Fraction(static_cast<long>(blocking_requests(
                                     lock.accesses, lock.partitions, view.cpus, waiting.protocol)));
    lock.blocking = times * lock.longest_access;
  }
  return locks;
}

InflatedDag inflate(const System& system, const LockDag& dag, const Locks& locks) {
  std::vector<Fraction> wcet;
  InflatedDag inflated{&dag, 1, {}, 0};
  for (const auto& node : dag.nodes) {
    Fraction time = to_fraction(node.wcet);
    if (node.access) {
      const Lock& lock = locks.at(node.access->element);
      time = access_length(system.platform.elements[node.access->element], *node.access, lock) +
             lock.blocking;
    }
    inflated.scale = lcm(inflated.scale, time.get_den());
    wcet.push_back(std::move(time));
  }
  for (const Fraction& time : wcet) {
    inflated.wcet.emplace_back(time.get_num() * (inflated.scale / time.get_den()));
    inflated.volume += inflated.wcet.back();
  }
  return inflated;
}

}  // namespace tactus::gang
