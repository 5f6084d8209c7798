#include "tactus/arbiter/client/process_tier.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tactus/arbiter/exec/freezer.hpp"
#include "tests/arbiter/arbiter_here.hpp"

#include "tactus/host/clock.hpp"

namespace tactus::arbiter::client {
namespace {

/// The letter of /proc: R, S, T, Z, ...; X when there is no such process.
char state_of(pid_t process) {
  std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
  std::string pid, name, state;
  stat >> pid >> name >> state;
  return state.empty() ? 'X' : state[0];
}

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
  EXPECT_EQ(state_of(child), 'T');
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

/// Chains of processes that hand themselves on, each link to a grandchild whose parent is gone, so
/// that they turn up anywhere; and one chain that only gets deeper.
[[noreturn]] void run_chains(std::atomic<std::uint64_t>& steps) {
  const std::int64_t end = host::now_ns() + 120'000'000'000;  // also when nobody is left to end it
  for (int chain = 0; chain < 5; ++chain) {
    if (fork() != 0) continue;
    for (int link = 0; host::now_ns() < end; ++link) {
      steps.fetch_add(1);
      if (fork() != 0) _exit(0);
      if (chain % 2 == 0 && fork() != 0) {  // this one waits, for a while, while its child goes on
        usleep(500);
        _exit(0);
      }
    }
    _exit(0);
  }
  while (host::now_ns() < end) usleep(10'000);
  _exit(0);
}

TEST(ProcessTier, FindsADescendantThatNoWalkFromTheRootPassesWhereOneHasDied) {
  // root -+- a process that has died and is not reaped: the tree has changed
  //       `- caller, which takes root off, and whose own branch no walk enters
  //            `- hidden
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t root = fork();
  if (root == 0) {
    const pid_t dead = fork();
    if (dead == 0) _exit(0);
    eventually([&] { return state_of(dead) == 'Z'; });
    if (fork() == 0) {  // the caller
      const pid_t hidden = fork();
      if (hidden == 0) {
        for (std::atomic<std::uint64_t> spin{0};; spin.fetch_add(1)) {
        }
      }
      client::ProcessTier tier(getppid());
      const bool done = tier.take_off(host::now_ns() + 30'000'000'000) == TierResult::kDone;
      const char stopped = state_of(hidden);
      tier.put_back();
      const bool continued = eventually([&] { return state_of(hidden) != 'T'; });
      kill(hidden, SIGKILL);
      waitpid(hidden, nullptr, 0);
      const char report[] = {done ? 'y' : 'n', stopped, continued ? 'y' : 'n'};
      _exit(write(told[1], report, sizeof report) == sizeof report ? 0 : 1);
    }
    for (;;) pause();
  }
  char report[3] = {};
  EXPECT_EQ(read(told[0], report, sizeof report), 3);
  EXPECT_EQ(std::string(report, 3), "yTy");
  kill(root, SIGKILL);
  waitpid(root, nullptr, 0);
  close(told[0]);
  close(told[1]);
}

/// A stress test: what it can find depends on how the chains happen to run. The rule itself is tested
/// step by step in quiet_test.cpp.
TEST(ProcessTier, SaysThatManyChainsOfForksAreOffOnlyWhenTheyAre) {
  auto* steps = static_cast<std::atomic<std::uint64_t>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const pid_t keeper = fork();
  if (keeper == 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, SIG_IGN);
    const pid_t first = fork();
    if (first == 0) {
      setpgid(0, 0);
      run_chains(*steps);
    }
    int wrong = 0;
    client::ProcessTier tier(getpid(), true);
    for (int round = 0; round < 10; ++round) {
      const TierResult result = tier.take_off(host::now_ns() + 30'000'000'000);
      const std::uint64_t before = steps->load();
      usleep(3'000);
      if (result != TierResult::kDone || steps->load() != before) ++wrong;
      tier.put_back();
      if (!eventually([&] { return steps->load() > before; })) _exit(100);
      usleep(1'000);
    }
    tier.take_off(host::now_ns() + 30'000'000'000);
    kill(-first, SIGKILL);
    _exit(wrong);
  }
  int status = -1;
  waitpid(keeper, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "times it was said to be off, and went on";
  munmap(steps, 4096);
}

/// What cgroup.events says.
std::string events_of(const std::string& group) {
  std::ifstream events(group + "/cgroup.events");
  std::stringstream text;
  text << events.rdbuf();
  return text.str();
}

TEST(Freezer, StopsAndContinuesWhateverIsInItHoweverItForks) {
  auto* steps = static_cast<std::atomic<std::uint64_t>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  auto record = std::make_unique<client::StoppedProcesses>();
  auto freezer = exec::Freezer::make(*record);
  if (!freezer) GTEST_SKIP() << "this user can make no control group here";
  const std::string group = record->control_group;
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const pid_t first = fork();
  if (first == 0) {
    char byte = 0;
    if (read(go[0], &byte, 1) != 1) _exit(1);
    run_chains(*steps);
  }
  ASSERT_TRUE(freezer->take_in(first));
  const Tier tier = freezer->tier();
  char why[100] = "";
  EXPECT_TRUE(tier.self_test(tier.self, why, sizeof why)) << why;
  ASSERT_EQ(write(go[1], "x", 1), 1);
  for (int round = 0; round < 10; ++round) {
    ASSERT_EQ(freezer->take_off(host::now_ns() + 30'000'000'000), TierResult::kDone);
    const std::uint64_t before = steps->load();
    usleep(2'000);
    EXPECT_EQ(steps->load(), before);
    EXPECT_EQ(freezer->put_back(), TierResult::kDone);
    EXPECT_TRUE(eventually([&] { return steps->load() > before; }));
  }
  ASSERT_TRUE(freezer->kill_all());
  waitpid(first, nullptr, 0);
  EXPECT_TRUE(
      eventually([&] { return events_of(group).find("populated 0") != std::string::npos; }));
  freezer.reset();
  EXPECT_FALSE(std::filesystem::exists(group));
  close(go[0]);
  close(go[1]);
  munmap(steps, 4096);
}

/// While it lives, this process is in a control group of its own: other commands under `exec` on this
/// machine clear away in theirs.
class PrivateGroup {
 public:
  PrivateGroup() {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
      if (line.rfind("0::", 0) != 0) continue;
      for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
        const std::string place = root + line.substr(3);
        const std::string folder = place + "/tactus-test-" + std::to_string(getpid());
        if (folder_.empty() && access((place + "/cgroup.procs").c_str(), W_OK) == 0 &&
            mkdir(folder.c_str(), 0755) == 0) {
          before_ = place;
          folder_ = folder;
          move_to(folder_);
        }
      }
    }
  }
  ~PrivateGroup() {
    if (folder_.empty()) return;
    move_to(before_);
    rmdir(folder_.c_str());
  }
  PrivateGroup(const PrivateGroup&) = delete;
  PrivateGroup& operator=(const PrivateGroup&) = delete;

 private:
  static void move_to(const std::string& group) {
    std::ofstream(group + "/cgroup.procs") << getpid();
  }
  std::string before_, folder_;
};

TEST(Freezer, PutsBackAndRemovesWhatOthersHaveLeftWhoWereKilled) {
  const PrivateGroup here;
  auto record = std::make_unique<client::StoppedProcesses>();
  auto own = exec::Freezer::make(*record);
  if (!own) GTEST_SKIP() << "this user can make no control group here";
  const std::string own_group = record->control_group;
  ASSERT_EQ(own->take_off(host::now_ns() + 30'000'000'000), TierResult::kDone);
  // One that freezes its work and is killed, as is its guardian.
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t killed = fork();
  if (killed == 0) {
    const pid_t work = fork();  // before, as `exec` does it
    if (work == 0) {
      for (;;) pause();
    }
    auto its_record = std::make_unique<client::StoppedProcesses>();
    auto its = exec::Freezer::make(*its_record);
    its->take_in(work);
    its->take_off(host::now_ns() + 30'000'000'000);
    if (write(told[1], &work, sizeof work) < 0 ||
        write(told[1], its_record->control_group, sizeof its_record->control_group) < 0)
      _exit(1);
    for (;;) pause();
  }
  pid_t work = -1;
  char name[sizeof record->control_group];
  ASSERT_EQ(read(told[0], &work, sizeof work), static_cast<ssize_t>(sizeof work));
  ASSERT_EQ(read(told[0], name, sizeof name), static_cast<ssize_t>(sizeof name));
  const std::string left = name;
  const auto look_again = [] {
    auto another = std::make_unique<client::StoppedProcesses>();
    EXPECT_TRUE(exec::Freezer::make(*another));
  };
  look_again();
  EXPECT_NE(events_of(left).find("frozen 1"), std::string::npos) << "its owner is still there";
  kill(killed, SIGKILL);
  waitpid(killed, nullptr, 0);
  EXPECT_NE(events_of(left).find("frozen 1"), std::string::npos) << "nobody has looked yet";
  look_again();
  EXPECT_TRUE(eventually([&] { return events_of(left).find("frozen 0") != std::string::npos; }));
  EXPECT_NE(events_of(own_group).find("frozen 1"), std::string::npos) << "this one is in use";
  kill(work, SIGKILL);
  EXPECT_TRUE(eventually([&] {
    look_again();
    return !std::filesystem::exists(left);
  }));
  EXPECT_TRUE(std::filesystem::exists(own_group));
  close(told[0]);
  close(told[1]);
}

TEST(ProcessTier, KillsAlsoThoseWhoWereStoppedBefore) {
  const pid_t root = fork();
  if (root == 0) {
    for (;;) pause();
  }
  kill(root, SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(root) == 'T'; }));
  auto record = std::make_unique<client::StoppedProcesses>();
  client::ProcessTier tier(root, false, record.get());
  tier.kill_all(host::now_ns() + 30'000'000'000);
  const bool killed = eventually([&] { return state_of(root) == 'Z'; }, 3);
  EXPECT_TRUE(killed);
  if (!killed) kill(root, SIGKILL);
  waitpid(root, nullptr, 0);
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
    for (pid_t child = 0; children >> child;) count += state_of(child) == 'T' ? 1 : 0;
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
