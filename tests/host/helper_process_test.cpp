#include "tactus/host/helper_process.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

namespace tactus::host {
namespace {

/// What a helper does: this program is started again to run only this test.
TEST(HelperProcess, DISABLED_RepeatsWhatItHears) {
  for (std::string line; std::getline(std::cin, line);) std::cout << "heard " << line << std::endl;
}

std::vector<std::string> as_helper() {
  return {"--gtest_also_run_disabled_tests", "--gtest_filter=HelperProcess.DISABLED_*",
          "--gtest_brief=1"};
}

/// The next line that the helper says itself, not its test framework.
std::optional<std::string> answer(HelperProcess& helper) {
  while (auto line = helper.listen(20'000)) {
    if (line->starts_with("heard")) return line;
  }
  return std::nullopt;
}

TEST(HelperProcess, IsSpokenToLineByLine) {
  HelperProcess helper(as_helper());
  ASSERT_TRUE(helper.started());
  ASSERT_TRUE(helper.say("one"));
  EXPECT_EQ(answer(helper), "heard one");
  ASSERT_TRUE(helper.say("two"));
  ASSERT_TRUE(helper.say("three"));
  EXPECT_EQ(answer(helper), "heard two");
  EXPECT_EQ(answer(helper), "heard three");
}

TEST(HelperProcess, IsNotWaitedForForEver) {
  HelperProcess helper(as_helper());
  ASSERT_TRUE(helper.say("one"));
  ASSERT_TRUE(answer(helper));
  EXPECT_EQ(helper.listen(20), std::nullopt) << "it has nothing to say";
}

TEST(HelperProcess, ThatIsGoneIsNoticedNotDiedOf) {
  HelperProcess helper({"--gtest_list_tests"});
  while (helper.listen(20'000)) {
  }
  while (helper.say("anybody there?")) {  // until the pipe is broken
  }
  EXPECT_EQ(helper.listen(20), std::nullopt);
}

}  // namespace
}  // namespace tactus::host
