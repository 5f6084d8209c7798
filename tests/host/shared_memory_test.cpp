#include "tactus/host/shared_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tactus/host/child.hpp"

namespace tactus::host {
namespace {

TEST(SharedMemory, IsTheSameInAForkedProcess) {
  SharedMemory memory("test", 64, SharedMemory::For::kForked);
  ASSERT_TRUE(memory);
  auto* const word = static_cast<volatile int*>(memory.at());
  EXPECT_EQ(*word, 0);
  auto child = Child::fork([&] {
    *word = 7;
    return 0;
  });
  ASSERT_TRUE(child);
  child->wait();
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

TEST(SharedMemory, ForStrangersCannotBeMadeShorterByThem) {
  const SharedMemory made("test", 4096, SharedMemory::For::kStrangers);
  ASSERT_TRUE(made);
  EXPECT_NE(ftruncate(made.file(), 0), 0);
  const SharedMemory found = SharedMemory::of_stranger(made.file(), 4096);
  ASSERT_TRUE(found);
  made.as<int>() = 7;
  EXPECT_EQ(found.as<int>(), 7);
}

TEST(SharedMemory, OfAStrangerIsRefusedWhereItIsOrCouldBecomeTooShort) {
  const SharedMemory made("test", 4096, SharedMemory::For::kStrangers);
  EXPECT_FALSE(SharedMemory::of_stranger(made.file(), 8192));
  const SharedMemory open_to_all("test", 4096, SharedMemory::For::kForked);
  EXPECT_FALSE(SharedMemory::of_stranger(open_to_all.file(), 4096));
  EXPECT_FALSE(SharedMemory::of_stranger(-1, 4096));
}

}  // namespace
}  // namespace tactus::host
