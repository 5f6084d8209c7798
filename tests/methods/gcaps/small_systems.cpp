#include "tests/methods/gcaps/small_systems.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/generate/gcaps_small.hpp"

namespace tactus::gcaps::tests {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr Time ms(std::int64_t whole) { return Time::from_ns(whole * kMs); }

Node node(std::string name, ElementIndex on, std::int64_t wcet, std::int64_t launch = 0) {
  Node made;
  made.name = std::move(name);
  made.on = on;
  made.wcet = ms(wcet);
  made.launch = ms(launch);
  return made;
}

Task small_task(Random& random, std::int64_t cores, std::size_t index, Population population) {
  constexpr ElementIndex kCpu = 0, kGpu = 1;
  const bool zeroes = population == Population::kZeroes;
  const auto length = [&](std::int64_t most) {
    return zeroes && random.chance(0.6) ? 0 : random.integer(0, most);
  };
  Task task;
  task.name = std::to_string(index);
  task.core = random.integer(1, cores);
  task.best_effort = index > 1 && random.chance(0.2);
  if (!task.best_effort || random.chance(0.5)) {
    // Few and short periods where exact coincidences are what is hunted.
    task.period = task.deadline = ms(zeroes ? 5 * random.integer(1, 8) : random.integer(20, 90));
  }
  if (population == Population::kCarryIn && task.period) {
    task.period = task.deadline = ms(index < 2 ? random.integer(9, 16) : random.integer(50, 90));
  }
  const std::int64_t eta = random.chance(0.75) ? random.integer(1, zeroes ? 3 : 2) : 0;
  for (std::int64_t j = 0; j < eta; ++j) {
    if (j > 0 || random.chance(zeroes ? 0.5 : 0.9)) {
      task.nodes.push_back(node(fmt::format("c{}", j), kCpu, length(zeroes ? 5 : 3)));
    }
    const std::int64_t exec = length(zeroes ? 5 : 4);
    task.nodes.push_back(node(fmt::format("g{}", j), kGpu, exec, length(3)));
  }
  if (eta == 0 || random.chance(zeroes ? 0.2 : 0.5)) {
    task.nodes.push_back(node("last", kCpu, length(eta == 0 ? 8 : 3)));
  }
  // A job without any work has a bound of zero by definition, whatever keeps it from starting.
  const bool works = std::any_of(task.nodes.begin(), task.nodes.end(),
                                 [](const Node& n) { return *n.wcet + n.launch > Time(); });
  if (!works) task.nodes.front().wcet = ms(1);
  task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  return task;
}

/// Jobs for every task.
void add_jobs(Scenario& scenario, const System& system, Ticks horizon, Random& random) {
  const bool in_step = random.chance(0.2);
  const Ticks spread = random.chance(0.5) ? 12 : 60;
  const double always_worst = random.chance(0.5) ? 1.0 : 0.4;
  for (std::size_t i = 0; i < scenario.tasks.size(); ++i) {
    SimTask& task = scenario.tasks[i];
    const std::optional<Time> period = system.tasks[i].period;
    for (Ticks at = in_step ? 0 : random.integer(0, spread); at < horizon;) {
      SimJob job{at, task.worst};
      if (!random.chance(always_worst)) {
        for (Piece& piece : job.pieces) {
          piece.cpu = random.integer(0, piece.cpu);
          piece.launch = random.integer(0, piece.launch);
          piece.exec = random.integer(0, piece.exec);
          for (Launched& one : piece.launched) {
            one.launch = random.integer(0, one.launch);
            one.exec = random.integer(0, one.exec);
            one.first = std::min(one.first, one.launch);
          }
        }
      }
      task.jobs.push_back(std::move(job));
      at += period ? period->ns() / kMs : random.integer(1, 25);
      if (!in_step && random.chance(0.3)) at += random.integer(0, 10);
    }
  }
  scenario.context = static_cast<std::size_t>(
      random.integer(0, static_cast<std::int64_t>(scenario.tasks.size()) - 1));
}

}  // namespace

