#include "tactus/methods/gang/shares/entry_table.hpp"
#include "tests/methods/gang/random_systems.hpp"
#include "tests/methods/gang/simulation.hpp"
#include "tests/support/rigid.hpp"

/// Measured kernels (`times`): worked examples, one for each trap, and all combinations of entries
/// one by one.
namespace tactus::gang {
namespace {

using support::all_widths;
using support::rigid;
using Units = std::vector<std::int64_t>;

constexpr std::int64_t kUnit = 1'000'000;  // one unit of time in nanoseconds

System kernels(std::string_view nodes, int units, int deadline = 100) {
  return read(fmt::format(R"({{"tactus":1,"name":"x","time_unit":"unit","platform":{{"elements":[
      {{"name":"gpu","kind":"gpu","units":{}}}]}},"tasks":[
      {{"name":"a","period":100,"deadline":{},"nodes":[{}],"edges":[]}}]}})",
                          units, deadline, nodes));
}

/// The same kernels as rigid gangs: (width, time).
System gangs(const std::vector<std::pair<int, int>>& widths_and_times, int units) {
  std::string nodes;
  for (const auto& [width, time] : widths_and_times) {
    nodes += fmt::format(R"({}{{"name":"n{}","on":"gpu","parallelism":{},"wcet":{}}})",
                         nodes.empty() ? "" : ",", nodes.size(), width, time);
  }
  return kernels(nodes, units);
}

double bound(const System& system, std::string_view method = "gang.wc") {
  return in_units(system, *run(method, system).tasks.at(0).bound);
}
std::vector<std::int64_t> widths(const System& system) {
  std::vector<std::int64_t> units;
  const Widths noted = noted_widths(run("gang.wc", system), system);
  for (const NodeUnits& node : noted.at(0)) units.push_back(node.units);
  return units;
}

EntryTable table_of(const System& system, Scheduler scheduler, std::size_t task = 0) {
  return make_entry_table(system, tasks_of(system)[task], scheduler, {}, 20'000'000, Shares::kAll);
}

/// The length is not a constant beside the terms: of a kernel alone it is all there is.
TEST(AMeasuredKernel, AloneTakesTheTimeOfItsFastestEntryWithinTheShare) {
  const System system = kernels(
      R"({"name":"k","on":"gpu","times":[{"units":2,"wcet":9},{"units":5,"wcet":4},
                                         {"units":6,"wcet":4},{"units":8,"wcet":5}]})",
      8);
  EXPECT_EQ(bound(system), 4);
  EXPECT_EQ(widths(system), (Units{5}));
  const EntryTable table = table_of(system, kWorkConserving);
  ASSERT_EQ(table.rows.size(), 7u) << "from 2 units, the first entry, to 8";
  EXPECT_EQ(table.rows.front().units, (Units{2}));
  EXPECT_EQ(table.rows[2].amount, Fraction(9 * kUnit)) << "on 4 units still the entry of 2";
  EXPECT_EQ(table.rows[3].amount, Fraction(4 * kUnit));
  EXPECT_EQ(table.rows.back().entries, (Entries{1})) << "8 units are slower than 5";
}

constexpr const char* kWideOrNarrow =
    R"({"name":"a","on":"gpu","times":[{"units":1,"wcet":3},{"units":2,"wcet":1}]},
       {"name":"b","on":"gpu","times":[{"units":1,"wcet":1}]})";

/// On 2 units the best is a on both: 2.5. When b has started first and a does not wait for it, but
/// runs on the unit that is free, it takes 3.
TEST(Trap, ANarrowerEntryAtRunTimeBreaksTheBound) {
  const System system = kernels(kWideOrNarrow, 2);
  const Verdict verdict = run("gang.wc", system);
  EXPECT_EQ(bound(system), 2.5);
  EXPECT_EQ(widths(system), (Units{2, 1}));
  const auto seen = [](const System& gangs) {
    return reference::response(reference::expand(gangs, 0), {.order = {1, 0}});
  };
  EXPECT_EQ(seen(rigid(system, verdict)), 2 * kUnit);
  EXPECT_EQ(seen(gangs({{1, 3}, {1, 1}}, 2)), 3 * kUnit);
}

constexpr const char* kFasterIsWorse =
    R"({"name":"a","on":"gpu","times":[{"units":1,"wcet":3},{"units":2,"wcet":2}]},
       {"name":"b","on":"gpu","times":[{"units":1,"wcet":3}]})";

