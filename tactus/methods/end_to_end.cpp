#include "tactus/methods/end_to_end.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tactus/base/diagnostic.hpp"
#include "tactus/model/paths.hpp"

namespace tactus {
namespace {

using Bounds = std::vector<std::optional<Time>>;

/// By task: from its nominal arrival to its end. A task that is proved without a bound of its own
/// ends by its deadline.
Bounds bounds_of(const System& system, const Verdict& verdict) {
  Bounds bounds(system.tasks.size());
  for (const TaskVerdict& task : verdict.tasks) {
    bounds[task.task] = task.bound || !task.schedulable ? task.bound : task.deadline;
  }
  return bounds;
}

/// Only the last task of a path shows it.
void add_latencies(const System& system, const Bounds& bounds, Verdict& verdict) {
  std::vector<bool> starts_others(system.tasks.size());
  for (const Task& task : system.tasks) {
    if (task.after && !task.best_effort) starts_others[*task.after] = true;
  }
  for (TaskVerdict& task : verdict.tasks) {
    task.latency.reset();
    if (!system.tasks[task.task].after || starts_others[task.task] || !bounds[task.task]) continue;
    task.latency = nominal_delay(system, task.task) + *bounds[task.task];
  }
}

/// A task, or several of which each starts the next: they read and write as one.
struct Unit {
  Time period, offset;
  Time length;  ///< from its arrival to its end, at most
  TaskIndex first, last;

