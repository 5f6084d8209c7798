#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tests/arbiter/arbiter_here.hpp"
#include "tests/arbiter/boost_client.hpp"

extern char** environ;

namespace tactus::arbiter::preload {
namespace {

/// An unmodified program (tests/fake_driver) with the preloaded library in it, over a fake driver.
class PreloadedProgram {
 public:
  PreloadedProgram(const std::string& socket, const std::string& priority,
                   const std::string& argument = {}, const std::string& tier = "channel",
                   const std::string& variable = "NOTHING=",
                   const std::string& library = TACTUS_PRELOAD) {
    int input[2], output[2], errors[2];
    if (pipe(input) != 0 || pipe(output) != 0 || pipe(errors) != 0) return;
    std::vector<std::string> variables = {
        "LD_PRELOAD=" + library + ":" + TACTUS_FAKE_DRIVER, "TACTUS_SOCKET=" + socket,
        "TACTUS_PRIORITY=" + priority, "TACTUS_TIER=" + tier, variable,
        "TACTUS_TIER_COST=700000 600000 400000 300000 5",
        // A sanitizer insists on being loaded first, except when told that this is on purpose.
        "ASAN_OPTIONS=verify_asan_link_order=0"};
    std::vector<char*> environment;
    for (std::string& line : variables) environment.push_back(line.data());
    environment.push_back(nullptr);
    std::string program = TACTUS_FAKE_PROGRAM, word = argument;
    char* arguments[] = {program.data(), word.empty() ? nullptr : word.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors[1], STDERR_FILENO);
    for (const int end : {input[1], output[0], errors[0]})
      posix_spawn_file_actions_addclose(&actions, end);
    posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments, environment.data());
    posix_spawn_file_actions_destroy(&actions);
    for (const int end : {input[0], output[1], errors[1]}) close(end);
    input_ = input[1], output_ = output[0], errors_ = errors[0];
  }
  ~PreloadedProgram() {
    end();
    close(output_);
    close(errors_);
  }
  PreloadedProgram(const PreloadedProgram&) = delete;
  PreloadedProgram& operator=(const PreloadedProgram&) = delete;

