#include "tactus/arbiter/client/gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>
#include <vector>

#include "tactus/host/clock.hpp"

namespace tactus::arbiter::client {
namespace {

constexpr std::int64_t kLong = 60'000'000'000;

int is_set(void* flag) { return static_cast<std::atomic<int>*>(flag)->load(); }

TEST(Gate, ClosesWhenTheGpuIsDoneAlthoughTheThreadDoesNotGetItsCore) {
  Gate gate;
  std::atomic<int> finished{0};
  std::binary_semaphore launched{0}, core{0};
  std::thread leaver([&] {
    gate.enter(Waiting::kSuspend);
    gate.launched(is_set, &finished);
    launched.release();
    core.acquire();  // kept off its core by a more urgent task
    gate.leave();
  });
  launched.acquire();
  EXPECT_EQ(gate.close(host::now_ns() + 1'000'000), TierResult::kLate) << "the GPU is at work";
  finished.store(1);
  EXPECT_EQ(gate.close(host::now_ns() + kLong), TierResult::kDone) << "seen without the thread";
  core.release();
  leaver.join();
  EXPECT_EQ(gate.close(host::now_ns() + kLong), TierResult::kDone);
}

TEST(Gate, HoldsAThreadThatComesBackWhenItIsShutAndStaysOpenForOneThatCameBefore) {
  Gate gate;
  std::atomic<int> finished{1};
  gate.enter(Waiting::kSuspend);
  gate.launched(is_set, &finished);
  gate.pass(Waiting::kSuspend);  // about to launch again
  EXPECT_EQ(gate.close(host::now_ns() + 1'000'000), TierResult::kLate);
  gate.open();
  gate.launched(is_set, &finished);
  EXPECT_EQ(gate.close(host::now_ns() + kLong), TierResult::kDone);
  std::atomic<bool> passed{false};
  std::thread opener([&] {
    EXPECT_FALSE(passed.load());
    gate.open();
  });
  gate.pass(Waiting::kSuspend);
  passed.store(true);
  opener.join();
  gate.leave();
}

TEST(Gate, LetsNobodyLaunchWhileItIsClosed) {
  constexpr int kThreads = 4, kRounds = 300;
  Gate gate;
  std::atomic<int> launching{0}, running{0};
  std::atomic<bool> ended{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      std::atomic<int> finished{0};
      gate.enter(Waiting::kSuspend);
      while (!ended.load()) {
        gate.pass(Waiting::kSuspend);
        launching.fetch_add(1);
        finished.store(0);
        running.fetch_add(1);
        launching.fetch_sub(1);
        gate.launched(is_set, &finished);
        running.fetch_sub(1);
        finished.store(1);
      }
      gate.leave();
    });
  }
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_EQ(gate.close(host::now_ns() + kLong), TierResult::kDone);
    EXPECT_EQ(launching.load(), 0);
    EXPECT_EQ(running.load(), 0);
    gate.open();
  }
  ended.store(true);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tactus::arbiter::client
