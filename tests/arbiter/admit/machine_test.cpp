// Random sequences of admissions, departures, crashes and lies, under the arbiter's own register,
// coordinator and enforcement: nobody honest is late or demoted. With a part left out somebody is.
#include <gtest/gtest.h>

#include "tests/arbiter/admit/machine.hpp"
#include "tests/support/scaled.hpp"

namespace tactus::arbiter::admit::tests {
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
    found.all.admitted += outcome.admitted;
    found.all.refused += outcome.refused;
    found.all.jobs += outcome.jobs;
    found.all.releases += outcome.releases;
    found.all.crashes += outcome.crashes;
    found.all.breaches += outcome.breaches;
    found.all.restarts += outcome.restarts;
    found.all.again += outcome.again;
  }
  return found;
}

TEST(AdmitMachine, LiarsCrashesAndDeparturesHarmNobodyHonest) {
  const Found found = hunt({}, support::scaled(150, 70));
  EXPECT_EQ(found.broken, 0);
  EXPECT_GT(found.all.admitted, 500);
  EXPECT_GT(found.all.refused, 100);
  EXPECT_GT(found.all.releases, 50);
  EXPECT_GT(found.all.crashes, 50);
  EXPECT_GT(found.all.breaches, 200);
  std::printf("%d admitted, %d refused, %d jobs, %d released, %d crashed, %d demotions\n",
              found.all.admitted, found.all.refused, found.all.jobs, found.all.releases,
              found.all.crashes, found.all.breaches);
}

TEST(AdmitMachine, TheNextArbiterKeepsWhatTheLastOneHasPromised) {
  const Found found = hunt({.restarts = true}, support::scaled(150, 40));
  EXPECT_EQ(found.broken, 0);
  EXPECT_GT(found.all.restarts, 30);
  EXPECT_GT(found.all.again, 10) << "started again while it still counted";
  std::printf("%d admitted, %d again, %d jobs, %d restarts, %d demotions\n", found.all.admitted,
              found.all.again, found.all.jobs, found.all.restarts, found.all.breaches);
}

TEST(AdmitMachine, NobodyHonestIsEverDemoted) {
  const Found found = hunt({.liars = false}, support::scaled(60, 40));
  EXPECT_EQ(found.broken, 0);
  EXPECT_EQ(found.all.breaches, 0);
  EXPECT_GT(found.all.jobs, 500);
}

struct Left {
  const char* out;
  Forget what;
  bool liars;
  int sequences;
};

class AdmitMachineNotices : public testing::TestWithParam<Left> {};

TEST_P(AdmitMachineNotices, WhenItIsLeftOut) {
  const Left& left = GetParam();
  EXPECT_GT(hunt({.liars = left.liars, .forget = left.what}, left.sequences).broken, 0);
}

INSTANTIATE_TEST_SUITE_P(Rules, AdmitMachineNotices,
                         testing::Values(Left{"Enforcement", Forget::kEnforcement, true, 30},
                                         Left{"Phantoms", Forget::kPhantoms, true, 120},
                                         Left{"Amends", Forget::kAmends, false, 40},
                                         Left{"First", Forget::kFirst, true, 600}),
                         [](const auto& one) { return std::string(one.param.out); });

}  // namespace
}  // namespace tactus::arbiter::admit::tests
