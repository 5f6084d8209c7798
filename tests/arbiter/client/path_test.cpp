// Tasks that start tasks, between processes: messages that are lost, doubled, late or early, numbers
// that wrap around, partners that die, and neighbours that mean no good.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>

#include "tactus/arbiter/client/path_page.hpp"
#include "tactus/client.h"
#include "tactus/host/clock.hpp"
#include "tests/support/folder.hpp"

namespace tactus::arbiter::client {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kLong = 20'000 * kMs;  // nothing here takes so long
constexpr int kSkipped = 77;

TEST(PathMessage, CountsNumbersAroundTheEnd) {
  EXPECT_EQ(message::distance(UINT32_MAX, 0), 1);
  EXPECT_EQ(message::distance(UINT32_MAX - 1, 2), 4);
  EXPECT_EQ(message::distance(0, UINT32_MAX), -1);
  EXPECT_EQ(message::distance(5, 5), 0);
  const std::uint64_t packed = message::pack(0xfffffffe, 0x80000001);
  EXPECT_EQ(message::number(packed), 0xfffffffe);
  EXPECT_EQ(message::since_us(packed), 0x80000001);
}

TEST(PathMessage, RoundsTimesUpAndHoldsTheLongest) {
  EXPECT_EQ(message::micros(0, 0), 0u);
  EXPECT_EQ(message::micros(0, 1), 1u);
  EXPECT_EQ(message::micros(0, 1000), 1u);
  EXPECT_EQ(message::micros(0, 1001), 2u);
  EXPECT_EQ(message::micros(5, 0), 0u);
  EXPECT_EQ(message::micros(0, std::int64_t{UINT32_MAX} * 1000 + 1), UINT32_MAX);
  EXPECT_EQ(message::micros(INT64_MIN, INT64_MAX), UINT32_MAX);
}

struct Page {
  Page() : page(std::make_unique<PathPage>()) {}
  std::unique_ptr<PathPage> page;
  Taken taken;
};

TEST(PathFollower, TakesEachJobOnceAcrossTheWrapAround) {
  Page at;
  at.page->told.store(2);
  at.page->message.store(message::pack(UINT32_MAX - 2, 7));
  Follower follower(*at.page);
  EXPECT_FALSE(follower.take(*at.page, 9000, at.taken));  // it was told before the follower came
  for (const std::uint32_t number : {UINT32_MAX - 1, UINT32_MAX, 0u, 1u}) {
    ASSERT_TRUE(tell(*at.page, number, 1000, 5500));
    ASSERT_TRUE(follower.take(*at.page, 9000, at.taken));
    EXPECT_EQ(at.taken.number, number);
    EXPECT_EQ(at.taken.lost, 0u);
    EXPECT_EQ(at.taken.ended_ns, 5500);
    EXPECT_EQ(at.taken.arrival_ns, 500);  // 4.5 us, rounded up: no later than it was
    EXPECT_FALSE(follower.take(*at.page, 9000, at.taken));
  }
  EXPECT_EQ(follower.doubled(), 0u);
}

TEST(PathFollower, CountsWhatWasOverwritten) {
  Page at;
  Follower follower(*at.page);
  ASSERT_TRUE(tell(*at.page, 0, 0, 10));
  ASSERT_TRUE(tell(*at.page, 1, 0, 10));
  ASSERT_TRUE(tell(*at.page, 3, 0, 10));
  ASSERT_TRUE(follower.take(*at.page, 10, at.taken));
  EXPECT_EQ(at.taken.number, 3u);
  EXPECT_EQ(at.taken.lost, 3u);
}

TEST(PathFollower, NeverTakesAJobAgain) {
  Page at;
  Follower follower(*at.page);
  ASSERT_TRUE(tell(*at.page, 4, 0, 10));
  EXPECT_FALSE(tell(*at.page, 4, 0, 20));
  EXPECT_FALSE(tell(*at.page, 2, 0, 20));
  EXPECT_EQ(at.page->told_twice.load(), 2u);
  ASSERT_TRUE(follower.take(*at.page, 20, at.taken));
  EXPECT_EQ(at.taken.ended_ns, 10);
  at.page->message.store(message::pack(3, 1));  // by somebody who does not keep to it
  EXPECT_FALSE(follower.take(*at.page, 20, at.taken));
  EXPECT_FALSE(follower.take(*at.page, 20, at.taken));
  EXPECT_EQ(follower.doubled(), 1u);
}

/// Half a message is none; the writer that comes next writes whole ones.
TEST(PathFollower, OutlivesAWriterThatDiedWhileItWrote) {
  Page at;
  Follower follower(*at.page);
  ASSERT_TRUE(tell(*at.page, 0, 0, 10));
  ASSERT_TRUE(follower.take(*at.page, 10, at.taken));
  at.page->told.fetch_add(1);
  at.page->message.store(message::pack(1, 0));
  EXPECT_FALSE(follower.take(*at.page, 10, at.taken));
  ASSERT_TRUE(tell(*at.page, 2, 0, 30));
  ASSERT_TRUE(follower.take(*at.page, 30, at.taken));
  EXPECT_EQ(at.taken.ended_ns, 30);
}

/// A writer as fast as it can: what a follower takes always belongs together.
TEST(PathFollower, TakesWholeMessages) {
  Page at;
  Follower follower(*at.page);
  constexpr std::uint32_t kJobs = 200'000;
  std::jthread writer([&] {
    for (std::uint32_t k = 0; k < kJobs; ++k) tell(*at.page, k, 0, std::int64_t{k} * 1000);
  });
  std::uint64_t seen = 0;
  while (at.taken.number != kJobs - 1) {
    if (!follower.take(*at.page, INT64_MAX, at.taken)) continue;
    ASSERT_EQ(at.taken.ended_ns, std::int64_t{at.taken.number} * 1000);
    ASSERT_EQ(at.taken.arrival_ns, 0);
    seen += 1 + at.taken.lost;
  }
  EXPECT_EQ(seen, kJobs);
}

TEST(NextArrival, KeepsOffsetsWhoeverAsks) {
  EXPECT_EQ(tactus_next_arrival(10, 3, 0), 3);
  EXPECT_EQ(tactus_next_arrival(10, 3, 2), 3);
  EXPECT_EQ(tactus_next_arrival(10, 3, 3), 13);
  EXPECT_EQ(tactus_next_arrival(10, 23, 3), 13);  // an offset above the period says the same
  EXPECT_EQ(tactus_next_arrival(10, 3, 12), 13);
  EXPECT_EQ(tactus_next_arrival(INT64_MAX, INT64_MAX, 5), INT64_MAX);
  EXPECT_EQ(tactus_next_arrival(10, 3, INT64_MAX), -1);
  for (const std::int64_t bad : {std::int64_t{-1}, INT64_MIN}) {
    EXPECT_EQ(tactus_next_arrival(bad, 0, 0), -1);
    EXPECT_EQ(tactus_next_arrival(10, bad, 0), -1);
    EXPECT_EQ(tactus_next_arrival(10, 0, bad), -1);
  }
  EXPECT_EQ(tactus_next_arrival(0, 0, 0), -1);
  setenv("TACTUS_PERIOD_NS", "20", 1);
  setenv("TACTUS_OFFSET_NS", "5", 1);
  EXPECT_EQ(tactus_next_arrival(0, 0, 30), 45);
  unsetenv("TACTUS_PERIOD_NS");
  unsetenv("TACTUS_OFFSET_NS");
}

struct Closer {
  void operator()(tactus_path* path) const { tactus_path_close(path); }
};
using Path = std::unique_ptr<tactus_path, Closer>;

/// Paths meet in a folder of the test.
class Paths : public testing::Test {
 protected:
  Paths() { setenv("TACTUS_PATHS", place().c_str(), 1); }
  ~Paths() override { unsetenv("TACTUS_PATHS"); }
  std::string place() const { return folder_.file("paths"); }
  static Path open(const char* task, const char* after = nullptr) {
    return Path(tactus_path_open(task, after));
  }
  static tactus_releases seen(const Path& path) {
    tactus_releases releases;
    tactus_path_releases(path.get(), &releases);
    return releases;
  }
  /// A process that does this, and may be killed.
  static pid_t start(const std::function<void()>& work) {
    const pid_t child = fork();
    if (child != 0) return child;
    work();
    _exit(0);
  }

