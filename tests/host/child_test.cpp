#include "tactus/host/child.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "tactus/host/shared_memory.hpp"

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

TEST(Child, ForkedDoesItsWorkAndNothingElse) {
  const SharedMemory memory("test", sizeof(int), SharedMemory::For::kForked);
  auto child = Child::fork([&] {
    memory.as<int>() = 7;
    return 5;
  });
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait(), 5);
  EXPECT_EQ(memory.as<int>(), 7);
}

TEST(Child, IsFoundAmongAllThatHaveEndedHere) {
  auto child = Child::fork([] { return 3; });
  auto other = Child::fork([] { return 4; });
  ASSERT_TRUE(child && other);
  std::optional<int> code;
  while (!code) code = child->ended_among_all();
  EXPECT_EQ(code, 3);
  // Whichever of the two was waited for by whom: nobody kills or waits for it again.
  while (kill(other->pid(), 0) == 0) child->ended_among_all();
  EXPECT_EQ(child->wait(), 3);
}

TEST(ForkApart, OutlivesWhoeverStartedIt) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t here = getpid();
  auto middle = Child::fork([&] {
    const auto problem = fork_apart([&] {
      while (getppid() == here) {
      }
      const pid_t parent = getppid();
      [[maybe_unused]] const auto told = write(ends[1], &parent, sizeof parent);
    });
    return problem ? 1 : 0;
  });
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->wait(), 0);
  pid_t parent = -1;
  EXPECT_EQ(read(ends[0], &parent, sizeof parent), static_cast<ssize_t>(sizeof parent));
  EXPECT_NE(parent, middle->pid());
  EXPECT_NE(parent, here);
}

TEST(Become, GoesOnAsAnotherProgramOrSaysWhyNot) {
  auto child = Child::fork([] { return become({"sh", "-c", "exit 9"}); });
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait(), 9);
  EXPECT_EQ(become({"/no/such/program"}), ENOENT);
}

}  // namespace
}  // namespace tactus::host
