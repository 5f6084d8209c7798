#include <fmt/core.h>

#include "tactus/methods/gcaps/plan.hpp"
#include "tests/methods/gcaps/random_systems.hpp"
#include "tests/methods/gcaps/support.hpp"
#include "tests/methods/gcaps/tick_simulator.hpp"

/// Hunts for response times above the bounds: small random systems, random phasing and execution
/// times. Safe bounds must hold; that published ones are exceeded shows that the hunter hunts.
namespace tactus::gcaps::tests {
namespace {

constexpr int kRuns = 6;

Node node(std::string name, ElementIndex on, std::int64_t wcet, std::int64_t launch = 0) {
  Node made;
  made.name = std::move(name);
  made.on = on;
  made.wcet = ms(wcet);
  made.launch = ms(launch);
  return made;
}

Task small_task(Random& random, std::int64_t cores, std::size_t index) {
  constexpr ElementIndex kCpu = 0, kGpu = 1;
  Task task;
  task.name = std::to_string(index);
  task.core = random.integer(1, cores);
  task.best_effort = index > 1 && random.chance(0.2);
  if (!task.best_effort || random.chance(0.5)) {
    task.period = task.deadline = ms(random.integer(20, 90));
  }
  const std::int64_t eta = random.chance(0.75) ? random.integer(1, 2) : 0;
  for (std::int64_t j = 0; j < eta; ++j) {
    if (j > 0 || random.chance(0.9)) {
      task.nodes.push_back(node(fmt::format("c{}", j), kCpu, random.integer(0, 3)));
    }
    task.nodes.push_back(
        node(fmt::format("g{}", j), kGpu, random.integer(0, 4), random.integer(0, 3)));
  }
  if (eta == 0 || random.chance(0.5)) {
    task.nodes.push_back(node("last", kCpu, random.integer(0, eta == 0 ? 8 : 3)));
  }
  // A job without any work has a bound of zero by definition, whatever keeps it from starting.
  const bool works = std::any_of(task.nodes.begin(), task.nodes.end(),
                                 [](const Node& n) { return *n.wcet + n.launch > Time(); });
  if (!works) task.nodes.back().wcet = ms(1);
  task.graph = Graph::chain(static_cast<NodeIndex>(task.nodes.size()));
  return task;
}

/// 1-3 cores, 2-6 tasks, whole milliseconds.
System small_system(Random& random) {
  System system;
  system.name = "small";
  const std::int64_t cores = random.integer(1, 3);
  Element cpu, gpu;
  cpu.name = "cpu";
  cpu.units = cores;
  gpu.name = "gpu";
  gpu.kind = ElementKind::kGpu;
  gpu.time_slice = ms(random.integer(1, 3));
  gpu.context_switch = ms(random.integer(0, 2));
  gpu.runlist_update = ms(random.integer(0, 2));
  system.platform.elements = {cpu, gpu};
  const auto count = static_cast<std::size_t>(random.integer(2, 6));
  for (std::size_t i = 0; i < count; ++i) {
    system.tasks.push_back(small_task(random, cores, i));
    if (!system.tasks[i].best_effort) system.tasks[i].priority = 100 - static_cast<int>(i);
  }
  if (random.chance(0.25)) assign_gpu_priorities(system, random);
  return system;
}

/// Jobs for every task: periodic or later, in step or not, at their worst or not.
void add_jobs(Scenario& scenario, const System& system, Ticks horizon, Random& random) {
  const Ticks spread = random.chance(0.5) ? 12 : 60;
  const double always_worst = random.chance(0.5) ? 1.0 : 0.4;
  for (std::size_t i = 0; i < scenario.tasks.size(); ++i) {
    SimTask& task = scenario.tasks[i];
    const std::optional<Time> period = system.tasks[i].period;
    for (Ticks at = random.integer(0, spread); at < horizon;) {
      SimJob job{at, task.worst};
      if (!random.chance(always_worst)) {
        for (Piece& piece : job.pieces) {
          piece.cpu = random.integer(0, piece.cpu);
          piece.launch = random.integer(0, piece.launch);
          piece.exec = random.integer(0, piece.exec);
        }
      }
      task.jobs.push_back(std::move(job));
      at += period ? period->ns() / kMs : random.integer(1, 25);
      if (random.chance(0.3)) at += random.integer(0, 10);
    }
  }
  scenario.context = static_cast<std::size_t>(
      random.integer(0, static_cast<std::int64_t>(scenario.tasks.size()) - 1));
}

/// How a method's runtime behaves.
Policy policy_of(std::string_view method, bool arbiter) {
  if (method.starts_with("tsg-rr")) return Policy::kTsgRr;
  if (method.starts_with("mpcp")) return Policy::kMpcp;
  if (method.starts_with("fmlp")) return Policy::kFmlp;
  return arbiter ? Policy::kGcapsArbiter : Policy::kGcaps;
}

/// Do the bounds hold only if the whole set passes?
bool only_together(std::string_view method, const System& system) {
  if (method.starts_with("tsg-rr")) return false;
  return !method.starts_with("gcaps") || method.ends_with(".prio") || system.tasks[0].gpu_priority;
}

struct Tally {
  int checked = 0, exceeded = 0;
};

class Hunt {
 public:
  Hunt(std::string_view method, std::string_view variant, bool arbiter)
      : method_(method), variant_(variant), arbiter_(arbiter) {}

