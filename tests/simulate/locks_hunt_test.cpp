// gang.rm-he and gang.wc-he with late releases, tasks that start tasks, and chains, under the FIFO
// lock and the SMLP: no run exceeds a bound, and where a term is forgotten some run does. The figures of the full
// sweep are in bench/results/validate-pipelines-2026-11-18.md.
#include <gtest/gtest.h>

#include <iostream>

#include "tactus/methods/method.hpp"
#include "tactus/model/writer.hpp"
#include "tests/methods/gang/random_systems.hpp"
#include "tests/methods/gcaps/pipelines.hpp"
#include "tests/simulate/locks.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::simulate::locks {
namespace {

/// A system with room for bounds, and how many partitions its accelerators have.
struct Drawn {
  System system;
  std::int64_t partitions = 1;
  bool exact_times = false;  ///< everything on a CPU always takes its `wcet`
};

Drawn draw(std::uint64_t index, const gcaps::tests::Pipelines& what, bool one_cpu = false) {
  gang::RandomSystems systems(static_cast<unsigned>(39'000 + index));
  Random random(394, index);
  Drawn drawn;
  drawn.system = systems.make({.tasks = 4, .nodes = 4, .elements = 3, .units = 4});
  drawn.partitions = random.integer(1, 2);
  drawn.exact_times = random.chance(0.3);
  System& system = drawn.system;
  if (one_cpu) system.platform.elements[0].units = 1;
  const auto tasks = static_cast<std::int64_t>(system.tasks.size());
  for (Task& task : system.tasks) {
    Time sum;
    for (Node& node : task.nodes) {
      if (node.on == 0) node.parallelism = 1;
      node.blocks = 1;
      node.wcet = std::max(*node.wcet, Time::from_ms(1));
      sum += *node.wcet;
    }
    const std::int64_t percent = random.integer(80, 150 * (tasks + 1));
    task.period = task.deadline = Time::from_ns(sum.ns() / 100 * percent);
    task.offset = Time::from_ns(random.integer(0, task.period->ns()));
  }
  system = gcaps::tests::with_pipelines(std::move(system), random, what);
  for (const Task& task : system.tasks) {  // else nothing is left for those that others start
    if (!task.after) continue;
    Task& before = system.tasks[*task.after];
    before.deadline = Time::from_ns(before.period->ns() / 100 * random.integer(30, 60));
  }
  for (Task& task : system.tasks) {
    for (Node& node : task.nodes) {
      node.bcet = node.on != 0        ? Time()
                  : drawn.exact_times ? *node.wcet
                                      : std::min(node.bcet, Time::from_ns(node.wcet->ns() / 2));
    }
  }
  return drawn;
}

Verdict found(const Method& method, const Drawn& drawn, const System& system,
              const char* requests = nullptr) {
  Options options;
  const bool smlp = drawn.partitions == kSmlp;
  if (!smlp) options.settings["k"] = std::to_string(drawn.partitions);
  if (requests != nullptr) {
    options.settings["requests"] = requests;
    if (smlp) options.settings["k"] = "1000000";  // units as few as those of the SMLP
  } else {
    options.settings["lock"] = smlp ? "smlp" : "fifo";
  }
  return analyze(method, system, options);
}

Scenario scenario(const Drawn& drawn, Random& random) {
  Scenario made;
  made.offsets_of_file = random.chance(0.5);
  made.exact = random.chance(0.7);
  made.longest = drawn.exact_times || random.chance(0.6);
  made.jitter = static_cast<Jitter>(random.integer(0, 3));
  made.spins = random.chance(0.5);
  return made;
}

/// What is wrong with a run; empty where nothing is.
std::string exceeded(const System& system, const Verdict& verdict, const Scenario& how,
                     const Seen& seen) {
  if (seen.overran) return "a job overran its period";
  for (const TaskVerdict& task : verdict.tasks) {
    // A task that shares a CPU is in time, and has no smaller bound.
    const Time most = task.bound.value_or(*system.tasks[task.task].deadline);
    if (seen.longest[task.task] > most) return "task " + system.tasks[task.task].name;
  }
  for (const ChainVerdict& chain : verdict.chains) {
    const bool covered = how.exact && (how.offsets_of_file ||
                                       system.chains[chain.chain].phases == Chain::Phases::kAny);
    const trace::ObservedChain& own = seen.chains[chain.chain];
    if (covered && chain.bound && std::max(own.reaction, own.age) > *chain.bound) {
      return "chain " + system.chains[chain.chain].name;
    }
  }
  return {};
}

bool all_bounded(const Verdict& verdict) {
  return std::all_of(verdict.tasks.begin(), verdict.tasks.end(),
                     [](const TaskVerdict& task) { return task.schedulable; });
}

void expect_no_run_exceeds_a_bound(bool smlp) {
  constexpr int kRuns = 6;
  for (const char* id : {"gang.rm-he", "gang.wc-he"}) {
    const Method& method = *find_method(id);
    const int systems = support::scaled(200, 50);
    int bounded = 0, violations = 0, chains = 0, starts = 0;
    for (int i = 0; i < systems; ++i) {
      const auto index = static_cast<std::uint64_t>(i);
      Drawn drawn = draw(
          index, {.jitters = 0.6, .afters = 0.25, .chains = 0.5, .longest = 25, .deadlines = 0.3});
      if (smlp) drawn.partitions = kSmlp;
      const Verdict verdict = found(method, drawn, drawn.system);
      if (verdict.status == Status::kNotApplicable || !all_bounded(verdict)) continue;
      ++bounded;
      for (const ChainVerdict& chain : verdict.chains) chains += chain.bound ? 1 : 0;
      for (const Task& task : drawn.system.tasks) starts += task.after ? 1 : 0;
      Random random(395, index);
      for (int run = 0; run < kRuns; ++run) {
        const Scenario how = scenario(drawn, random);
        const Seen seen = locks::run(drawn.system, verdict, drawn.partitions, how, 12, random);
        const std::string wrong = exceeded(drawn.system, verdict, how, seen);
        if (wrong.empty()) continue;
        ++violations;
        ADD_FAILURE() << id << ", k = " << drawn.partitions << ": " << wrong << "\n"
                      << write_system_line(drawn.system);
      }
    }
    EXPECT_GT(bounded, systems / 10) << id;
    EXPECT_GT(chains, bounded / 4) << id;
    EXPECT_GT(starts, bounded / 20) << id;
    std::cout << id << ", --lock " << (smlp ? "smlp" : "fifo") << ": systems " << systems
              << " bounds " << bounded << " runs " << kRuns * bounded << " violations "
              << violations << '\n';
  }
}

TEST(LockHunt, FindsNoRunThatExceedsABound) { expect_no_run_exceeds_a_bound(false); }
TEST(LockHunt, FindsNoneUnderTheSmlp) { expect_no_run_exceeds_a_bound(true); }

/// What a bound can forget.
enum class Forgot { kOwnJitter, kOthersJitter, kWaiting };

Verdict without(const Method& method, const Drawn& drawn, const Verdict& verdict, Forgot forgot) {
  System system = drawn.system;
  if (forgot == Forgot::kOthersJitter) {
    for (Task& task : system.tasks) task.jitter = Time();
  }
  Verdict other = found(method, drawn, system, forgot == Forgot::kWaiting ? "0" : nullptr);
  for (TaskVerdict& task : other.tasks) {
    const Time jitter = drawn.system.tasks[task.task].jitter;
    if (task.bound && forgot == Forgot::kOwnJitter) task.bound = *task.bound - jitter;
    if (task.bound && forgot == Forgot::kOthersJitter) task.bound = *task.bound + jitter;
  }
  for (std::size_t i = 0; i < other.tasks.size(); ++i)
    other.tasks[i].details = verdict.tasks[i].details;
  other.chains.clear();
  return other;
}

/// How many systems it takes to see that; nothing where these do not show it.
std::optional<int> systems_until_seen(const char* id, Forgot forgot, bool one_cpu,
                                      bool smlp = false) {
  const Method& method = *find_method(id);
  for (int i = 0; i < 4'000; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    Drawn drawn = draw(index, {.jitters = 0.8, .afters = 0, .chains = 0, .longest = 60}, one_cpu);
    if (smlp) drawn.partitions = kSmlp;
    const Verdict verdict = found(method, drawn, drawn.system);
    if (verdict.status != Status::kSchedulable) continue;
    const Verdict mutant = without(method, drawn, verdict, forgot);
    if (mutant.status != Status::kSchedulable) continue;
    Random random(396, index);
    for (int run = 0; run < 6; ++run) {
      const Scenario how = scenario(drawn, random);
      const Seen seen = locks::run(drawn.system, verdict, drawn.partitions, how, 12, random);
      if (!exceeded(drawn.system, mutant, how, seen).empty()) return i + 1;
    }
  }
  return std::nullopt;
}

TEST(LockMutants, AreCaught) {
  for (const char* id : {"gang.rm-he", "gang.wc-he"}) {
    EXPECT_TRUE(systems_until_seen(id, Forgot::kOwnJitter, false)) << id;
    EXPECT_TRUE(systems_until_seen(id, Forgot::kWaiting, false)) << id;
    EXPECT_TRUE(systems_until_seen(id, Forgot::kWaiting, false, true)) << id;
  }
  // With several CPUs the carry-in leaves too much room to see whose jitter is in it.
  EXPECT_TRUE(systems_until_seen("gang.rm-he", Forgot::kOthersJitter, true));
}

}  // namespace
}  // namespace tactus::simulate::locks
