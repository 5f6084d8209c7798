#include <fmt/core.h>

#include "tactus/methods/gang/bound/theorem1.hpp"
#include "tactus/methods/gang/bound/tight.hpp"
#include "tactus/methods/gang/gang_plan.hpp"
#include "tests/methods/gang/support.hpp"

/// The paper's figures and small examples, worked out by hand to every digit.
namespace tactus::gang {
namespace {

using Deltas = std::vector<std::int64_t>;
constexpr double kDigits = 1e-6;

struct Bounds {
  double theorem2, theorem1, tight;
  std::vector<double> terms;
};

Bounds bounds(const System& system, Scheduler scheduler, bool exact = false) {
  const PreparedDag dag = prepare_all(system, exact).front();
  const auto units = whole_platform(system);
  const DagBound bound = theorem2(system, dag, scheduler, units);
  Fraction tight = tighten(dag, bound).total;
  if (scheduler == kWorkConserving) {
    tight = std::min(tight, tighten(dag, theorem2(system, dag, kSemi, units)).total);
  }
  Bounds result{in_units(system, bound.total),
                in_units(system, theorem1(dag, bound, 20'000).value()),
                in_units(system, tight),
                {}};
  for (const auto& part : bound.parts) result.terms.push_back(in_units(system, part.term.amount));
  return result;
}

std::int64_t units_of(const Verdict& verdict) {
  const auto* plan = dynamic_cast<const SharePlan*>(verdict.plan.get());
  if (plan == nullptr) return -1;
  std::int64_t total = 0;
  for (const auto& share : plan->shares) {
    for (std::int64_t units : share.units) total += units;
  }
  return total;
}

/// Nodes as (name, element, width, wcet).
std::string one_task(std::string_view elements, std::string_view nodes, std::string_view edges,
                     int period = 100) {
  return fmt::format(R"({{"tactus":1,"name":"x","time_unit":"unit","platform":{{"elements":[{}]}},
    "tasks":[{{"name":"G","period":{},"nodes":[{}],"edges":[{}]}}]}})",
                     elements, period, nodes, edges);
}
std::string node(std::string_view name, std::string_view on, int width, int wcet) {
  return fmt::format(R"({{"name":"{}","on":"{}","parallelism":{},"wcet":{}}})", name, on, width,
                     wcet);
}

TEST(ExampleA, Fig6) {
  const System system = read(one_task(
      R"({"name":"ce","kind":"cpu","units":10})",
      node("t1", "ce", 1, 1) + "," + node("t2", "ce", 3, 2) + "," + node("t3", "ce", 4, 2) + "," +
          node("t4", "ce", 6, 3) + "," + node("t5", "ce", 4, 2) + "," + node("t6", "ce", 3, 3) +
          "," + node("t7", "ce", 1, 1),
      R"(["t1","t2"],["t1","t3"],["t1","t4"],["t2","t6"],["t3","t5"],["t3","t6"],["t4","t7"],
         ["t5","t7"],["t6","t7"])",
      50));
  const PreparedDag dag = prepare_all(system).front();
  EXPECT_EQ(in_units(system, dag.length), 7);
  EXPECT_EQ(in_units(system, quotient(dag.loads[0].total, 1)), 51);
  EXPECT_EQ(in_units(system, quotient(dag.loads[0].least_path, 1)), 17);

  EXPECT_EQ(deltas(system, kWorkConserving), (Deltas{0, 0, 1, 3, 1, 0, 0}));
  EXPECT_NEAR(bounds(system, kWorkConserving).theorem2, 11.761905, kDigits);
  EXPECT_NEAR(bounds(system, kWorkConserving).theorem1, 10.466667, kDigits);
  EXPECT_EQ(deltas(system, kSemi), (Deltas{0, 3, 3, 3, 3, 3, 0}));
  EXPECT_NEAR(bounds(system, kSemi).theorem2, 11.857143, kDigits);
  EXPECT_NEAR(bounds(system, kSemi).theorem1, 11.857143, kDigits);
  EXPECT_EQ(units_of(run("gang.wc", system)), 6);
  EXPECT_EQ(units_of(run("gang.swc", system)), 6);
}