 private:
  support::TemporaryFolder folder_;
};

TEST_F(Paths, LeadFromTheArrivalToTheLastTask) {
  const Path camera = open("camera"), detect = open("detect", "camera"),
             steer = open("steer", "detect");
  ASSERT_TRUE(camera && detect && steer) << tactus_path_problem();
  for (std::uint32_t k = 0; k < 3; ++k) {
    tactus_job first, second, third;
    const std::int64_t arrival = host::now_ns() - 5 * kMs;
    ASSERT_EQ(tactus_path_arrived(camera.get(), arrival, &first), TACTUS_RUNNING);
    ASSERT_EQ(tactus_path_ended(camera.get(), &first), TACTUS_RUNNING);
    ASSERT_EQ(tactus_path_wait(detect.get(), kLong, &second), TACTUS_RUNNING);
    ASSERT_EQ(tactus_path_ended(detect.get(), &second), TACTUS_RUNNING);
    ASSERT_EQ(tactus_path_wait(steer.get(), kLong, &third), TACTUS_RUNNING);
    EXPECT_EQ(first.number, k);
    EXPECT_EQ(third.number, k);
    EXPECT_LE(third.arrival_ns, arrival);
    EXPECT_GE(third.arrival_ns, arrival - 2000);  // rounded up twice
    EXPECT_GE(second.due_ns, arrival + 5 * kMs);
    EXPECT_GE(third.due_ns, second.released_ns);
    EXPECT_EQ(tactus_path_ended(camera.get(), &first), TACTUS_DOUBLED);
  }
  EXPECT_EQ(seen(steer).taken, 3u);
  EXPECT_EQ(seen(steer).lost, 0u);
  EXPECT_EQ(seen(detect).doubled, 3u);
}

TEST_F(Paths, CountReleasesThatTheFileDoesNotHave) {
  const Path camera = open("camera"), detect = open("detect", "camera");
  tactus_job job;
  tactus_path_expect(camera.get(), 2 * kMs, -1);
  tactus_path_arrived(camera.get(), host::now_ns() - 3 * kMs, &job);
  EXPECT_EQ(seen(camera).late, 1u);
  EXPECT_GE(seen(camera).latest_ns, 3 * kMs);
  tactus_path_ended(camera.get(), &job);
  tactus_path_expect(detect.get(), kLong, kLong);
  ASSERT_EQ(tactus_path_wait(detect.get(), kLong, &job), TACTUS_RUNNING);
  EXPECT_EQ(seen(detect).late, 0u);
  EXPECT_EQ(seen(detect).early, 1u);  // a `bcet` of 20 s is too long
  for (int k = 0; k < 2; ++k) {       // the first one is overwritten
    tactus_path_arrived(camera.get(), host::now_ns(), &job);
    tactus_path_ended(camera.get(), &job);
  }
  tactus_path_expect(detect.get(), 0, 0);
  ASSERT_EQ(tactus_path_wait(detect.get(), kLong, &job), TACTUS_RUNNING);
  EXPECT_EQ(seen(detect).lost, 1u);
  EXPECT_EQ(seen(detect).late, 1u);
  EXPECT_EQ(seen(detect).early, 1u);
}

TEST_F(Paths, AreToldBetweenProcesses) {
  const Path detect = open("detect", "camera");
  const pid_t camera = start([] {
    const Path path = open("camera");
    for (int k = 0; k < 3; ++k) {
      tactus_job job;
      tactus_path_arrived(path.get(), host::now_ns(), &job);
      tactus_path_ended(path.get(), &job);
      usleep(20'000);
    }
  });
  std::uint64_t jobs = 0;
  tactus_job job;
  while (tactus_path_wait(detect.get(), kLong, &job) == TACTUS_RUNNING) ++jobs;
  waitpid(camera, nullptr, 0);
  EXPECT_EQ(jobs + seen(detect).lost, 3u);
}

TEST_F(Paths, DoNotBlockWhenAPredecessorDies) {
  const Path detect = open("detect", "camera");
  tactus_job job;
  EXPECT_EQ(tactus_path_wait(detect.get(), 0, &job), TACTUS_TIMEOUT);  // nobody came yet
  const pid_t camera = start([] {
    const Path path = open("camera");
    tactus_job first;
    tactus_path_arrived(path.get(), host::now_ns(), &first);
    tactus_path_ended(path.get(), &first);
    for (;;) pause();
  });
  ASSERT_EQ(tactus_path_wait(detect.get(), kLong, &job), TACTUS_RUNNING);
  EXPECT_EQ(tactus_path_wait(detect.get(), 0, &job), TACTUS_TIMEOUT);
  kill(camera, SIGKILL);
  waitpid(camera, nullptr, 0);
  EXPECT_EQ(tactus_path_wait(detect.get(), kLong, &job), TACTUS_GONE);
  const Path again = open("camera");  // its next process goes on where it was
  ASSERT_TRUE(again) << tactus_path_problem();
  tactus_path_arrived(again.get(), host::now_ns(), &job);
  EXPECT_EQ(job.number, 1u);
  tactus_path_ended(again.get(), &job);
  EXPECT_EQ(tactus_path_wait(detect.get(), kLong, &job), TACTUS_RUNNING);
}

TEST_F(Paths, DoNotBlockWhenAFollowerDies) {
  const pid_t follower = start([] { open("detect", "camera"); });
  waitpid(follower, nullptr, 0);
  const Path camera = open("camera");
  tactus_job job;
  for (int k = 0; k < 100; ++k) {
    tactus_path_arrived(camera.get(), host::now_ns(), &job);
    EXPECT_EQ(tactus_path_ended(camera.get(), &job), TACTUS_RUNNING);
  }
}

TEST_F(Paths, HaveOneProcessPerTask) {
  const Path camera = open("camera");
  EXPECT_FALSE(open("camera"));
  EXPECT_NE(std::string(tactus_path_problem()).find("another process is this task"),
            std::string::npos);
}

TEST_F(Paths, RefuseCallsThatAreNotForThem) {
  const Path camera = open("camera"), detect = open("detect", "camera");
  tactus_job job{};
  EXPECT_EQ(tactus_path_wait(camera.get(), 1, &job), TACTUS_INVALID);
  EXPECT_EQ(tactus_path_wait(detect.get(), -1, &job), TACTUS_INVALID);
  EXPECT_EQ(tactus_path_arrived(detect.get(), 0, &job), TACTUS_INVALID);
}

TEST_F(Paths, TakeTheirNamesFromTheEnvironment) {
  EXPECT_FALSE(open(nullptr));
  EXPECT_NE(std::string(tactus_path_problem()).find("TACTUS_TASK"), std::string::npos);
  setenv("TACTUS_TASK", "detect/left eye", 1);
  setenv("TACTUS_AFTER", "camera", 1);
  setenv("TACTUS_JITTER_NS", "0", 1);
  const Path detect = open(nullptr), camera = open("camera");
  ASSERT_TRUE(detect && camera) << tactus_path_problem();
  tactus_job job;
  tactus_path_arrived(camera.get(), host::now_ns(), &job);
  tactus_path_ended(camera.get(), &job);
  ASSERT_EQ(tactus_path_wait(detect.get(), kLong, &job), TACTUS_RUNNING);
  EXPECT_EQ(seen(detect).late, 1u);
  for (const char* name : {"TACTUS_TASK", "TACTUS_AFTER", "TACTUS_JITTER_NS", "TACTUS_PATHS"})
    unsetenv(name);
  EXPECT_FALSE(open("camera"));
  EXPECT_NE(std::string(tactus_path_problem()).find("TACTUS_PATHS"), std::string::npos);
}

/// A disk without room left, as /run and /dev/shm may be: what is written there must not end the program.
TEST_F(Paths, AreRefusedWhereTheDiskIsFull) {
  const pid_t child = start([&] {
    mkdir(place().c_str(), 0700);
    if (unshare(CLONE_NEWNS) != 0 ||
        mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("full", place().c_str(), "tmpfs", 0, "size=16k,mode=700") != 0)
      _exit(kSkipped);
    std::ofstream filler(place() + "/filler");
    while (filler << std::string(4096, 'x') << std::flush) {
    }
    const Path path = open("camera");
    const std::string said = path ? "opened" : tactus_path_problem();
    _exit(said.ends_with("camera: No space left on device") ? 0 : 1);
  });
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == kSkipped) GTEST_SKIP() << "may not mount";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(Paths, RefuseWhatNeighboursPutThere) {
  const auto refused = [&](const std::string& why) {
    const Path path = open("camera");
    const std::string said = path ? "opened" : tactus_path_problem();
    EXPECT_NE(said.find(why), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  };
  { const Path made = open("camera"); }
  const std::string file = place() + "/camera";
  ASSERT_EQ(truncate(file.c_str(), 8), 0);
  refused("another size");
  ASSERT_EQ(truncate(file.c_str(), 1 << 20), 0);
  refused("another size");
  ASSERT_EQ(truncate(file.c_str(), 0), 0);
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  refused("others may use it");
  ASSERT_EQ(unlink(file.c_str()), 0);
  ASSERT_EQ(symlink("/etc/passwd", file.c_str()), 0);
  refused("symbolic links");
  ASSERT_EQ(unlink(file.c_str()), 0);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  refused("not a file");
  ASSERT_EQ(unlink(file.c_str()), 0);
  {
    const Path made = open("camera");
    std::fstream raw(file, std::ios::in | std::ios::out | std::ios::binary);
    raw.put('\x07');
  }
  refused("another version");
  ASSERT_EQ(chmod(place().c_str(), 0777), 0);
  refused("others may write to it");
  ASSERT_EQ(chmod(place().c_str(), 0700), 0);
  EXPECT_FALSE(open(std::string(300, 'x').c_str()));
  if (geteuid() != 0) return;
  ASSERT_EQ(chown(file.c_str(), 12345, 12345), 0);
  refused("another user");
  ASSERT_EQ(chown(place().c_str(), 12345, 12345), 0);
  refused("the folder belongs to another user");
}

}  // namespace
}  // namespace tactus::arbiter::client
