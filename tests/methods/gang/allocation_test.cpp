#include "tactus/methods/gang/shares/allocation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/shares/least_units.hpp"
#include "tactus/methods/gang/shares/pareto_search.hpp"
#include "tests/methods/gang/random_systems.hpp"
#include "tests/methods/gang/support.hpp"

/// Shares of several DAGs: two exact solvers, all allocations one by one, and what is said where
/// there is none.
namespace tactus::gang {
namespace {

using Units = std::vector<std::int64_t>;
constexpr std::size_t kBudget = 10'000'000;

std::int64_t total(const Allocation& allocation) {
  std::int64_t sum = 0;
  for (const Units& units : allocation) sum = std::accumulate(units.begin(), units.end(), sum);
  return sum;
}

/// Tries every vector of units of every DAG; feasibility of one by Theorem 2 on the share itself.
std::optional<Allocation> exhaustive(const System& system, const std::vector<PreparedDag>& dags,
                                     Scheduler scheduler) {
  const Units platform = whole_platform(system);
  std::vector<std::vector<Units>> good(dags.size());
  for (std::size_t k = 0; k < dags.size(); ++k) {
    Units units(platform.size());
    const std::function<void(std::size_t)> choose = [&](std::size_t p) {
      if (p == platform.size()) {
        const Fraction bound = theorem2(system, dags[k], scheduler, units).total;
        if (bound <= to_fraction(dags[k].dag.deadline)) good[k].push_back(units);
        return;
      }
      std::int64_t least = 0, most = 0;
      for (const ElementLoad& load : dags[k].loads) {
        if (load.element != p) continue;
        least = system.platform.elements[p].lanes > 1 ? 1 : load.widest;
        most = platform[p];
      }
      for (units[p] = least; units[p] <= most; ++units[p]) choose(p + 1);
    };
    choose(0);
  }
  std::optional<Allocation> best;
  Allocation current;
  const std::function<void(Units)> combine = [&](Units left) {
    if (current.size() == dags.size()) {
      if (!best || total(current) < total(*best)) best = current;  // first = smallest
      return;
    }
    for (const Units& units : good[current.size()]) {
      Units rest = left;
      bool fits = true;
      for (std::size_t p = 0; p < rest.size(); ++p) {
        rest[p] -= units[p];
        fits = fits && rest[p] >= 0;
      }
      if (!fits) continue;
      current.push_back(units);
      combine(rest);
      current.pop_back();
    }
  };
  combine(platform);
  return best;
}

/// Does the allocation meet (1)-(3) of the program of Section VI, exactly?
bool is_feasible(const AllocationProblem& problem, const Allocation& allocation) {
  std::vector<std::int64_t> used(problem.units.size());
  for (std::size_t k = 0; k < problem.demands.size(); ++k) {
    const Demand& demand = problem.demands[k];
    Fraction sum;
    for (std::size_t p = 0; p < problem.units.size(); ++p) {
      const std::int64_t units = allocation[k][p];
      used[p] += units;
      const auto& choices = demand.choices[p];
      if (choices.empty()) {
        if (units != 0) return false;
        continue;
      }
      // The last choice that asks for no more units.
      auto choice = std::upper_bound(
          choices.begin(), choices.end(), units,
          [](std::int64_t value, const Choice& entry) { return value < entry.units; });
      if (choice == choices.begin()) return false;
      sum += std::prev(choice)->term;
    }
    if (sum > demand.slack) return false;
  }
  return std::equal(used.begin(), used.end(), problem.units.begin(), std::less_equal<>());
}

TEST(RandomAllocations, AreTheBestOfAllOfThem) {
  RandomSystems random(31);
  int found = 0, impossible = 0;
  for (int round = 0; round < scaled(400); ++round) {
    const System system = random.make({.tasks = 3, .nodes = 6, .elements = 2, .units = 6});
    const auto dags = prepare_all(system);
    for (Scheduler scheduler : {kWorkConserving, kSemi}) {
      const auto best = exhaustive(system, dags, scheduler);
      AllocationProblem problem = make_problem(system, candidates(dags), scheduler);
      Solution solution{Outcome::kInfeasible};
      if (drop_useless_choices(problem)) solution = pareto_solver().solve(problem, kBudget, {});
      ASSERT_EQ(solution.outcome, best ? Outcome::kFound : Outcome::kInfeasible) << round;
      if (best) {
        ASSERT_EQ(solution.allocation, *best) << round;
        ASSERT_TRUE(is_feasible(problem, *best));
      }
      ++(best ? found : impossible);
    }
  }
  EXPECT_GT(found, 50);
  EXPECT_GT(impossible, 50);
}

/// A problem with contention for the units but no DAG behind it: random choices.
AllocationProblem random_problem(RandomSystems& random) {
  AllocationProblem problem;
  const std::int64_t elements = random.pick(1, 4), demands = random.pick(1, 6);
  for (std::int64_t p = 0; p < elements; ++p) problem.units.push_back(random.pick(4, 6 * demands));
  for (std::int64_t k = 0; k < demands; ++k) {
    Demand demand{static_cast<TaskIndex>(k), 0, {}};
    demand.choices.resize(problem.units.size());
    Fraction least;
    for (auto& choices : demand.choices) {
      if (random.pick(0, 4) == 0) continue;
      std::int64_t units = random.pick(1, 3), term = random.pick(20, 60);
      for (std::int64_t i = random.pick(1, 6); i > 0 && term >= 0; --i) {
        Fraction exact(static_cast<long>(term), 6);
        exact.canonicalize();
        choices.push_back({units, exact});
        units += random.pick(1, 3);
        term -= random.pick(1, 12);
      }
      least += choices.back().term;
    }
    // Often exactly what some choices add up to: the edge where rounding would decide.
    demand.slack = least + Fraction(static_cast<long>(random.pick(0, 30)), 6);
    demand.slack.canonicalize();
    problem.demands.push_back(std::move(demand));
  }
  return problem;
}

TEST(RandomAllocations, AreTheSameByBothSolvers) {
  if (integer_program_solver() == nullptr) GTEST_SKIP() << "built without CBC";
  RandomSystems random(32);
  int found = 0, impossible = 0;
  for (int round = 0; round < scaled(2000); ++round) {
    AllocationProblem problem = random_problem(random);
    ASSERT_TRUE(drop_useless_choices(problem));
    const Solution pareto = pareto_solver().solve(problem, kBudget, {});
    const Solution program = integer_program_solver()->solve(problem, kBudget, {});
    ASSERT_EQ(pareto.outcome, program.outcome) << round;
    ASSERT_NE(pareto.outcome, Outcome::kBudget);
    ASSERT_EQ(pareto.allocation, program.allocation) << round;
    if (pareto.outcome == Outcome::kFound) {
      ASSERT_TRUE(is_feasible(problem, pareto.allocation)) << round;
    }
    ++(pareto.outcome == Outcome::kFound ? found : impossible);
  }
  EXPECT_GT(found, scaled(200));
  EXPECT_GT(impossible, scaled(200));
}

TEST(Allocation, MeetsADeadlineThatEqualsTheBound) {
  // Three unit nodes on two units: 1 + 2/2 * 5 = 10 exactly.
  const std::string text = R"({{"tactus":1,"name":"x","time_unit":"ns","platform":{{"elements":[
      {{"name":"c","kind":"cpu","units":3}}]}},"tasks":[{{"name":"a","period":100,"deadline":{},
      "nodes":[{{"name":"x","on":"c","wcet":5}},{{"name":"y","on":"c","wcet":5}},
      {{"name":"z","on":"c","wcet":5}}],"edges":[]}},{{"name":"b","period":9,"nodes":[
      {{"name":"x","on":"c","wcet":5}}]}}]}})";
  for (const char* solver : {"pareto", "cbc"}) {
    if (std::string(solver) == "cbc" && integer_program_solver() == nullptr) continue;
    const System exact = read(fmt::format(fmt::runtime(text), 10));
    EXPECT_EQ(run("gang.wc", exact, {{"solver", solver}}).status, Status::kSchedulable);
    const System less = read(fmt::format(fmt::runtime(text), 9));
    EXPECT_EQ(run("gang.wc", less, {{"solver", solver}}).status, Status::kUnschedulable);
  }
}