System fig1() {
  return read(one_task(
      R"({"name":"ce1","kind":"cpu","units":4},{"name":"ce2","kind":"cpu","units":6})",
      node("t1", "ce1", 1, 4) + "," + node("t2", "ce2", 3, 5) + "," + node("t3", "ce2", 2, 4) +
          "," + node("t4", "ce2", 4, 3) + "," + node("t5", "ce1", 1, 3) + "," +
          node("t6", "ce1", 3, 3) + "," + node("t7", "ce1", 3, 4) + "," + node("t8", "ce1", 2, 3) +
          "," + node("t9", "ce2", 3, 2) + "," + node("t10", "ce1", 1, 2),
      R"(["t1","t2"],["t1","t3"],["t1","t4"],["t2","t5"],["t2","t6"],["t3","t6"],["t3","t7"],
         ["t4","t8"],["t4","t9"],["t5","t9"],["t6","t9"],["t7","t9"],["t8","t10"],["t9","t10"])"));
}

TEST(ExampleB, Fig1) {
  const System system = fig1();
  EXPECT_EQ(deltas(system, kWorkConserving), (Deltas{0, 2, 0, 3, 0, 2, 2, 1, 0, 0}));
  const Bounds wc = bounds(system, kWorkConserving);
  EXPECT_NEAR(wc.terms[0], 15, kDigits);
  EXPECT_NEAR(wc.terms[1], 9.166667, kDigits);
  EXPECT_NEAR(wc.theorem2, 40.166667, kDigits);
  EXPECT_NEAR(wc.theorem1, 31.5, kDigits);
  EXPECT_NEAR(wc.tight, 36.166667, kDigits);
  EXPECT_EQ(deltas(system, kSemi), (Deltas{0, 3, 3, 3, 2, 2, 2, 2, 0, 0}));
  const Bounds swc = bounds(system, kSemi);
  EXPECT_NEAR(swc.terms[1], 9.666667, kDigits);
  EXPECT_NEAR(swc.theorem2, 40.666667, kDigits);
  EXPECT_NEAR(swc.theorem1, 36.166667, kDigits);
  for (const char* method : {"gang.wc", "gang.swc"}) {
    const Verdict verdict = run(method, system);
    const auto* plan = dynamic_cast<const SharePlan*>(verdict.plan.get());
    ASSERT_NE(plan, nullptr);
    EXPECT_EQ(plan->shares[0].units, (std::vector<std::int64_t>{3, 4})) << method;
  }
}

TEST(ExampleC, Fig2) {
  const System system = read(one_task(R"({"name":"c","kind":"cpu","units":4})",
                                      node("x", "c", 3, 2) + "," + node("y", "c", 2, 3), ""));
  EXPECT_EQ(deltas(system, kWorkConserving), (Deltas{2, 1}));
  EXPECT_NEAR(bounds(system, kWorkConserving).theorem2, 6, kDigits);
  EXPECT_NEAR(bounds(system, kWorkConserving).theorem1, 5, kDigits);
  EXPECT_EQ(deltas(system, kSemi), (Deltas{2, 2}));
  EXPECT_NEAR(bounds(system, kSemi).theorem2, 6, kDigits);
  EXPECT_NEAR(bounds(system, kSemi).theorem1, 6, kDigits);
}

TEST(ExampleD, DpIsPessimisticWhereExactIsNot) {
  const System system = read(one_task(R"({"name":"c","kind":"cpu","units":4})",
                                      node("a", "c", 1, 2) + "," + node("b", "c", 1, 2) + "," +
                                          node("c", "c", 1, 2) + "," + node("w", "c", 2, 3),
                                      R"(["a","c"])"));
  EXPECT_EQ(deltas(system, kWorkConserving, true), (Deltas{0, 0, 0, 0}));
  EXPECT_NEAR(bounds(system, kWorkConserving, true).theorem2, 6.5, kDigits);
  EXPECT_NEAR(bounds(system, kSemi, true).theorem2, 6.5, kDigits);
  EXPECT_EQ(deltas(system, kWorkConserving), (Deltas{0, 0, 0, 1}));
  EXPECT_NEAR(bounds(system, kWorkConserving).theorem2, 7, kDigits);
  EXPECT_EQ(deltas(system, kSemi), (Deltas{1, 1, 1, 1}));
  EXPECT_NEAR(bounds(system, kSemi).theorem2, 7.333333, kDigits);
}

TEST(ExampleE, HOfPMayNotExist) {
  const System system =
      read(one_task(R"({"name":"p","kind":"cpu","units":3},{"name":"q","kind":"cpu","units":1})",
                    node("s", "q", 1, 1) + "," + node("a", "p", 2, 3) + "," + node("x", "q", 1, 1) +
                        "," + node("c", "p", 2, 4),
                    R"(["s","a"],["a","c"],["s","x"],["x","c"])"));
  const PreparedDag dag = prepare_all(system).front();
  EXPECT_EQ(in_units(system, quotient(dag.loads[0].off_path(), 1)), 6);
  EXPECT_EQ(in_units(system, quotient(dag.loads[1].off_path(), 1)), 1);
  EXPECT_EQ(dag.loads[0].interfering, 0);
  EXPECT_EQ(dag.loads[1].interfering, 0);
  for (Scheduler scheduler : {kWorkConserving, kSemi}) {
    EXPECT_EQ(bounds(system, scheduler).theorem2, 8);
    EXPECT_EQ(bounds(system, scheduler).terms, (std::vector<double>{0, 0}));
    EXPECT_TRUE(theorem2(system, dag, scheduler, whole_platform(system)).parts[0].term.no_h);
  }
}

TEST(ExampleF, SmCluster) {
  const System system = read(
      one_task(R"({"name":"g","kind":"gpu","units":2,"lanes":8})",
               node("u", "g", 3, 4) + "," + node("v", "g", 5, 2) + "," + node("w", "g", 6, 3), ""));
  EXPECT_EQ(deltas(system, kWorkConserving), (Deltas{4, 4, 10}));
  EXPECT_NEAR(bounds(system, kWorkConserving).theorem2, 8.333333, kDigits);
  EXPECT_NEAR(bounds(system, kWorkConserving).theorem1, 6.666667, kDigits);
  EXPECT_EQ(deltas(system, kSemi), (Deltas{10, 10, 10}));
  EXPECT_NEAR(bounds(system, kSemi).theorem2, 9, kDigits);
  EXPECT_NEAR(bounds(system, kSemi).theorem1, 8.666667, kDigits);
}

TEST(ExampleG, FederatedShares) {
  const System system = read(R"({"tactus":1,"name":"g","time_unit":"unit",
    "platform":{"elements":[{"name":"cpu","kind":"cpu","units":4},
                            {"name":"gpu","kind":"gpu","units":4}]},
    "tasks":[{"name":"a","period":10,"nodes":[{"name":"c","on":"cpu","wcet":2},
                {"name":"g1","on":"gpu","parallelism":2,"wcet":3},
                {"name":"g2","on":"gpu","parallelism":1,"wcet":4}],"edges":[["c","g1"],["c","g2"]]},
             {"name":"b","period":12,"nodes":[{"name":"x","on":"cpu","wcet":5},
                {"name":"y","on":"cpu","wcet":5},{"name":"z","on":"cpu","wcet":5}],"edges":[]}]})");
  for (const char* method : {"gang.wc", "gang.swc"}) {
    for (const char* solver : {"auto", "pareto", "cbc"}) {
      if (std::string(solver) == "cbc" && integer_program_solver() == nullptr) continue;
      const Verdict verdict = run(method, system, {{"solver", solver}});
      EXPECT_EQ(verdict.status, Status::kSchedulable);
      const auto* plan = dynamic_cast<const SharePlan*>(verdict.plan.get());
      ASSERT_NE(plan, nullptr);
      EXPECT_EQ(plan->shares[0].units, (std::vector<std::int64_t>{1, 3})) << method;
      EXPECT_EQ(plan->shares[1].units, (std::vector<std::int64_t>{2, 0})) << method;
      EXPECT_EQ(units_of(verdict), 6);
    }
  }
}

