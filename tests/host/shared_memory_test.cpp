#include "tactus/host/shared_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tactus/host/child.hpp"

namespace tactus::host {
namespace {

TEST(SharedMemory, IsTheSameInAForkedProcess) {
  SharedMemory memory("test", 64, SharedMemory::For::kForked);
  ASSERT_TRUE(memory);
  auto* const word = static_cast<volatile int*>(memory.at());
  EXPECT_EQ(*word, 0);
  const pid_t child = fork();
  if (child == 0) {
    *word = 7;
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(*word, 7);
}

TEST(SharedMemory, IsReachedByItsDescriptorInAStartedProcessOnlyWhereThatIsWanted) {
  const auto reaches = [](SharedMemory::For whom) {
    const SharedMemory memory("test", 64, whom);
    auto child = Child::start({"test", "-e", "/proc/self/fd/" + std::to_string(memory.file())});
    return child && child->wait() == 0;
  };
  EXPECT_TRUE(reaches(SharedMemory::For::kStarted));
  EXPECT_FALSE(reaches(SharedMemory::For::kForked));
}

TEST(SharedMemory, OfADescriptorIsAllOfItAndOfNoneIsNone) {
  const SharedMemory made("test", 100, SharedMemory::For::kForked);
  const SharedMemory again(made.file());
  ASSERT_TRUE(again);
  EXPECT_EQ(again.size(), 100U);
  static_cast<char*>(made.at())[99] = 'x';
  EXPECT_EQ(static_cast<char*>(again.at())[99], 'x');
  EXPECT_FALSE(SharedMemory(-1));
  EXPECT_FALSE(SharedMemory());
}

}  // namespace
}  // namespace tactus::host