  /// Runs the system under the method's policy and compares with the method's bounds.
  void chase(const System& system, Random random) {
    const Verdict verdict = run(method_, system, variant_);
    if (only_together(method_, system) && verdict.status != Status::kSchedulable) return;
    Scenario scenario = scenario_of(system, policy_of(method_, arbiter_),
                                    method_.find("busy") != std::string_view::npos, ms(1));
    if (const auto* plan = dynamic_cast<const PriorityPlan*>(verdict.plan.get())) {
      for (const PriorityPlan::Entry& entry : plan->entries) {
        scenario.tasks[entry.task].gpu_priority = entry.gpu_priority;
      }
    }
    std::vector<Ticks> seen(system.tasks.size());
    for (int k = 0; k < kRuns; ++k) {
      for (SimTask& task : scenario.tasks) task.jobs.clear();
      add_jobs(scenario, system, 200, random);
      const std::vector<Ticks> once = worst_responses(scenario, 300);
      for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = std::max(seen[i], once[i]);
    }
    for (const TaskVerdict& task : verdict.tasks) {
      if (!task.bound) continue;
      ++tally_.checked;
      const bool exceeded = seen[task.task] * kMs > task.bound->ns();
      tally_.exceeded += exceeded ? 1 : 0;
      if (exceeded && variant_ != "paper") {
        ADD_FAILURE() << variant_ << " " << method_ << ", task " << task.task << ": seen "
                      << seen[task.task] << " ms, bound " << task.bound->ns() << " ns";
      }
    }
  }

  /// Of the published bounds only two are not known to be exceeded.
  bool can_succeed() const {
    return variant_ == "paper" && method_ != "mpcp.suspend" && method_ != "fmlp.busy";
  }
  const Tally& tally() const { return tally_; }
  std::string name() const {
    return fmt::format("{} {}{}", variant_, method_, arbiter_ ? " (arbiter)" : "");
  }

 private:
  std::string_view method_, variant_;
  bool arbiter_;
  Tally tally_;
};

/// Hunts for every method whose id begins with `family`. Published bounds must be exceeded now and
/// then where docs/use/methods/gcaps.md says that they can be.
void hunt(std::string_view family) {
  const int systems = scaled(500);
  std::vector<Hunt> hunts;
  for (const std::string_view method : kMethods) {
    if (!method.starts_with(family)) continue;
    hunts.emplace_back(method, "safe", false);
    hunts.emplace_back(method, "paper", false);
    if (!method.starts_with("gcaps")) continue;
    hunts.emplace_back(method, "safe-arbiter", true);
    hunts.emplace_back(method, "paper", true);
  }
  for (int index = 0; index < systems && !testing::Test::HasFailure(); ++index) {
    Random random(77, static_cast<std::uint64_t>(index));
    const System system = small_system(random);
    SCOPED_TRACE(fmt::format("system {}", index));
    for (Hunt& one : hunts) one.chase(system, random);
  }
  for (const Hunt& one : hunts) {
    EXPECT_GE(one.tally().checked, systems) << one.name();
    EXPECT_GE(one.tally().exceeded, one.can_succeed() ? 1 : 0) << one.name();
  }
}

TEST(Hunt, FindsNoSafeBoundOfGcapsExceeded) { hunt("gcaps"); }
TEST(Hunt, FindsNoSafeBoundOfTheRoundRobinExceeded) { hunt("tsg-rr"); }
TEST(Hunt, FindsNoSafeBoundOfMpcpExceeded) { hunt("mpcp"); }
TEST(Hunt, FindsNoSafeBoundOfFmlpExceeded) { hunt("fmlp"); }

}  // namespace
}  // namespace tactus::gcaps::tests