TEST(ExampleH, Locking) {
  const System system = read(R"({"tactus":1,"name":"h","time_unit":"unit",
    "platform":{"elements":[{"name":"cpu","kind":"cpu","units":2},
                            {"name":"gpu","kind":"gpu","units":2,"lanes":4}]},
    "tasks":[{"name":"a","period":100,"nodes":[{"name":"s","on":"cpu","wcet":1},
        {"name":"k","on":"gpu","parallelism":2,"blocks":3,"wcet":3},{"name":"c","on":"cpu","wcet":4},
        {"name":"k2","on":"gpu","parallelism":4,"wcet":2},{"name":"t","on":"cpu","wcet":1}],
      "edges":[["s","k"],["s","c"],["s","k2"],["k","t"],["c","t"],["k2","t"]]}]})");
  const auto bound = [&](const char* method, const char* k) {
    std::map<std::string, std::string, std::less<>> settings;
    if (*k != '\0') settings.emplace("k", k);
    return in_units(system, run(method, system, settings).tasks[0].bound.value());
  };
  EXPECT_NEAR(bound("gang.wc", ""), 10.75, kDigits);
  EXPECT_NEAR(bound("gang.swc", ""), 11, kDigits);
  EXPECT_NEAR(bound("gang.rm-he", "1"), 13.75, kDigits);
  EXPECT_NEAR(bound("gang.wc-he", "1"), 15, kDigits);
  EXPECT_NEAR(bound("gang.rm-he", ""), 9, kDigits);
  EXPECT_NEAR(bound("gang.wc-he", ""), 10, kDigits);
  const Verdict best = run("gang.rm-he", system), one = run("gang.rm-he", system, {{"k", "1"}});
  const auto locks = [](const Verdict& v) { return v.tasks[0].details.back().rows[0]; };
  EXPECT_EQ(locks(one), (std::vector<std::string>{"gpu", "1", "2", "2", "4.5", "4.5"}));
  EXPECT_EQ(locks(best)[1], "2");
  EXPECT_EQ(locks(best)[5], "0");
}

}  // namespace
}  // namespace tactus::gang