/// On 2 units the best is one each: 4.5. With a on both, because they are free and it is faster, the
/// two run one after the other.
TEST(Trap, AWiderAndFasterEntryAtRunTimeBreaksTheBound) {
  const System system = kernels(kFasterIsWorse, 2);
  EXPECT_EQ(bound(system), 4.5);
  EXPECT_EQ(widths(system), (Units{1, 1}));
  const auto dag = reference::expand(gangs({{2, 2}, {1, 3}}, 2), 0);
  EXPECT_EQ(reference::response(dag, {.order = {0, 1}}), 5 * kUnit);
}

/// Only a width shrinks, and the bound rises: one idle processor now counts against the other node.
TEST(Trap, ANarrowerGangOfTheSameLengthCanHaveALargerBound) {
  EXPECT_EQ(bound(gangs({{2, 1}, {2, 1}}, 2)), 2);
  EXPECT_EQ(bound(gangs({{1, 1}, {2, 1}}, 2)), 2.5);
  // So the planner does not take the narrower of two equally fast entries because it is narrower.
  const System system = kernels(
      R"({"name":"a","on":"gpu","times":[{"units":1,"wcet":1},{"units":2,"wcet":1}]},
         {"name":"b","on":"gpu","parallelism":2,"wcet":1})",
      2);
  EXPECT_EQ(bound(system), 2);
  EXPECT_EQ(widths(system), (Units{2}));
}

/// By the fastest entries a second unit would raise the bound from 6 to 6.5.
TEST(Trap, TheFastestEntriesDoNotMakeTheBoundFallWithUnits) {
  EXPECT_EQ(bound(gangs({{1, 3}, {1, 3}}, 1)), 6);
  EXPECT_EQ(bound(gangs({{2, 2}, {1, 3}}, 2)), 6.5);
  const EntryTable table = table_of(kernels(kFasterIsWorse, 2), kWorkConserving);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].amount, Fraction(6 * kUnit));
  EXPECT_EQ(table.rows[1].amount, Fraction(9 * kUnit / 2));
}

TEST(Trap, AShareHoldsTheFirstEntryOfEveryNode) {
  const char* nodes =
      R"({"name":"a","on":"gpu","times":[{"units":3,"wcet":2}]},
         {"name":"b","on":"gpu","times":[{"units":1,"wcet":2},{"units":2,"wcet":1}]})";
  EXPECT_EQ(table_of(kernels(nodes, 5), kSemi).rows.front().units, (Units{3}));
  // The plan of the fewest units is not below it either.
  const Verdict verdict = run("gang.swc", kernels(nodes, 5));
  const std::string problem = verdict.reason;
  ASSERT_NE(verdict.plan, nullptr) << problem;
  EXPECT_EQ(verdict.plan->tables(kernels(nodes, 5))[0].rows[0][1], "3");
}

/// Moldable on both sides, and launches: as if the file had said the widths itself.
TEST(RandomMoldables, HaveTheBoundOfTheRigidGangsThatThePlanMakesOfThem) {
  RandomSystems random(81);
  int moldable = 0;
  for (int round = 0; round < scaled(1500); ++round) {
    const System system = random.make(
        {.tasks = 3, .nodes = 6, .elements = 3, .units = 8, .times = true, .launch = true});
    for (const char* method : {"gang.wc", "gang.swc"}) {
      const Verdict verdict = run(method, system);
      ASSERT_NE(verdict.status, Status::kNotApplicable) << verdict.reason;
      if (!verdict.tasks[0].bound || verdict.tasks.size() > 1) continue;
      const Verdict made = run(method, rigid(system, verdict));
      ASSERT_EQ(verdict.tasks[0].bound, made.tasks[0].bound) << method << " " << round;
      moldable += noted_widths(verdict, system)[0].empty() ? 0 : 1;
    }
  }
  EXPECT_GT(moldable, scaled(1500) / 10);
}

