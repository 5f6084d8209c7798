#include "tactus/methods/gang/bound/theorem1.hpp"
#include "tactus/methods/gang/bound/tight.hpp"
#include "tests/methods/gang/random_systems.hpp"
#include "tests/methods/gang/reference.hpp"

/// The product against slow versions, and properties that must hold of it, on random DAGs.
namespace tactus::gang {
namespace {

constexpr RandomSystems::Shape kSmall = {.tasks = 1, .nodes = 9, .elements = 3, .units = 9};

/// Every number of the analysis at once.
TEST(RandomDags, AgreeWithTheDefinitions) {
  RandomSystems random(11);
  for (int round = 0; round < scaled(4000); ++round) {
    const System system = random.make(kSmall);
    const reference::RefDag slow = reference::expand(system, 0);
    if (slow.nodes.size() > 16) continue;  // all subsets of interferers are tried
    for (const bool exact : {false, true}) {
      const PreparedDag dag = prepare_all(system, exact).front();
      for (Scheduler scheduler : {kWorkConserving, kSemi}) {
        const auto delta = reference::deltas(
            slow, scheduler, exact ? reference::Delta::kExact : reference::Delta::kDp);
        ASSERT_EQ(deltas(system, scheduler, exact), delta) << "round " << round;
        const DagBound bound = theorem2(system, dag, scheduler, whole_platform(system));
        const auto terms = reference::theorem2(slow, delta);
        Fraction total = terms[0];
        for (std::size_t p = 0; p < dag.loads.size(); ++p) {
          ASSERT_EQ(bound.parts[p].term.amount, terms[dag.loads[p].element + 1]) << round;
          total += terms[dag.loads[p].element + 1];
        }
        ASSERT_EQ(bound.total, total) << round;
        const auto path_bound = theorem1(dag, bound, 1'000'000);
        ASSERT_TRUE(path_bound.has_value());
        ASSERT_EQ(*path_bound, reference::theorem1(slow, delta)) << round;
        ASSERT_LE(*path_bound, bound.total);
        const Fraction tight = tighten(dag, bound).total;
        ASSERT_LE(tight, bound.total);
        ASSERT_GE(tight, *path_bound) << round;
      }
    }
  }
}

/// Section VII-A: "semi-work-conserving scheduling becomes work-conserving".
TEST(RandomDags, OfWidthOneHaveTheSameBoundUnderSwcAndWc) {
  RandomSystems random(13);
  int wider = 0;
  for (int round = 0; round < scaled(300); ++round) {
    System system = random.make({.tasks = 1, .nodes = 12, .lanes = false, .blocks = false});
    const auto differ = [&] {
      const PreparedDag dag = prepare_all(system).front();
      const auto units = whole_platform(system);
      return theorem2(system, dag, kWorkConserving, units).total !=
             theorem2(system, dag, kSemi, units).total;
    };
    wider += differ() ? 1 : 0;
    for (Node& node : system.tasks[0].nodes) node.parallelism = 1;
    ASSERT_FALSE(differ()) << round;
  }
  EXPECT_GT(wider, 0);
}

TEST(RandomDags, SwcIsNeverBelowWcNorDpBelowExact) {
  RandomSystems random(12);
  for (int round = 0; round < scaled(3000); ++round) {
    const System system =
        random.make({.tasks = 1, .nodes = 25, .elements = 3, .units = 20, .lanes = true});
    const auto units = whole_platform(system);
    const PreparedDag dp = prepare_all(system).front(), exact = prepare_all(system, true).front();
    const Fraction wc = theorem2(system, dp, kWorkConserving, units).total;
    const Fraction swc = theorem2(system, dp, kSemi, units).total;
    ASSERT_LE(wc, swc);
    ASSERT_LE(theorem2(system, exact, kWorkConserving, units).total, wc);
    ASSERT_LE(theorem2(system, exact, kSemi, units).total, swc);
    for (Scheduler scheduler : {kWorkConserving, kSemi}) {
      const DagBound bound = theorem2(system, dp, scheduler, units);
      for (std::size_t p = 0; p < dp.loads.size(); ++p) {
        for (std::size_t k = 0; k < dp.loads[p].nodes.size(); ++k) {
          ASSERT_GE(bound.parts[p].idle[k], 0);
          ASSERT_LT(bound.parts[p].idle[k], bound.parts[p].pools.size);
          if (scheduler == kWorkConserving) {
            ASSERT_LT(bound.parts[p].idle[k], dp.loads[p].width[k]);
          }
        }
      }
    }
  }
}

TEST(RandomDags, InterferenceNeverGrowsWithUnits) {
  RandomSystems random(13);
  for (int round = 0; round < scaled(1500); ++round) {
    const System system = random.make({.tasks = 1, .nodes = 14, .elements = 2, .units = 16});
    for (const bool exact : {false, true}) {
      const PreparedDag dag = prepare_all(system, exact).front();
      for (std::size_t p = 0; p < dag.loads.size(); ++p) {
        const Element& element = system.platform.elements[dag.loads[p].element];
        for (Scheduler scheduler : {kWorkConserving, kSemi}) {
          std::optional<Fraction> before;
          const std::int64_t least = element.lanes > 1 ? 1 : dag.loads[p].widest;
          for (std::int64_t units = least; units <= element.units; ++units) {
            const Pools pools = pools_of(element, units);
            const auto idle = idle_processors(dag.loads[p], dag.totals[p], pools.size, scheduler);
            const Fraction term = element_term(dag.loads[p], idle, pools).amount;
            if (before) {
              ASSERT_LE(term, *before) << "round " << round << " units " << units;
            }
            before = term;
          }
        }
      }
    }
  }
}

/// Totals computed for the whole platform must serve every smaller share.
TEST(RandomDags, GiveTheSameBoundOnAShareAsOnAPlatformOfThatSize) {
  RandomSystems random(14);
  for (int round = 0; round < scaled(1500); ++round) {
    System system = random.make({.tasks = 1, .nodes = 12, .elements = 3, .units = 12});
    const PreparedDag whole = prepare_all(system).front();
    std::vector<std::int64_t> units = whole_platform(system);
    for (const ElementLoad& load : whole.loads) {
      Element& element = system.platform.elements[load.element];
      const std::int64_t least = element.lanes > 1 ? 1 : load.widest;
      units[load.element] = random.pick(least, element.units);
    }
    System small = system;
    for (std::size_t p = 0; p < units.size(); ++p) small.platform.elements[p].units = units[p];
    const PreparedDag shrunk = prepare_all(small).front();
    for (Scheduler scheduler : {kWorkConserving, kSemi}) {
      ASSERT_EQ(theorem2(system, whole, scheduler, units).total,
                theorem2(small, shrunk, scheduler, units).total);
    }
  }
}

/// A set that is complete enough for one pool gives the same Delta as the whole set.
TEST(RandomDags, HaveTheSameDeltaWhereTheSearchForTotalsEndsEarly) {
  RandomSystems random(18);
  for (int round = 0; round < scaled(1500); ++round) {
    const System system =
        random.make({.tasks = 1, .nodes = 40, .elements = 2, .units = 150, .lanes = false});
    const PreparedDag dag = prepare_all(system).front();
    for (std::size_t p = 0; p < dag.loads.size(); ++p) {
      const std::int64_t pool = system.platform.elements[dag.loads[p].element].units;
      const Totals early = totals_by_dp(dag.loads[p], pool, Serves::kOnePool);
      for (Scheduler scheduler : {kWorkConserving, kSemi}) {
        ASSERT_EQ(idle_processors(dag.loads[p], early, pool, scheduler),
                  idle_processors(dag.loads[p], dag.totals[p], pool, scheduler));
      }
    }
  }
}

TEST(Tight, IsGrahamsBoundOnOneSequentialElement) {
  RandomSystems random(15);
  for (int round = 0; round < scaled(1000); ++round) {
    System system =
        random.make({.tasks = 1, .nodes = 20, .elements = 1, .units = 8, .lanes = false});
    for (Node& node : system.tasks[0].nodes) node.parallelism = 1;
    const PreparedDag dag = prepare_all(system).front();
    const auto units = whole_platform(system);
    const DagBound bound = theorem2(system, dag, kSemi, units);
    const Fraction length = to_fraction(dag.length);
    // Where too little can interfere for the tangent to have the slope 1/m, the bound is lower.
    const Fraction graham =
        length + (quotient(dag.loads[0].total, 1) - length) / static_cast<long>(units[0]);
    ASSERT_LE(tighten(dag, bound).total, graham);
    if (bound.parts[0].term.amount > 0 && !bound.parts[0].term.no_h) {
      ASSERT_EQ(tighten(dag, bound).total, graham) << round;
    }
  }
}

TEST(Terms, AddUpToTheBound) {
  RandomSystems random(16);
  for (int round = 0; round < scaled(500); ++round) {
    const System system = random.make({.tasks = 3, .nodes = 8, .elements = 2, .units = 12});
    for (const char* method : {"gang.wc", "gang.swc", "gang.rm-he", "gang.wc-he"}) {
      for (const char* tight : {"", "on"}) {
        const Verdict verdict = run(method, system, {{"tight", tight}});
        for (const TaskVerdict& task : verdict.tasks) {
          if (!task.bound) continue;
          Time sum;
          for (const Term& term : task.terms) {
            ASSERT_GE(term.amount, Time()) << method << " " << term.label;
            sum += term.amount;
          }
          ASSERT_EQ(sum, *task.bound) << method << " round " << round;
        }
      }
    }
  }
}

/// Blocks of a kernel are counted, not listed.
TEST(Blocks, OfOneKernelGiveTheSameAsNodesListedOneByOne) {
  RandomSystems random(17);
  for (int round = 0; round < scaled(500); ++round) {
    const System counted = random.make({.tasks = 1, .nodes = 7, .elements = 3, .units = 6});
    const auto slow = reference::expand(counted, 0);
    for (Scheduler scheduler : {kWorkConserving, kSemi}) {
      ASSERT_EQ(deltas(counted, scheduler),
                reference::deltas(slow, scheduler, reference::Delta::kDp));
    }
  }
}

TEST(Blocks, OfAHugeKernelDoNotOverflow) {
  const System system = read(R"({"tactus":1,"name":"x","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":132,"lanes":2048}]},"tasks":[{"name":"a","period":1e6,
      "nodes":[{"name":"k","on":"gpu","wcet":100,"threads":96,"blocks":2000000000},
               {"name":"l","on":"gpu","wcet":100,"threads":1024,"blocks":2000000000}],
      "edges":[]}]})");
  const Verdict verdict = run("gang.swc", system);
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_GT(verdict.tasks[0].bound.value(), Time::from_ms(1'000'000'000));
}

}  // namespace
}  // namespace tactus::gang