System small_system(Random& random, Population population) {
  const bool zeroes = population == Population::kZeroes;
  System system;
  system.name = "small";
  const std::int64_t cores = random.integer(1, 3);
  Element cpu, gpu;
  cpu.name = "cpu";
  cpu.units = cores;
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.time_slice = ms(random.integer(1, 3));
  gpu.context_switch = ms(zeroes ? 0 : random.integer(0, 2));
  gpu.runlist_update = ms(zeroes && random.chance(0.8) ? 0 : random.integer(0, 2));
  if (population == Population::kLongUpdates) {
    gpu.runlist_update = ms(random.integer(2, 5));
  } else if (population == Population::kLongDelay) {
    gpu.runlist_update = ms(random.integer(0, 1));
    gpu.preemption_delay = ms(random.integer(2, 6));
  } else if (population != Population::kNoDelay && random.chance(0.6)) {
    gpu.preemption_delay = ms(random.integer(0, 4));
  }
  system.platform.elements = {cpu, gpu};
  const auto count = static_cast<std::size_t>(random.integer(2, 6));
  for (std::size_t i = 0; i < count; ++i) {
    system.tasks.push_back(small_task(random, cores, i, population));
    if (!system.tasks[i].best_effort) system.tasks[i].priority = 100 - static_cast<int>(i);
  }
  if (random.chance(0.25)) assign_gpu_priorities(system, random);
  if (population == Population::kOverlaps) add_overlaps(system, random, ms(1));
  return system;
}

std::vector<Ticks> longest_seen(Scenario scenario, const System& system, int runs, Random& random) {
  const Ticks delay = scenario.delay;
  std::vector<Ticks> seen(system.tasks.size());
  for (int k = 0; k < runs; ++k) {
    for (SimTask& task : scenario.tasks) task.jobs.clear();
    add_jobs(scenario, system, 200, random);
    scenario.delay = random.chance(0.7) ? delay : random.integer(0, delay);
    scenario.works_while_leaving = random.chance(0.3);
    trace::Scenario within;  // what comes first within one instant
    within.order = static_cast<trace::Order>(random.integer(0, 3));
    within.seed = random.next();
    scenario.ties = [within](Ticks now) { return trace::ties_at(within, Time::from_ns(now)); };
    const std::vector<Ticks> once = worst_responses(scenario, 300);
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = std::max(seen[i], once[i]);
  }
  return seen;
}

Policy policy_of(std::string_view method, std::string_view variant) {
  if (method.starts_with("tsg-rr")) return Policy::kTsgRr;
  if (method.starts_with("mpcp")) return Policy::kMpcp;
  if (method.starts_with("fmlp")) return Policy::kFmlp;
  if (variant == "safe-inherit") return Policy::kGcapsInherit;
  return variant == "safe-arbiter" ? Policy::kGcapsArbiter : Policy::kGcaps;
}

bool has_bounds(std::string_view variant, const System& system) {
  return variant != "safe-inherit" || !naive::orders_differ(naive::make_set(system));
}

bool only_together(std::string_view method, const System& system) {
  if (method.starts_with("tsg-rr")) return false;
  return !method.starts_with("gcaps") || method.ends_with(".prio") || system.tasks[0].gpu_priority;
}

std::optional<int> systems_until_exceeded(const Mutant& mutant, Population population, int most) {
  const bool busy = mutant.method.find("busy") != std::string_view::npos;
  for (int index = 0; index < most; ++index) {
    Random random(4'711, static_cast<std::uint64_t>(index));
    const System system = small_system(random, population);
    if (!has_bounds(mutant.variant, system)) continue;
    const naive::Answer answer = naive::analyze(system, mutant.method, mutant.variant, mutant.row);
    if (only_together(mutant.method, system) && !answer.schedulable) continue;
    const Policy policy = policy_of(mutant.method, mutant.variant);
    const Scenario scenario = scenario_of(system, policy, busy, ms(1));
    const std::vector<Ticks> seen = longest_seen(scenario, system, 12, random);
    for (std::size_t i = 0; i < system.tasks.size(); ++i) {
      if (system.tasks[i].best_effort) continue;
      const std::optional<naive::Ns> bound = answer.bounds.at(system.tasks[i].name);
      if (bound && seen[i] * kMs > *bound) return index + 1;
    }
  }
  return std::nullopt;
}

}  // namespace tactus::gcaps::tests
