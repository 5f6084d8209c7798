// Which method is the answer: what is proved and runs here, before what is only proved.
#include "tactus/decide/standing.hpp"

#include <gtest/gtest.h>

#include "tactus/decide/choose.hpp"
#include "tests/support/read.hpp"

namespace tactus::decide {
namespace {

struct Asked {
  System system;
  std::vector<Question> questions;
  std::vector<Verdict> verdicts;
  std::vector<Standing> order;

  explicit Asked(System read)
      : system(std::move(read)),
        questions(decide::questions(registry(), {}, Variants::kAlsoDeployable)),
        verdicts(analyze_many(system, questions)),
        order(standings(system, questions, verdicts)) {}

  std::string_view id(std::size_t rank) const { return questions[order[rank].place].method->id; }
  std::string_view variant(std::size_t rank) const { return verdicts[order[rank].place].variant; }
};

TEST(Standings, PutWhatRunsHereBeforeWhatHasMoreSlack) {
  const Asked asked(support::read_file("examples/robot.system.json"));
  EXPECT_EQ(asked.id(0), "gang.wc");
  EXPECT_EQ(asked.order[0].group, Group::kRunnable);
  EXPECT_EQ(asked.order[0].way, Way::kPartitions);
  EXPECT_EQ(asked.order[0].least->permille, 136);
  const auto other = std::find_if(asked.order.begin(), asked.order.end(), [](const Standing& each) {
    return each.group == Group::kNotRunHere;
  });
  ASSERT_NE(other, asked.order.end());
  EXPECT_GT(other->least->permille, asked.order[0].least->permille);
}

TEST(Standings, PutWhatCountsOnAMissingCoreBehindWhatDoesNot) {
  const Asked asked(support::read_file("examples/forklift.system.json"));
  EXPECT_EQ(asked.id(0), "gcaps.suspend");
  EXPECT_EQ(asked.variant(0), kSafe);
  EXPECT_FALSE(asked.order[0].way);
  bool counts_on_it = false;
  for (const Standing& standing : asked.order) {
    if (standing.group != Group::kNotRunHere) continue;
    EXPECT_FALSE(counts_on_it && !standing.no_core) << "these come last";
    counts_on_it = counts_on_it || standing.no_core;
  }
  EXPECT_TRUE(counts_on_it);
}

TEST(Standings, AreSortedByGroupAndThenByWhatIsLeft) {
  for (const char* name :
       {"robot", "forklift", "deploy", "gcaps-table2", "gang-hog", "pbs-drone"}) {
    const Asked asked(support::read_file(std::string("examples/") + name + ".system.json"));
    for (std::size_t k = 1; k < asked.order.size(); ++k) {
      const Standing &a = asked.order[k - 1], &b = asked.order[k];
      EXPECT_LE(a.group, b.group) << name;
      const bool proved_here = a.group == Group::kRunnable && b.group == Group::kRunnable;
      if (proved_here && a.least && b.least) {
        EXPECT_GE(a.least->permille, b.least->permille) << name;
      }
      EXPECT_EQ(b.group == Group::kNotRunHere, !b.why_not.empty()) << name;
    }
  }
}

TEST(LeastSlack, IsThatOfTheTaskOrChainClosestToItsLimit) {
  System system;
  system.tasks.resize(3);
  for (const char* name : {"a", "b", "c"}) {
    system.tasks[static_cast<std::size_t>(name[0] - 'a')].name = name;
  }
  Verdict verdict;
  const auto task = [](TaskIndex index, std::int64_t bound, std::int64_t deadline) {
    return TaskVerdict{index, Time::from_ns(bound), Time::from_ns(deadline), true, {}};
  };
  verdict.tasks = {task(0, 50, 100), task(1, 2, 3), task(2, 0, 7)};
  EXPECT_EQ(least_slack(system, verdict)->whose, "b");
  EXPECT_EQ(least_slack(system, verdict)->permille, 333) << "rounded down";
  system.chains.emplace_back().name = "x";
  system.chains[0].reaction = Time::from_ns(20);
  system.chains[0].age = Time::from_ns(12);
  verdict.chains = {{0, Time::from_ns(9), true}};
  EXPECT_EQ(least_slack(system, verdict)->whose, "chain x");
  EXPECT_EQ(least_slack(system, verdict)->permille, 250) << "of the tighter requirement";
  verdict.tasks[2].bound.reset();
  EXPECT_FALSE(least_slack(system, verdict)) << "one that has no bound may be closer";
}

TEST(ChooseMethod, TakesTheFirstOfTheStandings) {
  for (const char* name : {"robot", "forklift", "gcaps-table2", "rtgpu-perception"}) {
    const Asked asked(support::read_file(std::string("examples/") + name + ".system.json"));
    const auto chosen = choose_method(asked.system, {}, Variants::kAlsoDeployable);
    ASSERT_TRUE(chosen);
    ASSERT_TRUE(*chosen);
    EXPECT_EQ((*chosen)->method->id, asked.id(0)) << name;
    EXPECT_EQ((*chosen)->variant, asked.variant(0)) << name;
  }
}

}  // namespace
}  // namespace tactus::decide