TEST(RandomMoldables, HaveTheLeastBoundOfAllCombinations) {
  RandomSystems random(82);
  int moldable = 0;
  for (int round = 0; round < scaled(600); ++round) {
    const System system =
        random.make({.tasks = 1, .nodes = 6, .elements = 3, .units = 6, .times = true});
    for (const char* method : {"gang.wc", "gang.swc"}) {
      for (const char* delta : {"dp", "exact"}) {
        const Verdict verdict = run(method, system, {{"delta", delta}});
        std::optional<Time> least;
        for (const auto& own : all_widths(system.tasks[0], whole_platform(system))) {
          const Verdict made = run(method, rigid(system, {{own}}), {{"delta", delta}});
          least = std::min(least.value_or(Time::max()), *made.tasks[0].bound);
        }
        ASSERT_EQ(verdict.tasks[0].bound, least) << method << " " << delta << " " << round;
        ASSERT_EQ(verdict.status == Status::kSchedulable, *least <= *system.tasks[0].deadline);
      }
    }
    moldable += all_widths(system.tasks[0], whole_platform(system)).size() > 1 ? 1 : 0;
  }
  EXPECT_GT(moldable, scaled(600) / 10);
}

/// Every table against all combinations for every share; so the amounts fall with units, too.
TEST(RandomTables, HaveTheBestEntriesOfEveryShare) {
  RandomSystems random(83);
  int shares = 0;
  for (int round = 0; round < scaled(200); ++round) {
    const System system = random.make(
        {.tasks = 1, .nodes = 5, .elements = 3, .units = 5, .lanes = false, .times = true});
    const GangTask task = tasks_of(system)[0];
    if (!task.moldable()) continue;
    for (Scheduler scheduler : {kWorkConserving, kSemi}) {
      const EntryTable table = table_of(system, scheduler);
      EXPECT_TRUE(table.complete);
      for (const EntryTable::Row& row : table.rows) {
        Units units = whole_platform(system);
        for (std::size_t p = 0; p < row.units.size(); ++p) units[table.elements[p]] = row.units[p];
        const auto amount = [&](const Entries& entries) {
          const PreparedDag dag = prepare(system, make_dag(task, entries), {});
          const DagBound bound = theorem2(system, dag, scheduler, units);
          Fraction sum = to_fraction(dag.length);
          for (std::size_t p = 0; p < dag.loads.size(); ++p) {
            if (std::find(table.elements.begin(), table.elements.end(), dag.loads[p].element) !=
                table.elements.end()) {
              sum += bound.parts[p].term.amount;
            }
          }
          return sum;
        };
        ASSERT_EQ(row.amount, amount(row.entries)) << round;
        for (const auto& own : all_widths(system.tasks[0], units)) {
          ASSERT_LE(row.amount, amount(*entries_of(task, own))) << round;
        }
        ++shares;
      }
      for (const auto& [less, amount, entries] : table.rows) {
        for (const EntryTable::Row& more : table.rows) {
          if (!std::equal(less.begin(), less.end(), more.units.begin(), std::less_equal<>())) {
            continue;
          }
          ASSERT_GE(amount, more.amount) << round;
        }
      }
    }
  }
  EXPECT_GT(shares, scaled(200));
}

/// 13 kernels of two entries each: more than 4,096 combinations.
System many_combinations(int deadline, int kernels_count = 13) {
  std::string nodes;
  for (int i = 0; i < kernels_count; ++i) {
    nodes += fmt::format(
        R"({}{{"name":"k{}","on":"gpu","times":[{{"units":{},"wcet":{}}},{{"units":{},"wcet":{}}}]}})",
        i == 0 ? "" : ",", i, 1 + i % 3, 6 + i % 4, 4 + i % 2, 2 + i % 3);
  }
  return kernels(nodes, 8, deadline);
}

TEST(AnIncompleteSearch, StillHasTheBoundOfItsEntries) {
  const System system = many_combinations(100);
  const Verdict verdict = run("gang.swc", system);
  EXPECT_EQ(verdict.status, Status::kSchedulable);
  EXPECT_EQ(verdict.tasks[0].bound, run("gang.swc", rigid(system, verdict)).tasks[0].bound);
  const EntryTable table = table_of(system, kSemi);
  EXPECT_FALSE(table.complete);
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    EXPECT_LE(table.rows[i].amount, table.rows[i - 1].amount);
  }
  // It is no worse than the fastest entries.
  std::vector<NodeUnits> fastest;
  for (NodeIndex v = 0; v < 13; ++v)
    fastest.push_back({v, system.tasks[0].nodes[v].times[1].units});
  EXPECT_LE(verdict.tasks[0].bound, run("gang.swc", rigid(system, {{fastest}})).tasks[0].bound);
}

