// Random sequences of admissions, departures, crashes and lies on a simulated machine: nobody honest is
// late or demoted. A zero is worth what the attack can find, so rules are left out in turn. It does not
// notice two of them: demotion of what is late while it is on, and of what would be put on too late.
#include <gtest/gtest.h>

#include "tests/reserve/world.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::reserve::tests {
namespace {

struct Found {
  int broken = 0;
  Outcome all;
};

Found hunt(Play play, int sequences) {
  Found found;
  for (int index = 0; index < sequences; ++index) {
    play.index = static_cast<std::uint64_t>(index);
    const Outcome outcome = tests::play(play);
    if (!outcome.broken.empty()) {
      ++found.broken;
      if (play.forget == Forget::kNothing) ADD_FAILURE() << index << ": " << outcome.broken;
    }
    found.all.jobs += outcome.jobs;
    found.all.reached += outcome.reached;
    found.all.crashes += outcome.crashes;
    found.all.demotions += outcome.demotions;
    found.all.departures += outcome.departures;
  }
  return found;
}

TEST(ReserveHunt, WhoIsTrustedKeepsEveryBound) {
  for (const gcaps::Mode mode : {gcaps::Mode::kSuspend, gcaps::Mode::kBusy}) {
    const Found found = hunt({.mode = mode}, support::scaled(60, 20));
    EXPECT_EQ(found.broken, 0);
    EXPECT_GT(found.all.departures, 500);
    EXPECT_GT(found.all.reached, found.all.jobs / 20) << "bounds that are met exactly";
  }
}

TEST(ReserveHunt, LiarsAndCrashesHarmNobodyHonest) {
  const Found found = hunt({.liars = true}, support::scaled(80, 130));
  EXPECT_EQ(found.broken, 0);
  EXPECT_GT(found.all.demotions, 100);
  EXPECT_GT(found.all.crashes, 200);
  EXPECT_GT(found.all.reached, found.all.jobs / 20);
}

struct Left {
  const char* out;
  Forget what;
  bool liars;
  int sequences;
};

class ReserveHuntNotices : public testing::TestWithParam<Left> {};

TEST_P(ReserveHuntNotices, WhenItIsLeftOut) {
  const Left& left = GetParam();
  EXPECT_GT(hunt({.liars = left.liars, .forget = left.what}, left.sequences).broken, 0);
}

INSTANTIATE_TEST_SUITE_P(Rules, ReserveHuntNotices,
                         testing::Values(Left{"Phantoms", Forget::kPhantoms, false, 20},
                                         Left{"PhantomsOfLiars", Forget::kPhantoms, true, 60},
                                         Left{"BestEffort", Forget::kBestEffort, false, 20},
                                         Left{"Lengths", Forget::kLengths, true, 150},
                                         Left{"Overrun", Forget::kOverrun, true, 20},
                                         Left{"Arrivals", Forget::kArrivals, true, 300},
                                         Left{"Index", Forget::kIndex, true, 60},
                                         Left{"Budgets", Forget::kBudgets, true, 100},
                                         Left{"Windows", Forget::kWindows, true, 300},
                                         Left{"BudgetsCounted", Forget::kBudgetsCounted, true,
                                              300}),
                         [](const auto& one) { return std::string(one.param.out); });

}  // namespace
}  // namespace tactus::reserve::tests
