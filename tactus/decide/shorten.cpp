#include "tactus/decide/shorten.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "tactus/methods/end_to_end.hpp"
#include "tactus/model/paths.hpp"

namespace tactus::decide {
namespace {

/// How bad chains are: the smaller the better.
struct Length {
  std::int64_t worst = 0;  ///< share of the limit, in millionths
  Time sum;

  static constexpr std::int64_t kLimit = 1'000'000;
  friend auto operator<=>(const Length&, const Length&) = default;
};

/// Nothing where a task is late, or a chain has no bound.
std::optional<Length> length_of(const System& system, const Verdict& verdict, bool fixed_only) {
  for (const TaskVerdict& task : verdict.tasks) {
    if (!task.schedulable) return std::nullopt;
  }
  Length length;
  for (const ChainVerdict& found : verdict.chains) {
    const Chain& chain = system.chains[found.chain];
    if (!found.bound) return std::nullopt;
    if (fixed_only && chain.phases != Chain::Phases::kFixed) continue;
    length.sum += *found.bound;
    for (const auto& limit : {chain.reaction, chain.age}) {
      if (!limit) continue;
      const __int128 share = static_cast<__int128>(found.bound->ns()) * Length::kLimit;
      const std::int64_t most = std::max<std::int64_t>(1, limit->ns());
      length.worst = std::max(length.worst, static_cast<std::int64_t>((share + most - 1) / most));
    }
  }
  return length;
}

std::vector<TaskIndex> gpu_tasks(const System& system) {
  std::vector<TaskIndex> users;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.best_effort || !task.gpu_priority) continue;
    const bool uses = std::any_of(task.nodes.begin(), task.nodes.end(), [&](const Node& node) {
      return system.platform.elements[node.on].kind != ElementKind::kCpu;
    });
    if (uses) users.push_back(i);
  }
  return users;
}

/// Systems one step away.
std::vector<System> neighbours(const System& system, GpuChoice what) {
  std::vector<System> near;
  const std::vector<TaskIndex> users = gpu_tasks(system);
  std::set<std::int64_t> levels;
  for (const TaskIndex i : users) levels.insert(*system.tasks[i].gpu_priority);
  const auto keep_rules = [](Task& task) {  // no threshold below the task's own priority
    for (Node& node : task.nodes) {
      if (node.gpu_threshold)
        node.gpu_threshold = std::max(*node.gpu_threshold, *task.gpu_priority);
    }
  };
  for (std::size_t a = 0; what.order && a < users.size(); ++a) {
    for (std::size_t b = a + 1; b < users.size(); ++b) {
      System& other = near.emplace_back(system);
      std::swap(other.tasks[users[a]].gpu_priority, other.tasks[users[b]].gpu_priority);
      keep_rules(other.tasks[users[a]]);
      keep_rules(other.tasks[users[b]]);
    }
  }
  for (const TaskIndex i : users) {
    for (NodeIndex n = 0; what.thresholds && n < system.tasks[i].nodes.size(); ++n) {
      const auto& now = system.tasks[i].nodes[n].gpu_threshold;
      if (!now) continue;
      for (const std::int64_t level : levels) {
        if (level == *now || level < *system.tasks[i].gpu_priority) continue;
        near.emplace_back(system).tasks[i].nodes[n].gpu_threshold = level;
      }
    }
  }
  return near;
}

/// As given; and where thresholds are open, with everybody taken off whenever that is possible, and
/// with nobody.
std::vector<System> starts(const System& system, GpuChoice what) {
  std::vector<System> all = {system};
  const std::vector<TaskIndex> users = gpu_tasks(system);
  if (!what.thresholds || users.empty()) return all;
  std::int64_t highest = INT64_MIN;
  for (const TaskIndex i : users) highest = std::max(highest, *system.tasks[i].gpu_priority);
  for (const bool never : {false, true}) {
    System& start = all.emplace_back(system);
    for (const TaskIndex i : users) {
      Task& task = start.tasks[i];
      for (Node& node : task.nodes) {
        if (node.gpu_threshold) node.gpu_threshold = never ? highest : *task.gpu_priority;
      }
    }
  }
  return all;
}