  ChainPart part(Time wait) const { return {first, last, wait, length}; }
};
using Parts = std::vector<ChainPart>;

/// Nothing where a task has no bound, or arrives only once.
std::optional<std::vector<Unit>> units_of(const System& system, const Chain& chain,
                                          const Bounds& bounds) {
  std::vector<Unit> units;
  for (std::size_t k = 0; k < chain.tasks.size(); ++k) {
    const TaskIndex index = chain.tasks[k];
    const Task& task = system.tasks[index];
    if (!bounds[index] || !task.period) return std::nullopt;
    if (k > 0 && task.after == chain.tasks[k - 1]) {
      // Its bound contains those of the tasks before it: only the head's arrival is earlier.
      units.back().length = nominal_offset(system, index) - units.back().offset + *bounds[index];
      units.back().last = index;
    } else {
      units.push_back({*task.period, nominal_offset(system, index), *bounds[index], index, index});
    }
  }
  return units;
}

/// Whatever the phases: each unit may just have missed what it waits for.
Parts parts_any(const std::vector<Unit>& units) {
  Parts parts;
  for (const Unit& unit : units) parts.push_back(unit.part(unit.period));
  return parts;
}

Time sum_of(const Parts& parts) {
  Time sum;
  for (const ChainPart& part : parts) sum += part.wait + part.takes;
  return sum;
}

std::int64_t remainder(std::int64_t a, std::int64_t b) {
  const std::int64_t r = a % b;
  return r < 0 ? r + b : r;
}

/// The jobs of the first unit after which the phases repeat; nothing where they are too many.
std::optional<std::int64_t> jobs_to_look_at(const std::vector<Unit>& units) {
  constexpr std::int64_t kMost = 1'000'000;
  std::int64_t cycle = 1;
  for (const Unit& unit : units) {
    const std::int64_t period = unit.period.ns();
    if (__builtin_mul_overflow(cycle / std::gcd(cycle, period), period, &cycle)) {
      return std::nullopt;
    }
  }
  const std::int64_t jobs = cycle / units.front().period.ns();
  return jobs > kMost ? std::nullopt : std::optional(jobs);
}

/// From `time` to the next arrival of a unit, in ns from the first arrival of the first unit.
std::int64_t wait_at(std::int64_t time, const Unit& unit) {
  const std::int64_t since = time - unit.offset.ns(), period = unit.period.ns();
  const std::int64_t into = since > 0 ? since % period : since;
  return into > 0 ? period - into : -into;
}

/// Job by job of the first unit: an event just after its read is read by its next job, and each
/// further unit passes it on with its first job that arrives after that.
Parts parts_by_jobs(std::vector<Unit> units, std::int64_t jobs) {
  // Times from the first arrival on. No sum below can overflow if this one does not.
  const Time all = sum_of(parts_any(units));
  static_cast<void>(jobs * units.front().period + all + all);
  for (std::size_t u = units.size(); u-- > 0;) {
    const std::int64_t period = units[u].period.ns();
    const std::int64_t phase =
        remainder(units[u].offset.ns() % period - units[0].offset.ns() % period, period);
    units[u].offset = Time::from_ns(phase);
  }
  const std::int64_t step = units[0].period.ns(), own = units[0].length.ns();
  std::int64_t longest = 0, next = 1, at = 0;
  for (std::int64_t k = 0; k < jobs; k = next) {
    const std::int64_t arrival = k * step;
    std::int64_t end = arrival + step + own;
    next = k + 1;
    for (std::size_t u = 1; u < units.size(); ++u) {
      const std::int64_t wait = wait_at(end, units[u]);
      // Jobs of the first unit that end before this arrival, too, are passed on with it: for an event
      // that comes later.
      if (u == 1) next = (end + wait - own) / step;
      end += wait + units[u].length.ns();
    }
    if (end - arrival > longest) {
      longest = end - arrival;
      at = arrival;
    }
  }
  Parts parts = {units[0].part(units[0].period)};
  std::int64_t end = at + step + own;
  for (std::size_t u = 1; u < units.size(); ++u) {
    const std::int64_t wait = wait_at(end, units[u]);
    parts.push_back(units[u].part(Time::from_ns(wait)));
    end += wait + units[u].length.ns();
  }
  return parts;
}

/// Pair by pair: the phase of an end within the period of the next unit is known up to the greatest
/// common divisor of the two periods.
Parts parts_by_pairs(const std::vector<Unit>& units) {
  Parts parts = {units.front().part(units.front().period)};
  for (std::size_t k = 1; k < units.size(); ++k) {
    const Unit &unit = units[k], &before = units[k - 1];
    const std::int64_t common = std::gcd(unit.period.ns(), before.period.ns());
    const std::int64_t phase = remainder(
        unit.offset.ns() % common - before.offset.ns() % common - before.length.ns() % common,
        common);
    parts.push_back(unit.part(unit.period - Time::from_ns(common) + Time::from_ns(phase)));
  }
  return parts;
}

Parts parts_of(const Chain& chain, const std::vector<Unit>& units) {
  if (chain.phases == Chain::Phases::kAny) return parts_any(units);
  const auto jobs = jobs_to_look_at(units);
  return jobs ? parts_by_jobs(units, *jobs) : parts_by_pairs(units);
}

/// Why a chain does not hold, in words.
std::string why_not(const System& system, const Chain& chain, const ChainVerdict& found) {
  for (const TaskIndex task : chain.tasks) {
    if (!system.tasks[task].best_effort) continue;
    return fmt::format(
        "chain {} has no bound: nothing bounds best-effort task {}; make it a task with a deadline",
        quote(chain.name), quote(system.tasks[task].name));
  }
  if (!found.bound) {
    return fmt::format("chain {} has no bound: each of its tasks needs a bound and a period",
                       quote(chain.name));
  }
  const bool reaction = chain.reaction && *found.bound > *chain.reaction;
  return fmt::format("chain {} can take {}, but its `{}` is {}", quote(chain.name),
                     format_time(*found.bound, system.time_unit), reaction ? "reaction" : "age",
                     format_time(reaction ? *chain.reaction : *chain.age, system.time_unit));
}

void add_chains(const System& system, const Bounds& bounds, Verdict& verdict) {
  const bool tasks_pass = verdict.status == Status::kSchedulable;
  verdict.chains.clear();
  for (std::size_t i = 0; i < system.chains.size(); ++i) {
    const Chain& chain = system.chains[i];
    ChainVerdict& found = verdict.chains.emplace_back();
    found.chain = i;
    if (!tasks_pass) continue;  // a bound of a task may rely on the others
    if (const auto units = units_of(system, chain, bounds)) {
      found.bound = sum_of(parts_of(chain, *units));
    }
    const auto within = [&](const std::optional<Time>& most) {
      return !most || found.bound <= most;
    };
    found.holds = found.bound && within(chain.reaction) && within(chain.age);
    if (found.holds || verdict.status != Status::kSchedulable) continue;
    verdict.status = Status::kUnschedulable;
    verdict.reason = why_not(system, chain, found);
    verdict.at = chain.at;
  }
}

}  // namespace

void add_end_to_end(const System& system, Verdict& verdict) {
  if (verdict.status == Status::kNotApplicable) return;
  const bool paths = std::any_of(system.tasks.begin(), system.tasks.end(),
                                 [](const Task& task) { return task.after.has_value(); });
  if (!paths && system.chains.empty()) return;
  const Bounds bounds = bounds_of(system, verdict);
  if (paths) add_latencies(system, bounds, verdict);
  add_chains(system, bounds, verdict);
}

std::vector<ChainPart> chain_parts(const System& system, const Verdict& verdict,
                                   const ChainVerdict& chain) {
  if (!chain.bound) return {};
  const Chain& asked = system.chains[chain.chain];
  const auto units = units_of(system, asked, bounds_of(system, verdict));
  return units ? parts_of(asked, *units) : Parts();
}

}  // namespace tactus
