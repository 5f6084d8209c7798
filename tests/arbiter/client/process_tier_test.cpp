#include "tactus/arbiter/client/process_tier.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "tests/arbiter/arbiter_here.hpp"

#include "tactus/host/clock.hpp"

namespace tactus::arbiter::client {
namespace {

TEST(ProcessTier, StopsAndContinuesAWholeTree) {
  const pid_t root = fork();
  if (root == 0) {
    if (fork() == 0) fork();
    for (std::atomic<std::uint64_t> spin{0};; spin.fetch_add(1)) {
    }
  }
  client::ProcessTier tier(root);
  char why[100] = "";
  EXPECT_TRUE(tier.self_test(why, sizeof why)) << why;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // let it fork
  const auto cpu_time = [&] {                                  // of everybody below this test
    timespec time{};
    clockid_t clock{};
    clock_getcpuclockid(root, &clock);
    clock_gettime(clock, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  };
  EXPECT_EQ(tier.take_off(host::now_ns() + 30'000'000'000), TierResult::kDone);
  const auto stopped_at = cpu_time();
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(cpu_time(), stopped_at);
  tier.put_back();
  EXPECT_TRUE(eventually([&] { return cpu_time() > stopped_at; }));
  EXPECT_EQ(measure_cost(tier.tier(), 3, 30'000'000'000).samples, 3);
  tier.take_off(host::now_ns() + 30'000'000'000);
  const std::string children_file =
      "/proc/" + std::to_string(root) + "/task/" + std::to_string(root) + "/children";
  pid_t child = 0;
  std::ifstream(children_file) >> child;
  ASSERT_GT(child, 0);
  std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
  std::string pid, name, state;
  stat >> pid >> name >> state;
  EXPECT_EQ(state, "T");
  pid_t grandchild = 0;
  std::ifstream("/proc/" + std::to_string(child) + "/task/" + std::to_string(child) +
                "/children") >>
      grandchild;
  for (pid_t victim : {root, child, grandchild}) {
    if (victim > 0) kill(victim, SIGKILL);
  }
  waitpid(root, nullptr, 0);
  // Nothing left to stop.
  EXPECT_EQ(tier.take_off(host::now_ns() + 30'000'000'000), TierResult::kDone);
}

TEST(ProcessTier, StopsAProcessThatHandsItselfOnToChildrenAllTheTime) {
  auto* steps = static_cast<std::atomic<std::uint64_t>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t keeper = fork();
  if (keeper == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, SIG_IGN);  // nobody becomes a zombie
    const pid_t first = fork();
    if (first == 0) {
      setpgid(0, 0);  // so that all its descendants can be found in the end
      const std::int64_t end =
          host::now_ns() + 60'000'000'000;  // also when nobody is left to end it
      while (host::now_ns() < end) {
        steps->fetch_add(1);
        if (fork() != 0) _exit(0);  // the child goes on, and has lost its parent
      }
      _exit(0);
    }
    bool good = true;
    client::ProcessTier tier(getpid(), true);
    for (int round = 0; round < 20; ++round) {
      good = tier.take_off(host::now_ns() + 30'000'000'000) == TierResult::kDone && good;
      const std::uint64_t before = steps->load();
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      good = steps->load() == before && good;
      tier.put_back();
      good = eventually([&] { return steps->load() > before; }) && good;
    }
    tier.take_off(host::now_ns() + 30'000'000'000);
    kill(-first, SIGKILL);
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(keeper, &status, 0);
  EXPECT_EQ(status, 0);
  munmap(steps, 4096);
}

TEST(ProcessTier, FindsMoreChildrenThanFitIntoOneRead) {
  constexpr int kChildren = 700;  // with their numbers more than a page
  const pid_t root = fork();
  if (root == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 0; i < kChildren; ++i) {
      if (fork() != 0) continue;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      break;
    }
    for (;;) pause();
  }
  const auto stopped = [&] {
    int count = 0;
    std::ifstream children("/proc/" + std::to_string(root) + "/task/" + std::to_string(root) +
                           "/children");
    for (std::string child; children >> child;) {
      std::ifstream stat("/proc/" + child + "/stat");
      std::string pid, name, state;
      stat >> pid >> name >> state;
      count += state == "T" ? 1 : 0;
    }
    return count;
  };
  ASSERT_TRUE(eventually([&] {
    int count = 0;
    std::ifstream children("/proc/" + std::to_string(root) + "/task/" + std::to_string(root) +
                           "/children");
    for (std::string child; children >> child;) ++count;
    return count == kChildren;
  }));
  client::ProcessTier tier(root);
  EXPECT_EQ(tier.take_off(host::now_ns() + 30'000'000'000), TierResult::kDone);
  EXPECT_EQ(stopped(), kChildren);
  tier.put_back();
  EXPECT_EQ(stopped(), 0);
  kill(-root, SIGKILL);
  waitpid(root, nullptr, 0);
}

}  // namespace
}  // namespace tactus::arbiter::client
