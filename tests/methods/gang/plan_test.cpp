#include "tactus/methods/gang/gang_plan.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tests/methods/gang/random_systems.hpp"
#include "tests/methods/gang/support.hpp"

namespace tactus::gang {
namespace {

json::Document written(const System& system, const Method& method, const Plan& plan) {
  json::Writer out;
  write_plan(out, system, method.id, kSafe, plan);
  return std::get<json::Document>(json::Document::parse(out.take()));
}

SharePlan copy_of(const Verdict& verdict) { return dynamic_cast<const SharePlan&>(*verdict.plan); }

/// The checker shares nothing of the analysis with the planner.
TEST(RandomPlans, PassTheIndependentChecker) {
  RandomSystems random(41);
  int checked = 0;
  for (int round = 0; round < scaled(400); ++round) {
    const System system = random.make({.tasks = 3, .nodes = 7, .elements = 3, .units = 12});
    for (const char* name : {"gang.wc", "gang.swc"}) {
      for (const char* delta : {"dp", "exact"}) {
        const Method& method = *find_method(name);
        const Verdict verdict = run(name, system, {{"delta", delta}});
        if (!verdict.plan) continue;
        const json::Document plan = written(system, method, *verdict.plan);
        const auto problems = method.check_plan(system, plan.root());
        ASSERT_TRUE(problems.empty()) << name << " round " << round << ": " << problems[0];
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 100);
}

class SharesExample : public testing::Test {
 protected:
  System system = read_file("examples/gang-shares.system.json");
  const Method& method = *find_method("gang.swc");
  SharePlan plan = copy_of(run("gang.swc", system));

  std::string first_problem() const {
    const auto problems = method.check_plan(system, written(system, method, plan).root());
    return problems.empty() ? "" : problems[0];
  }
  bool says(std::string_view part) const {
    const auto problems = method.check_plan(system, written(system, method, plan).root());
    return std::any_of(problems.begin(), problems.end(), [&](const std::string& problem) {
      return problem.find(part) != std::string::npos;
    });
  }
};

TEST_F(SharesExample, IsFineAsPlanned) { EXPECT_EQ(first_problem(), ""); }

TEST_F(SharesExample, FailsWithAUnitLess) {
  // Total units are the fewest: one less anywhere breaks something.
  for (std::size_t k = 0; k < plan.shares.size(); ++k) {
    for (std::size_t p = 0; p < plan.shares[k].units.size(); ++p) {
      if (plan.shares[k].units[p] == 0) continue;
      --plan.shares[k].units[p];
      EXPECT_NE(first_problem(), "") << k << " " << p;
      ++plan.shares[k].units[p];
    }
  }
}

TEST_F(SharesExample, FailsWithTooManyUnitsInAll) {
  plan.shares[2].units[0] = 8;
  std::int64_t given = 0;
  for (const auto& share : plan.shares) given += share.units[0];
  EXPECT_TRUE(says(fmt::format("element `cpu`: {} units are given away, it has 8", given)));
}

TEST_F(SharesExample, FailsForADeadlineThatIsANanosecondTooShort) {
  EXPECT_FALSE(says("the bound on its share is"));
  system.tasks[0].deadline = plan.shares[0].bound - Time::from_ns(1);
  EXPECT_TRUE(says("task `pedestrians`: the bound on its share is"));
}

TEST_F(SharesExample, FailsWithUnitsWhereNothingRuns) {
  plan.shares[2].units[2] = 1;
  EXPECT_EQ(first_problem(),
            "task `planner`: element `gpu`: units are given, but no node runs there");
}

TEST_F(SharesExample, FailsWithAWrongBound) {
  plan.shares[0].bound -= Time::from_ns(1);
  EXPECT_NE(first_problem().find("not the one stated"), std::string::npos);
}

TEST_F(SharesExample, IsShownAsATableAndAGraph) {
  const auto tables = plan.tables(system);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].header,
            (std::vector<std::string>{"task", "cpu", "copy", "gpu", "bound", "deadline"}));
  EXPECT_EQ(tables[0].rows.size(), 4u);
  EXPECT_NE(plan.dot(system).find("t0 -- e2"), std::string::npos);
}

TEST(APlan, IsLeftOutWhereItIsNotWanted) {
  const System system = read_file("examples/gang-fig1.system.json");
  Options options;
  options.plan = false;
  EXPECT_EQ(analyze(*find_method("gang.wc"), system, options).plan, nullptr);
  EXPECT_NE(run("gang.wc", system).plan, nullptr);
}

TEST(Details, ShowVolumesDeltaAndFurtherBounds) {
  const System system = read_file("examples/gang-fig1.system.json");
  const Verdict verdict = run("gang.wc", system, {{"tight", "on"}, {"theorem1", "on"}});
  const auto& details = verdict.tasks[0].details;
  ASSERT_EQ(details.size(), 3u);
  EXPECT_EQ(details[0].rows[0],
            (std::vector<std::string>{"ce1", "4", "36", "6", "30", "30", "30", "2", "15"}));
  EXPECT_EQ(details[1].rows[3], (std::vector<std::string>{"t4", "ce2", "4", "3", "3"}));
  EXPECT_EQ(details[2].rows[1], (std::vector<std::string>{"tight", "36.166667"}));
  EXPECT_EQ(details[2].rows[2], (std::vector<std::string>{"Theorem 1", "31.5"}));
  EXPECT_EQ(verdict.tasks[0].bound, Time::from_ns(36'166'667));
  const Verdict few = run("gang.wc", system, {{"theorem1", "on"}, {"path-budget", "3"}});
  EXPECT_EQ(few.tasks[0].details[2].rows[1][1], "not computed: too many paths");
}

TEST(ExactDelta, FallsBackToTheDpWithAWarning) {
  RandomSystems random(42);
  int fell_back = 0;
  for (int round = 0; round < 50; ++round) {
    const System system = random.make({.tasks = 1, .nodes = 12, .elements = 1, .units = 8});
    const Verdict verdict = run("gang.swc", system, {{"delta", "exact"}, {"delta-budget", "3"}});
    if (verdict.warnings.empty()) continue;
    ++fell_back;
    EXPECT_EQ(verdict.tasks[0].bound, run("gang.swc", system).tasks[0].bound);
  }
  EXPECT_GT(fell_back, 10);
}

}  // namespace
}  // namespace tactus::gang
