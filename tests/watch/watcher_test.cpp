// Programs that keep to the file, and programs that do not, watched as they run. Nothing here depends on
// how long anything takes: times that count are those that a program says itself.
#include "tactus/watch/watcher.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tactus/arbiter/client/diary.hpp"
#include "tactus/base/contains.hpp"
#include "tactus/client.h"
#include "tactus/host/clock.hpp"
#include "tactus/watch/processes.hpp"
#include "tests/support/folder.hpp"
#include "tests/watch/robot.hpp"

namespace tactus::watch {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kLongAgo =
    10'000 * kMs;  ///< jobs are told as of then: they may end at any time
constexpr TaskIndex kCamera = 0, kPlan = 1;

namespace diary = arbiter::client::diary;

/// A camera's jobs as they would be seen: each `late` after its arrival, with `grab` of CPU time and
/// `filter` of GPU time.
struct Script {
  std::int64_t period = 20 * kMs, late = 0, wait = 0, filter = 4 * kMs;
};

class WatchedRun : public testing::Test {
 protected:
  WatchedRun() {
    Places places;
    places.folders = {folder_.file("watch")};
    places.arbiter = false;
    places.root = folder_.path();  // nobody else is there
    watcher_ = std::make_unique<Watcher>(proof_of(robot()), places);
    step();
  }
  ~WatchedRun() override { end(); }

