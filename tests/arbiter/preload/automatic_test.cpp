// Programs that mark nothing are cut into segments (tests/fake_driver/drawn_programs.cpp and
// urgent_program.cpp), over a GPU that is not there, under a real arbiter.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>

#include "tactus/arbiter/client/observer.hpp"
#include "tests/arbiter/boost_client.hpp"

namespace tactus::arbiter {
namespace {

struct Said {
  std::string text;
  int code = -1;
};

/// @param limit_ms for gates that nobody hands over: without end, a deadlock must be seen as one
Said run(const std::string& socket, const std::string& command, int limit_ms = 600'000,
         const std::string& variables = {}) {
  const std::string line = fmt::format(
      "TACTUS_SOCKET={} TACTUS_GATE_LIMIT={} TACTUS_AUTOMATIC=70 timeout 120 sh -c '{} "
      "ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD={} exec {}' 2>&1",
      socket, limit_ms, variables, TACTUS_PRELOAD, command);
  Said said;
  FILE* const pipe = popen(line.c_str(), "r");
  std::array<char, 4096> some{};
  while (std::fgets(some.data(), some.size(), pipe) != nullptr) said.text += some.data();
  said.code = WEXITSTATUS(pclose(pipe));
  return said;
}

/// Takes the GPU again and again, more urgent than the program.
class Rival {
 public:
  explicit Rival(const std::string& socket)
      : thread_([this, socket] {
          BoostClient urgent(socket);
          std::minstd_rand random{5};
          while (!over_) {
            urgent.submits(90);
            EXPECT_TRUE(eventually([&] { return urgent.runs(); }));
            usleep(static_cast<useconds_t>(random() % 1500));
            urgent.finishes();
            usleep(static_cast<useconds_t>(random() % 1500));
          }
        }) {}
  ~Rival() {
    over_ = true;
    thread_.join();
  }
  Rival(const Rival&) = delete;
  Rival& operator=(const Rival&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

/// In the log, which is written by a thread of its own.
int count_of(const ArbiterHere& arbiter, const std::string& what) {
  const std::string log = arbiter.log();
  int count = 0;
  for (std::size_t at = 0; (at = log.find(what, at)) != std::string::npos; ++at) ++count;
  return count;
}

constexpr char kRight[] = "right\n0 not owned\n";

/// How many programs each way is tried with; recorded runs take more.
int programs() {
  const char* const more = std::getenv("TACTUS_DRAWN");
  return more != nullptr ? std::atoi(more) : 60;
}

class DrawnPrograms : public testing::TestWithParam<std::tuple<const char*, int>> {};

/// On a busy machine programs may have ended before they are under the arbiter: then once more.
constexpr int kTries = 20;

TEST_P(DrawnPrograms, HaveTheSameResultsAndEnd) {
  const auto& [how, threads] = GetParam();
  ArbiterHere arbiter(boost_options());
  const Rival rival(arbiter.socket());
  const int first = 1000 * threads + static_cast<int>(std::string(how).size());
  const auto are_cut = [&] { return count_of(arbiter, "\"priority\": 70") > programs(); };
  for (int tries = 0; tries < kTries && !are_cut(); ++tries) {
    const Said said = run(arbiter.socket(), fmt::format("{} {} {} {} {}", TACTUS_DRAWN_PROGRAMS,
                                                        first, programs(), how, threads));
    EXPECT_EQ(said.text, fmt::format("{} programs\n", programs()));
    EXPECT_EQ(said.code, 0);
    usleep(100'000);  // the log
  }
  EXPECT_TRUE(are_cut());
  EXPECT_FALSE(arbiter.logged("forced"));
  EXPECT_FALSE(arbiter.logged("invariant"));
}
INSTANTIATE_TEST_SUITE_P(, DrawnPrograms,
                         testing::Combine(testing::Values("linked", "dlsym", "proc", "linked-twin",
                                                          "dlsym-twin", "proc-twin"),
                                          testing::Values(1, 3)),
                         [](const auto& with) {
                           std::string name = std::get<0>(with.param);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return fmt::format("{}_{}", name, std::get<1>(with.param));
                         });

/// The same of an arbiter for gcaps.
class GcapsRival {
 public:
  explicit GcapsRival(const std::string& socket)
      : thread_([this, socket] {
          FlagClient urgent(socket);
          while (!over_) {
            EXPECT_GE(static_cast<int>(urgent.begin(90)), 0);
            usleep(500);
            urgent.connection.end();
            usleep(500);
          }
        }) {}
  ~GcapsRival() {
    over_ = true;
    thread_.join();
  }
  GcapsRival(const GcapsRival&) = delete;
  GcapsRival& operator=(const GcapsRival&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

TEST(DrawnProgramsUnderGcaps, HaveTheSameResultsAndBeginAndEnd) {
  for (const int threads : {1, 3}) {
    ArbiterHere arbiter;
    const GcapsRival rival(arbiter.socket());
    const auto begin = [&] { return count_of(arbiter, "\"priority\": 70") > programs(); };
    for (int tries = 0; tries < kTries && !begin(); ++tries) {
      for (const char* const how : {"proc", "linked-twin"}) {
        const Said said = run(arbiter.socket(), fmt::format("{} {} {} {} {}", TACTUS_DRAWN_PROGRAMS,
                                                            5000, programs(), how, threads));
        EXPECT_EQ(said.text, fmt::format("{} programs\n", programs()));
        EXPECT_EQ(said.code, 0);
      }
      usleep(100'000);  // the log
    }
    EXPECT_TRUE(begin());
  }
}

TEST(UrgentProgramUnderGcaps, GivesTheGpuBackWhenItsStreamsAreDrained) {
  daemon::DaemonOptions options;
  options.fast_path = false;
  ArbiterHere arbiter(options);
  const auto ends = [&] { return count_of(arbiter, "\"end\"") >= 20; };
  for (int tries = 0; tries < kTries && !ends(); ++tries) {
    const Said said = run(arbiter.socket(), std::string(TACTUS_URGENT_PROGRAM) + " 30");
    EXPECT_EQ(said.text, kRight);
    usleep(100'000);  // the log
  }
  EXPECT_TRUE(ends());
}

TEST(DrawnProgramsAlone, HaveTheSameResultsWithoutTheLibraryAndWithoutAnArbiter) {
  const Folder folder;
  const std::string command = std::string(TACTUS_DRAWN_PROGRAMS) + " 1 60 proc";
  for (const bool with : {false, true}) {
    const Said said = run(folder.file("nobody"), with ? command : "env -u LD_PRELOAD " + command);
    EXPECT_EQ(said.text, "60 programs\n");
  }
}

TEST(UrgentProgram, IsOneSegmentAJob) {
  int submitted = 0;
  for (int tries = 0; tries < kTries && submitted < 30; ++tries) {  // the first jobs are not cut
    ArbiterHere arbiter(boost_options());
    const Said said = run(arbiter.socket(), std::string(TACTUS_URGENT_PROGRAM) + " 60", 600'000,
                          "TACTUS_PAUSE=1000000");  // a slow machine must not cut a job
    EXPECT_EQ(said.text, kRight);
    usleep(200'000);  // the log
    submitted = count_of(arbiter, "\"submit\"");
    EXPECT_LE(submitted, 90);  // every second one has a copy of its own
  }
  EXPECT_GE(submitted, 30);
}

TEST(UrgentProgram, WaitsForItsTurn) {
  ArbiterHere arbiter(boost_options());
  const Folder folder;
  const std::string until = folder.file("until");
  std::thread program([&] {
    const Said said = run(arbiter.socket(), std::string(TACTUS_URGENT_PROGRAM) + " 20 late",
                          600'000, "URGENT_UNTIL=" + until);
    EXPECT_EQ(said.text, kRight);
  });
  BoostClient urgent(arbiter.socket());
  urgent.submits(90);
  EXPECT_TRUE(eventually([&] { return urgent.runs(); }));
  std::ofstream(until).close();
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"priority\": 70"); }));
  usleep(100'000);
  EXPECT_EQ(count_of(arbiter, "\"complete\""), 0) << arbiter.log();
  urgent.finishes();
  program.join();
  EXPECT_TRUE(eventually([&] { return count_of(arbiter, "\"complete\"") > 5; }));
}

TEST(UrgentProgram, IsNotLateWhileItsLastSegmentWaitsForItsTurn) {
  ArbiterHere arbiter(boost_options());
  const Folder folder;
  const std::string until = folder.file("until");
  std::thread program([&] {
    const Said said = run(arbiter.socket(), std::string(TACTUS_URGENT_PROGRAM) + " 12 ahead", 300,
                          "TACTUS_PAUSE=1000000 URGENT_UNTIL=" + until);
    EXPECT_EQ(said.text, "right\n");
  });
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(until + ".here"); }));
  BoostClient urgent(arbiter.socket());
  urgent.submits(90);
  EXPECT_TRUE(eventually([&] { return urgent.runs(); }));
  std::ofstream(until).close();
  usleep(900'000);
  urgent.finishes();
  program.join();
  EXPECT_FALSE(arbiter.logged("forced"));
  // None was handed over before the one before it was complete.
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"gone\""); }));
  EXPECT_TRUE(eventually([&] {
    return count_of(arbiter, "\"submit\"") == count_of(arbiter, "\"complete\"");
  })) << arbiter.log();
}

TEST(UrgentProgram, MayForkUseOtherContextsAndManyStreams) {
  ArbiterHere arbiter(boost_options());
  const Rival rival(arbiter.socket());
  for (const char* const what : {"fork", "contexts", "streams"}) {
    const Said said = run(arbiter.socket(), fmt::format("{} 30 {}", TACTUS_URGENT_PROGRAM, what));
    EXPECT_EQ(said.text, "right\n") << what;
  }
  EXPECT_FALSE(arbiter.logged("forced"));
}

TEST(UrgentProgram, MayExitBehindAShutGate) {
  ArbiterHere arbiter(boost_options());
  const Said said = run(arbiter.socket(), std::string(TACTUS_URGENT_PROGRAM) + " 30 exit", 600'000,
                        "TACTUS_PAUSE=1000000");
  EXPECT_EQ(said.code, 7) << said.text;
  EXPECT_TRUE(eventually([&] { return arbiter.logged("forced"); }));
}

TEST(UrgentProgram, MayWaitOnTheGpuForWhatItLaunchesLater) {
  ArbiterHere arbiter(boost_options());
  const Said said = run(arbiter.socket(), std::string(TACTUS_URGENT_PROGRAM) + " 30 waits", 20);
  EXPECT_NE(said.text.find("right\n"), std::string::npos) << said.text;
  EXPECT_TRUE(eventually([&] { return arbiter.logged("forced"); }));
}

TEST(UrgentProgram, IsNotCutAsAClientOfMps) {
  ArbiterHere arbiter(boost_options());
  const Said said =
      run(arbiter.socket(), std::string(TACTUS_URGENT_PROGRAM) + " 30", 600'000, "FAKE_GPU_MPS=1");
  EXPECT_NE(said.text.find("is not cut into segments: it is a client of MPS"), std::string::npos)
      << said.text;
  EXPECT_NE(said.text.find("right\n"), std::string::npos) << said.text;
  EXPECT_EQ(count_of(arbiter, "\"submit\""), 0);
}

TEST(UrgentProgram, IsNotCutAnyMoreWhenItMarksSegmentsItself) {
  ArbiterHere arbiter(boost_options());
  const Said said = run(arbiter.socket(), std::string(TACTUS_URGENT_PROGRAM) + " 30 marks");
  EXPECT_NE(said.text.find("is not cut into segments any more"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find("begin 0 end 0\n"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find("right\n"), std::string::npos) << said.text;
  EXPECT_TRUE(eventually([&] { return count_of(arbiter, "\"priority\": 50") == 1; }));
}

/// An arbiter in a place where there was another one.
class Successor {
 public:
  Successor(const Folder& folder, const std::string& log) : log_(folder.file(log)) {
    auto options = boost_options();
    options.socket = folder.file("private/tactus.sock");
    options.log = log_;
    options.lease_ns = options.update_timeout_ns = ArbiterHere::kPatientNs;
    auto opened = daemon::Daemon::open(std::move(options));
    if (!opened) throw std::runtime_error(opened.error().message);
    daemon_ = std::move(*opened);
    thread_ = std::thread([this] { daemon_->run(); });
  }
  ~Successor() {
    daemon_->stop();
    thread_.join();
  }
  Successor(const Successor&) = delete;
  Successor& operator=(const Successor&) = delete;
  bool completed() const {
    std::ifstream file(log_);
    std::stringstream text;
    text << file.rdbuf();
    return text.str().find("\"complete\"") != std::string::npos;
  }

 private:
  std::string log_;
  std::unique_ptr<daemon::Daemon> daemon_;
  std::thread thread_;
};

TEST(UrgentProgram, GoesOnWhenTheArbiterEndsAndIsCutUnderTheNext) {
  bool cut = false;
  for (int tries = 0; tries < kTries && !cut; ++tries) {
    const Folder folder;
    auto arbiter = std::make_unique<Successor>(folder, "first");
    std::atomic<bool> over{false};
    std::thread program([&] {
      const Said said =
          run(folder.file("private/tactus.sock"), fmt::format("{} 400", TACTUS_URGENT_PROGRAM));
      EXPECT_EQ(said.text.substr(0, 6), "right\n");
      over = true;
    });
    EXPECT_TRUE(eventually([&] { return over || arbiter->completed(); }));
    arbiter.reset();
    arbiter = std::make_unique<Successor>(folder, "second");
    EXPECT_TRUE(eventually([&] { return over || arbiter->completed(); }));
    program.join();
    cut = arbiter->completed();
  }
  EXPECT_TRUE(cut);
}

}  // namespace
}  // namespace tactus::arbiter