  /// The next change it tells: '+' its channels run, '-' they do not, 'c' only those for copies do; 0 at
  /// its end.
  char next() const {
    pollfd output{output_, POLLIN, 0};
    char told = 0;
    if (poll(&output, 1, 30'000) <= 0 || read(output_, &told, 1) != 1) return 0;
    return told;
  }
  /// Does it tell a change within this time?
  bool told(int milliseconds) const {
    pollfd output{output_, POLLIN, 0};
    return poll(&output, 1, milliseconds) > 0;
  }
  std::string complaint() const {
    std::string text(10'000, 0);
    pollfd errors{errors_, POLLIN, 0};
    if (poll(&errors, 1, 30'000) <= 0) return {};
    const ssize_t got = read(errors_, text.data(), text.size());
    return text.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  pid_t process() const { return process_; }
  int end() {
    if (input_ < 0) return -1;
    close(input_);
    input_ = -1;
    int status = 0;
    waitpid(process_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t process_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;
};

TEST(WholeProcess, IsTakenOffTheGpuWhileSomebodyMoreUrgentHasIt) {
  const ArbiterHere arbiter;
  PreloadedProgram program(arbiter.socket(), "best-effort");
  ASSERT_EQ(program.next(), '+') << program.complaint();
  FlagClient urgent(arbiter.socket(), "urgent");
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(urgent.begin(70), client::Outcome::kRunning);
    EXPECT_EQ(program.next(), '-');
    urgent.connection.end();
    EXPECT_EQ(program.next(), '+');
  }
  EXPECT_EQ(program.end(), 0) << program.complaint();
}

TEST(WholeProcess, TakesItsCopiesAlongUnlessToldNotTo) {
  const ArbiterHere arbiter;
  for (const char* const copies : {"yes", "no"}) {
    PreloadedProgram program(arbiter.socket(), "best-effort", {}, "channel",
                             std::string("TACTUS_CHANNEL_COPIES=") + copies);
    ASSERT_EQ(program.next(), '+') << program.complaint();
    FlagClient urgent(arbiter.socket(), "urgent");
    EXPECT_EQ(urgent.begin(70), client::Outcome::kRunning);
    EXPECT_EQ(program.next(), copies[0] == 'n' ? 'c' : '-') << copies;
    urgent.connection.end();
    EXPECT_TRUE(eventually([&] { return program.next() == '+'; })) << copies;
  }
}

TEST(WholeProcess, ObeysTheArbiterOfItsOwnGpuOnly) {
  const ArbiterHere first_gpu, second_gpu;
  PreloadedProgram first(first_gpu.socket(), "best-effort"),
      second(second_gpu.socket(), "best-effort");
  ASSERT_EQ(first.next(), '+') << first.complaint();
  ASSERT_EQ(second.next(), '+') << second.complaint();
  FlagClient urgent(first_gpu.socket(), "urgent");
  EXPECT_EQ(urgent.begin(70), client::Outcome::kRunning);
  EXPECT_EQ(first.next(), '-');
  FlagClient other(second_gpu.socket(), "other");
  EXPECT_EQ(other.begin(1), client::Outcome::kRunning);
  EXPECT_EQ(second.next(), '-') << "by its own, and so not before";
  other.connection.end();
  EXPECT_EQ(second.next(), '+');
  EXPECT_FALSE(first.told(0));
}

TEST(WholeProcess, IsASegmentWithoutAnEndForAnArbiterForBoost) {
  const ArbiterHere arbiter(boost_options());
  PreloadedProgram program(arbiter.socket(), "best-effort");
  char told = program.next();
  if (told == '-') told = program.next();  // it is held until it is its turn
  ASSERT_EQ(told, '+') << program.complaint();
  BoostClient urgent(arbiter.socket());
  for (int round = 0; round < 3; ++round) {
    urgent.submits(70);
    EXPECT_EQ(program.next(), '-');
    EXPECT_TRUE(eventually([&] { return urgent.runs(); }));
    urgent.finishes();
    EXPECT_EQ(program.next(), '+');
  }
  EXPECT_EQ(program.end(), 0) << program.complaint();
}

TEST(WholeProcess, IsBornOffWhileSomebodyMoreUrgentHasTheGpu) {
  const ArbiterHere arbiter;
  FlagClient urgent(arbiter.socket(), "urgent");
  ASSERT_EQ(urgent.begin(70), client::Outcome::kRunning);
  PreloadedProgram program(arbiter.socket(), "5");
  ASSERT_EQ(program.next(), '-') << program.complaint();
  urgent.connection.end();
  EXPECT_EQ(program.next(), '+');
}

TEST(WholeProcess, HoldsOffWhoIsLessUrgentUntilItEnds) {
  const ArbiterHere arbiter;
  FlagClient rest(arbiter.socket(), "rest");
  ASSERT_EQ(rest.begin_best_effort(), client::Outcome::kRunning);
  {
    const PreloadedProgram program(arbiter.socket(), "50");
    ASSERT_EQ(program.next(), '+') << program.complaint();
    EXPECT_TRUE(rest.off);
  }
  EXPECT_TRUE(eventually([&] { return !rest.off; }));
}

TEST(WholeProcess, GoesOnWhenTheArbiterIsGone) {
  ArbiterHere arbiter;
  PreloadedProgram program(arbiter.socket(), "best-effort");
  ASSERT_EQ(program.next(), '+') << program.complaint();
  FlagClient urgent(arbiter.socket(), "urgent");
  urgent.begin(70);
  ASSERT_EQ(program.next(), '-');
  arbiter.stop();
  EXPECT_EQ(program.next(), '+');
}

TEST(WholeProcess, IsUnderTheArbiterThatTakesTheOldOnesPlace) {
  const Folder folder;
  daemon::DaemonOptions options;
  options.socket = folder.file("own/s");
  options.lease_ns = options.update_timeout_ns = 20'000'000'000;
  auto first = daemon::Daemon::open(options);
  ASSERT_TRUE(first);
  std::thread serving([&] { (*first)->run(); });
  PreloadedProgram program(options.socket, "best-effort");
  ASSERT_EQ(program.next(), '+') << program.complaint();
  (*first)->stop();
  serving.join();
  first->reset();
  // Told when it lasts: an arbiter that is only replaced is joined at once.
  EXPECT_NE(program.complaint().find("the arbiter is gone"), std::string::npos);
  auto second = daemon::Daemon::open(options);
  ASSERT_TRUE(second);
  serving = std::thread([&] { (*second)->run(); });
  {
    FlagClient urgent(options.socket, "urgent");
    EXPECT_TRUE(eventually([&] {
      urgent.begin(70);
      const bool taken_off = urgent.connection.connected() && program.told(100);
      urgent.connection.end();
      return taken_off;
    }));
  }
  (*second)->stop();
  serving.join();
}

TEST(WholeProcess, KilledWhileOffLeavesNobodyWaiting) {
  const ArbiterHere arbiter;
  PreloadedProgram program(arbiter.socket(), "5");
  ASSERT_EQ(program.next(), '+') << program.complaint();
  FlagClient urgent(arbiter.socket(), "urgent");
  urgent.begin(70);
  ASSERT_EQ(program.next(), '-');
  kill(program.process(), SIGKILL);
  EXPECT_EQ(program.next(), 0);
  urgent.connection.end();
  EXPECT_EQ(urgent.begin(60), client::Outcome::kRunning);
}

TEST(WholeProcess, IsTheChildThatUsesTheGpuNotTheParentThatForkedIt) {
  const ArbiterHere arbiter;
  PreloadedProgram program(arbiter.socket(), "best-effort", "fork");
  ASSERT_EQ(program.next(), '+') << program.complaint();
  FlagClient urgent(arbiter.socket(), "urgent");
  EXPECT_EQ(urgent.begin(70), client::Outcome::kRunning);
  EXPECT_EQ(program.next(), '-');
  urgent.connection.end();
  EXPECT_EQ(program.next(), '+');
}

TEST(WholeProcess, KeepsItsArbiterAndItsDataWhenItClosesAllThatItDidNotOpen) {
  const ArbiterHere arbiter;
  PreloadedProgram program(arbiter.socket(), "best-effort", "close");
  ASSERT_EQ(program.next(), '+') << program.complaint();
  FlagClient urgent(arbiter.socket(), "urgent");
  for (int round = 0; round < 10; ++round) {
    EXPECT_EQ(urgent.begin(70), client::Outcome::kRunning);
    EXPECT_EQ(program.next(), '-');
    urgent.connection.end();
    EXPECT_EQ(program.next(), '+');
  }
  EXPECT_EQ(program.end(), 0) << "5: its data was taken";
}

/// A library of Debian's; empty where it is not installed.
std::string installed(const std::string& name) {
  for (const auto& place : std::filesystem::directory_iterator("/usr/lib"))
    if (place.is_directory() && access((place.path() / name).c_str(), R_OK) == 0)
      return place.path() / name;
  return {};
}

TEST(WholeProcess, TakesOtherAllocatorsBesideUsInAnyOrder) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer is an allocator, too";
#endif
  const ArbiterHere arbiter;
  for (const char* name : {"libjemalloc.so.2", "libtcmalloc_minimal.so.4"}) {
    const std::string other = installed(name), own = TACTUS_PRELOAD;
    if (other.empty()) GTEST_SKIP() << name << " is not installed";
    for (const std::string& both : {own + ":" + other, other + ":" + own}) {
      PreloadedProgram program(arbiter.socket(), "best-effort", "close", "channel",
                               "NOTHING=", both);
      ASSERT_EQ(program.next(), '+') << both << program.complaint();
      FlagClient urgent(arbiter.socket(), "urgent");
      for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(urgent.begin(70), client::Outcome::kRunning);
        EXPECT_EQ(program.next(), '-') << both;
        urgent.connection.end();
        EXPECT_EQ(program.next(), '+') << both;
      }
      EXPECT_EQ(program.end(), 0) << both;
    }
  }
}

TEST(WholeProcess, SaysWhyItIsNotUnderTheArbiterAndRunsAllTheSame) {
  {
    const PreloadedProgram program("/no/such/socket", "best-effort");
    EXPECT_EQ(program.next(), '+');
    EXPECT_NE(program.complaint().find("no arbiter is running"), std::string::npos);
  }
  const ArbiterHere arbiter;
  const PreloadedProgram wrong_tier(arbiter.socket(), "best-effort", "", "gate");
  EXPECT_EQ(wrong_tier.next(), '+');
  EXPECT_NE(wrong_tier.complaint().find("only the tier channel"), std::string::npos);
  const PreloadedProgram wrong_priority(arbiter.socket(), "urgent");
  EXPECT_EQ(wrong_priority.next(), '+');
  EXPECT_NE(wrong_priority.complaint().find("TACTUS_PRIORITY"), std::string::npos);
}

}  // namespace
}  // namespace tactus::arbiter::preload
