#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/cli/run_tactus.hpp"

/// `results --bundle` and `reproduce F.tar.gz`.
namespace tactus::cli {
namespace {

TEST(Bundle, IsRunAgainAndCompared) {
  const TemporaryFolder folder;
  const std::string run = folder.file("run"), archive = folder.file("table5.tar.gz");
  ASSERT_EQ(run_tactus({"lab", "reproduce", "gcaps-table5", "-o", run, "--no-figures"}).exit_code,
            0);
  const Ran bundled = run_tactus({"lab", "results", run, "--bundle", archive});
  EXPECT_EQ(bundled.exit_code, 0) << bundled.err;
  EXPECT_TRUE(contains(bundled.out, archive + ": ")) << bundled.out;
  const Ran again = run_tactus({"lab", "reproduce", archive, "-j", "1"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(contains(again.out, " verdicts came out again\n")) << again.out;
  const Ran with_more = run_tactus({"lab", "reproduce", archive, "--sets", "3"});
  EXPECT_EQ(with_more.exit_code, 2);
  EXPECT_EQ(with_more.err, "tactus: a bundle is run alone and as it is, with -j and -o only\n");
}

TEST(Bundle, ThatWasChangedIsNotRun) {
  const TemporaryFolder folder;
  const std::string run = folder.file("run"), archive = folder.file("table5.tar.gz");
  ASSERT_EQ(run_tactus({"lab", "reproduce", "gcaps-table5", "-o", run, "--no-figures"}).exit_code,
            0);
  ASSERT_EQ(run_tactus({"lab", "results", run, "--bundle", archive}).exit_code, 0);
  const std::string inside = folder.file("inside");
  ASSERT_EQ(std::system(("mkdir " + inside + " && cd " + inside + " && tar xzf " + archive +
                         " && echo more >> points.csv && tar czf " + archive + " $(find * -type f)")
                            .c_str()),
            0);
  const Ran ran = run_tactus({"lab", "reproduce", archive});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.err, archive + ": points.csv was changed after the bundle was made\n");
}

TEST(Bundle, MustBeOne) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_tactus({"lab", "reproduce", folder.file("x.tar.gz", "no archive")}).exit_code, 2);
  EXPECT_EQ(run_tactus({"lab", "reproduce", folder.file("none.tar.gz")}).exit_code, 2);
  EXPECT_EQ(run_tactus({"lab", "results", folder.file("none"), "--bundle", folder.file("y.zip")})
                .exit_code,
            2);
}

}  // namespace
}  // namespace tactus::cli