System two_tasks(int deadline, int units) {
  return read(fmt::format(R"({{"tactus":1,"name":"x","time_unit":"unit","platform":{{"elements":[
      {{"name":"c","kind":"cpu","units":{0}}},{{"name":"d","kind":"cpu","units":{0}}}]}},"tasks":[
      {{"name":"a","period":100,"deadline":{1},"nodes":[{{"name":"x","on":"c","wcet":6}},
        {{"name":"y","on":"c","wcet":6}},{{"name":"u","on":"d","wcet":6}},
        {{"name":"v","on":"d","wcet":6}}],"edges":[]}},
      {{"name":"b","period":100,"deadline":{1},"nodes":[{{"name":"x","on":"c","wcet":6}},
        {{"name":"y","on":"c","wcet":6}},{{"name":"u","on":"d","wcet":6}},
        {{"name":"v","on":"d","wcet":6}}],"edges":[]}}]}})",
                          units, deadline));
}

TEST(WithoutAnAllocation, TheReasonSaysWhatBindsAndByHowMuch) {
  // len 6; term of an element on u units 6/u.
  const auto reason = [](int deadline, int units) {
    const Verdict verdict = run("gang.wc", two_tasks(deadline, units));
    EXPECT_EQ(verdict.status, Status::kUnschedulable);
    for (const TaskVerdict& task : verdict.tasks) EXPECT_FALSE(task.bound.has_value());
    return verdict.reason;
  };
  EXPECT_EQ(reason(5, 8), "task `a`: its longest path takes 6, 1 more than its deadline 5");
  EXPECT_EQ(
      reason(8, 4),
      "task `a`: even alone on the whole platform its bound is 9, 1 more than its deadline 8");
  EXPECT_EQ(reason(9, 4),
            "element `c`: the tasks need at least 8 units of it together, 4 more than it has (4)");
  EXPECT_EQ(reason(9, 7),
            "no combination of shares fits the platform; the closest lacks 2 units (1 `c`, 1 `d`)");
  EXPECT_EQ(run("gang.wc", two_tasks(9, 8)).status, Status::kSchedulable);
}

TEST(Budget, EndsInUndecidedNeverInInfeasible) {
  RandomSystems random(33);
  int exhausted = 0;
  for (int round = 0; round < 300; ++round) {
    AllocationProblem problem = random_problem(random);
    ASSERT_TRUE(drop_useless_choices(problem));
    const Solution full = pareto_solver().solve(problem, kBudget, {});
    const Solution little = pareto_solver().solve(problem, 20, {});
    if (little.outcome == Outcome::kBudget) {
      ++exhausted;
    } else {
      ASSERT_EQ(little.outcome, full.outcome);
      ASSERT_EQ(little.allocation, full.allocation);
    }
  }
  EXPECT_GT(exhausted, 20);
}

}  // namespace
}  // namespace tactus::gang
