#include "tactus/host/child.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace tactus::host {
namespace {

TEST(Child, TellsHowItEnded) {
  auto child = Child::start({"sh", "-c", "exit 7"});
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait(20'000), 7);
  auto killed = Child::start({"sleep", "1000"});
  ASSERT_TRUE(killed);
  EXPECT_FALSE(killed->ended());
  killed->terminate();
  EXPECT_EQ(killed->wait(20'000), 128 + SIGTERM);
}

TEST(Child, GetsItsEnvironmentAndIsGoneWithItsObject) {
  auto child =
      Child::start({"sh", "-c", "test \"$HOME$TACTUS_X\" = here"}, {"HOME=he", "TACTUS_X=re"});
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait(20'000), 0);
  pid_t pid = -1;
  {
    auto sleeper = Child::start({"sleep", "1000"});
    ASSERT_TRUE(sleeper);
    pid = sleeper->pid();
  }
  EXPECT_EQ(kill(pid, 0), -1);
}

TEST(Child, ThatCannotBeStartedIsAnError) {
  const auto child = Child::start({"/no/such/program"});
  ASSERT_FALSE(child);
  EXPECT_NE(child.error().message.find("/no/such/program"), std::string::npos);
}

}  // namespace
}  // namespace tactus::host