  /// A process that tells of jobs, and then does nothing.
  void start(const Script& script, int jobs = 3) {
    const pid_t child = fork();
    if (child != 0) {
      child_ = child;
      return;
    }
    setenv("TACTUS_WATCH", folder_.file("watch").c_str(), 1);
    setenv("TACTUS_TASK", "robot/camera", 1);
    std::int64_t arrival = host::now_ns() - kLongAgo;
    for (int k = 0; k < jobs; ++k, arrival += script.period) {
      const auto number = static_cast<std::uint32_t>(k);
      const std::int64_t begin = arrival + script.late, asked = begin + 1 * kMs;
      const std::int64_t began = asked + script.wait, ended = began + 1 * kMs + script.filter;
      diary::released(number, arrival, arrival, begin);
      diary::segment(TACTUS_RUNNING, asked, began, ended, 0);
      diary::ended(number, arrival, arrival, begin);
    }
    for (;;) pause();
  }
  void end() {
    if (child_ == 0) return;
    kill(child_, SIGKILL);
    waitpid(std::exchange(child_, 0), nullptr, 0);
  }
  void step() {
    now_ += 250 * kMs;  // each looks at who is there
    watcher_->step(now_);
    for (Watcher::Line& line : watcher_->take_lines()) lines_.push_back(std::move(line));
  }
  /// Until this is so; the analysis may take its time.
  template <typename Holds>
  bool until(const Holds& holds) {
    for (int i = 0; i < 1000; ++i) {
      if (holds()) return true;
      usleep(10'000);
      step();
    }
    return false;
  }
  bool told(Departure::Kind kind, std::string_view text = {}) {
    return until([&] {
      return std::any_of(lines_.begin(), lines_.end(), [&](const Watcher::Line& line) {
        return line.departure.kind == kind && contains(line.text, std::string(text));
      });
    });
  }
  bool seen(Departure::Kind kind) const {
    const auto& all = watcher_->watch().departures();
    return std::any_of(all.begin(), all.end(),
                       [&](const Departure& one) { return one.kind == kind; });
  }

  support::TemporaryFolder folder_;
  std::unique_ptr<Watcher> watcher_;
  std::vector<Watcher::Line> lines_;
  std::int64_t now_ = host::now_ns();
  pid_t child_ = 0;
};

// The end of a job is taken from the clock here, long after its arrival: every job misses its deadline.
// What these tests ask about comes before the end.

TEST_F(WatchedRun, TellsOfAProgramThatOverruns) {
  start({.filter = 6 * kMs});
  ASSERT_TRUE(told(Departure::Kind::kTime, "camera: filter took 6, more than the 4 of the file"));
  EXPECT_TRUE(told(Departure::Kind::kTime, "the bounds of camera, plan rest on it"));
  EXPECT_TRUE(told(Departure::Kind::kTime, "with it every deadline is still proved"));
  EXPECT_FALSE(watcher_->is_covered(kCamera));
  EXPECT_FALSE(watcher_->is_covered(kPlan)) << "it rests on the camera";
  EXPECT_FALSE(watcher_->good());
}

TEST_F(WatchedRun, TellsOfAProgramThatComesEarly) {
  start({.period = 19 * kMs});
  EXPECT_TRUE(told(Departure::Kind::kEarly, "came 19 after the one before"));
}

TEST_F(WatchedRun, TellsOfAProgramThatWakesUpLate) {
  start({.late = 2 * kMs});
  EXPECT_TRUE(told(Departure::Kind::kLate, "released 2 late, more than its jitter of 1"));
}

TEST_F(WatchedRun, TellsOfAProgramThatVanishes) {
  start({});
  ASSERT_TRUE(until([&] { return watcher_->diaries().writer(kCamera).there; }));
  end();
  EXPECT_TRUE(told(Departure::Kind::kGone, "camera: its process has ended"));
  EXPECT_FALSE(watcher_->is_covered(kCamera));
}

TEST_F(WatchedRun, TellsOfNothingElse) {
  start({});
  ASSERT_TRUE(until([&] { return watcher_->watch().responses(kCamera).count == 3; }));
  for (const auto kind : {Departure::Kind::kTime, Departure::Kind::kEarly, Departure::Kind::kLate,
                          Departure::Kind::kGone, Departure::Kind::kSegments})
    EXPECT_FALSE(seen(kind)) << id_of(kind);
}

TEST_F(WatchedRun, IsNotCoveredWhereNobodyIsSeen) {
  ASSERT_TRUE(until([&] { return watcher_->room().has_value(); }));
  EXPECT_TRUE(watcher_->good());
  EXPECT_TRUE(watcher_->status().starts_with("0 of 2 covered, least room ")) << watcher_->status();
}

TEST_F(WatchedRun, WritesTheFileWithWhatWasSeen) {
  start({.filter = 6 * kMs});
  ASSERT_TRUE(told(Departure::Kind::kTime));
  const System system = watcher_->seen_system();
  const Node &grab = system.tasks[kCamera].nodes[0], &filter = system.tasks[kCamera].nodes[1];
  EXPECT_EQ(filter.wcet, Time::from_ms(6));
  ASSERT_TRUE(filter.measured);
  EXPECT_EQ(filter.measured->worst, Time::from_ms(6));
  EXPECT_GE(*filter.measured->runs, 1);
  EXPECT_EQ(grab.wcet, Time::from_ms(2)) << "nothing longer was seen";
  EXPECT_TRUE(grab.measured);
}

TEST(ProcessesOnTheGpu, AreThoseThatHaveCudaOpen) {
  namespace fs = std::filesystem;
  support::TemporaryFolder folder;
  const auto process = [&](const std::string& pid, const std::string& name, const char* open) {
    fs::create_directories(folder.file("proc/" + pid + "/fd"));
    std::ofstream(folder.file("proc/" + pid + "/comm")) << name << "\n";
    fs::create_symlink(open, folder.file("proc/" + pid + "/fd/3"));
  };
  process("17", "miner", "/dev/nvidia-uvm");
  process("18", "nvidia-smi", "/dev/nvidiactl");
  process("19", "tactusd", "/dev/null");
  fs::create_directories(folder.file("proc/self"));
  const Processes found = look_at_processes(folder.path());
  ASSERT_EQ(found.on_gpu.size(), 1u);
  EXPECT_EQ(found.on_gpu[0].pid, 17);
  EXPECT_EQ(found.on_gpu[0].name, "miner");
  ASSERT_EQ(found.arbiters.size(), 1u);
  EXPECT_EQ(found.hidden, 0u);
}

TEST_F(WatchedRun, TellsOfAProcessOnTheGpuThatIsNoTask) {
  namespace fs = std::filesystem;
  fs::create_directories(folder_.file("proc/99/fd"));
  std::ofstream(folder_.file("proc/99/comm")) << "miner\n";
  fs::create_symlink("/dev/nvidia-uvm", folder_.file("proc/99/fd/3"));
  now_ += 10'000 * kMs;
  EXPECT_TRUE(told(Departure::Kind::kProcess, "miner (pid 99) uses the GPU"));
}

}  // namespace
}  // namespace tactus::watch