/// A task that begins a unit of a chain of fixed phases, and the one that writes what it reads.
struct Pair {
  ChainPart before, part;
};

/// Whose offsets may be turned. The first of each chain stays where it is.
std::vector<Pair> turnable(const System& system, const Verdict& verdict) {
  std::vector<Pair> all;
  for (const ChainVerdict& found : verdict.chains) {
    if (system.chains[found.chain].phases != Chain::Phases::kFixed) continue;
    const std::vector<ChainPart> parts = chain_parts(system, verdict, found);
    for (std::size_t k = 1; k < parts.size(); ++k) {
      if (!system.tasks[parts[k].first].after) all.push_back({parts[k - 1], parts[k]});
    }
  }
  return all;
}

/// Offsets at which the part arrives when a value of the part before is written, as late as it may be:
/// a whole microsecond later at most, which a person can read.
std::vector<Time> aligned(const System& system, const ChainPart& before, const ChainPart& part) {
  constexpr std::int64_t kMost = 16, kGrain = 1'000;
  const std::int64_t period = system.tasks[part.first].period->ns();
  const std::int64_t common = std::gcd(period, system.tasks[before.first].period->ns());
  const std::int64_t end = (nominal_offset(system, before.first) + before.takes).ns();
  const std::int64_t first = (end + kGrain - 1) / kGrain * kGrain;
  std::vector<Time> offsets;
  for (std::int64_t k = 0; k < std::min(kMost, period / common); ++k) {
    offsets.push_back(Time::from_ns((first % period + k * common) % period));
  }
  return offsets;
}

}  // namespace

std::optional<System> with_gpu_choice_for_chains(const Method& method, const System& system,
                                                 const Options& options, GpuChoice what,
                                                 std::int64_t most, std::int64_t& analyses) {
  Options quick = options;
  quick.plan = quick.terms = false;
  const auto length = [&](const System& asked) {
    ++analyses;
    return length_of(asked, analyze(method, asked, quick), false);
  };
  const std::int64_t end = analyses + most;
  for (System best : starts(system, what)) {
    std::optional<Length> shortest = length(best);
    for (bool better = shortest.has_value(); better && shortest->worst > Length::kLimit;) {
      better = false;
      for (System& near : neighbours(best, what)) {
        if (analyses >= end || options.stop.stop_requested()) return std::nullopt;
        const auto found = length(near);
        if (!found || *found >= *shortest) continue;
        best = std::move(near);
        shortest = found;
        better = true;
        break;
      }
    }
    if (shortest && shortest->worst <= Length::kLimit) return best;
  }
  return std::nullopt;
}

std::optional<System> with_offsets_for_chains(const System& system, const Verdict& verdict) {
  const auto length = [&](const System& asked, Verdict& bounds) {
    bounds.status = Status::kSchedulable;  // of the tasks; that of the chains is looked at anew
    add_end_to_end(asked, bounds);
    return length_of(asked, bounds, true);
  };
  Verdict now = verdict;
  System best = system;
  const std::optional<Length> given = length(best, now);
  if (!given) return std::nullopt;
  Length shortest = *given;
  for (bool better = true; better;) {
    better = false;
    for (const auto& [before, part] : turnable(best, now)) {
      for (const Time offset : aligned(best, before, part)) {
        System near = best;
        near.tasks[part.first].offset = offset;
        Verdict bounds = now;
        const auto found = length(near, bounds);
        if (!found || *found >= shortest) continue;
        best = std::move(near);
        now = std::move(bounds);
        shortest = *found;
        better = true;
      }
    }
  }
  return shortest < *given ? std::optional(std::move(best)) : std::nullopt;
}

}  // namespace tactus::decide
