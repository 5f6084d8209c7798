#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/locks/lock_bounds.hpp"

namespace tactus::gang {
namespace {

/// The fewest with a bound within the deadline, or more than there are. More do no harm.
std::int64_t fewest_cpus(const PathList& paths, std::int64_t cpus, const Fraction& deadline) {
  std::int64_t low = 1, high = cpus + 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (paths.bound(middle).total <= deadline) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

PlanTable cpu_table(std::string_view header, std::string_view kind, std::int64_t cpus) {
  return {"CPUs", {"kind", std::string(header)}, {{std::string(kind), std::to_string(cpus)}}};
}

}  // namespace

void federated_cpus(const LockedDags& locked, LockedBounds& bounds) {
  const std::int64_t cpus = locked.view.cpus;
  std::int64_t used = 0;
  std::vector<std::size_t> light;
  std::vector<Fraction> density(locked.dags.size());
  for (std::size_t k = 0; k < locked.dags.size(); ++k) {
    throw_if_stopped(locked.stop);
    density[k] = locked.dags[k].to_time(locked.dags[k].volume) / locked.limit(k);
    if (density[k] <= 1) {
      light.push_back(k);
      continue;
    }
    const PathList paths(locked.dags[k], cpus, locked.stop);
    const std::int64_t own = fewest_cpus(paths, cpus, locked.limit(k));
    if (own > cpus) {
      bounds.feasible = false;
      bounds.reason = fmt::format(
          "task {} misses its deadline {} even with all {} CPUs", quote(locked.task(k).name),
          format_time(locked.view.dags[k].deadline, locked.system.time_unit), cpus);
      bounds.tasks[k].note = "misses its deadline even with all CPUs";
      if (locked.explained) bounds.tasks[k].terms = lock_terms(locked, k, paths.bound(cpus));
      continue;
    }
    const HeBound bound = paths.bound(own);
    set_bound(bounds.tasks[k], locked, k, bound, bound.total);
    bounds.tasks[k].details.push_back(cpu_table("CPUs", "own", own));
    used += own;
  }
  std::stable_sort(light.begin(), light.end(),
                   [&](std::size_t a, std::size_t b) { return density[a] > density[b]; });
  std::vector<Fraction> shared;
  for (std::size_t k : light) {
    throw_if_stopped(locked.stop);
    auto cpu = std::find_if(shared.begin(), shared.end(),
                            [&](const Fraction& load) { return load + density[k] <= 1; });
    if (cpu == shared.end()) cpu = shared.insert(shared.end(), Fraction(0));
    *cpu += density[k];
    bounds.tasks[k].details.push_back(cpu_table("CPU", "shared", cpu - shared.begin() + 1));
  }
  used += static_cast<std::int64_t>(shared.size());
  if (used > cpus && bounds.feasible) {
    bounds.feasible = false;
    bounds.reason = fmt::format("the tasks need {} CPUs ({} of them shared), there are {}", used,
                                shared.size(), cpus);
  }
  for (std::size_t k : light) {
    TaskVerdict& task = bounds.tasks[k];
    task.schedulable = bounds.feasible;
    task.note = bounds.feasible ? "in time on a shared CPU (EDF), which gives no smaller bound"
                                : "on a shared CPU (EDF), which holds only if every task fits";
  }
}

}  // namespace tactus::gang