TEST(AnIncompleteSearch, IsUndecidedWhereItFindsNothing) {
  for (const bool plan : {true, false}) {
    Options options;
    options.plan = plan;
    const auto judged = [&](const System& system) {
      return analyze(*find_method("gang.wc"), system, options);
    };
    const Verdict late = judged(many_combinations(20));
    EXPECT_EQ(late.status, Status::kUndecided);
    EXPECT_TRUE(late.tasks[0].bound.has_value()) << "of the best entries found";
    EXPECT_NE(late.reason.find("not all combinations of the `times` of task `a` were tried"),
              std::string::npos)
        << late.reason;
    // One kernel less, and all are tried.
    EXPECT_EQ(judged(many_combinations(20, 12)).status, Status::kUnschedulable);
    // The shortest path alone is too long: no entries can help.
    EXPECT_EQ(judged(many_combinations(3)).status, Status::kUnschedulable);
  }
}

TEST(AnIncompleteSearch, IsUndecidedForSeveralTasksToo) {
  System system = many_combinations(20);
  system.tasks.push_back(many_combinations(100, 2).tasks[0]);
  system.tasks[1].name = "b";
  EXPECT_EQ(run("gang.wc", system).status, Status::kUndecided);
  // A task whose entries were all tried and who fails alone settles it: its kernels take 2 and 3.
  system.tasks[1].deadline = Time::from_ms(3);
  EXPECT_EQ(run("gang.wc", system).status, Status::kUnschedulable);
}

/// When the steps are used up, the entries of a unit less are kept.
TEST(AnIncompleteSearch, EndsWithItsSteps) {
  const System system = many_combinations(100);
  for (const std::size_t steps : {0, 1, 10, 1000}) {
    const EntryTable table =
        make_entry_table(system, tasks_of(system)[0], kWorkConserving, {}, steps, Shares::kAll);
    EXPECT_FALSE(table.complete);
    for (std::size_t i = 1; i < table.rows.size(); ++i) {
      EXPECT_LE(table.rows[i].amount, table.rows[i - 1].amount) << steps;
    }
  }
}

// A vaguer description of the same kernel never gets a smaller bound.

TEST(FewerEntries, NeverGiveASmallerBound) {
  RandomSystems random(84);
  int different = 0;
  for (int round = 0; round < scaled(1000); ++round) {
    const System system =
        random.make({.tasks = 1, .nodes = 6, .elements = 2, .units = 8, .times = true});
    System vaguer = system;
    for (Node& node : vaguer.tasks[0].nodes) {
      while (node.times.size() > 1 && random.pick(0, 1) == 0) {
        node.times.erase(node.times.begin() +
                         random.pick(0, static_cast<std::int64_t>(node.times.size()) - 1));
      }
    }
    for (const char* method : {"gang.wc", "gang.swc"}) {
      const auto more = run(method, system).tasks[0].bound,
                 less = run(method, vaguer).tasks[0].bound;
      ASSERT_LE(more, less) << method << " " << round;
      different += *more < *less ? 1 : 0;
    }
  }
  EXPECT_GT(different, 0);
}

TEST(ParallelismM, IsACurveOfTheOneEntryM) {
  RandomSystems random(85);
  for (int round = 0; round < scaled(1000); ++round) {
    System gangs = random.make({.tasks = 3, .nodes = 6, .elements = 2, .units = 8, .lanes = false});
    System curves = gangs;
    for (Task& task : curves.tasks) {
      for (Node& node : task.nodes) {
        if (curves.platform.elements[node.on].kind != ElementKind::kGpu) continue;
        node.times = {{*node.parallelism, *node.wcet, node.bcet, {}}};
        node.parallelism.reset();
        node.wcet.reset();
        node.bcet = Time();
      }
    }
    for (const char* method : {"gang.wc", "gang.swc", "gang.rm-he", "gang.wc-he"}) {
      const Verdict a = run(method, gangs), b = run(method, curves);
      ASSERT_EQ(a.status, b.status) << method << " " << round << a.reason << b.reason;
      ASSERT_EQ(a.tasks.size(), b.tasks.size());
      for (std::size_t k = 0; k < a.tasks.size(); ++k) {
        ASSERT_EQ(a.tasks[k].bound, b.tasks[k].bound) << method << " " << round;
      }
    }
  }
}

}  // namespace
}  // namespace tactus::gang
