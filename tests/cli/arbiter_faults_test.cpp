// What a user does to tactusd and tactus exec that they did not ask for.
#include <sys/mman.h>

#include <atomic>

#include "tests/cli/with_arbiter.hpp"

namespace tactus::cli {
namespace {

TEST_F(WithArbiter, ExecPassesOnWhatItIsToldAndEndsAsItsCommandDoes) {
  const std::string ready = folder_.file("ready");
  const auto command = [&](const std::string& trap) {
    return exec({"--priority", "5"},
                {"/bin/sh", "-c", trap + " echo > " + ready + "; while :; do sleep 0.01; done"});
  };
  const auto told = [&](const std::string& trap, int signal) {
    std::filesystem::remove(ready);
    Background exec(command(trap));
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(ready); }));
    return exec.stop(signal);
  };
  EXPECT_EQ(WEXITSTATUS(told("trap 'exit 41' USR1;", SIGUSR1)), 41);
  EXPECT_EQ(WEXITSTATUS(told("trap 'exit 42' HUP;", SIGHUP)), 42);
  EXPECT_EQ(WEXITSTATUS(told("", SIGTERM)), 128 + SIGTERM);
}

TEST_F(WithArbiter, ACommandThatIsHeldBackEndsAtOnceWhenItIsToldTo) {
  Background low(exec({"--best-effort"}, endless()));
  const std::string pid = pid_of_endless();
  Background high(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
  ASSERT_TRUE(eventually([&] { return state_of(pid) == 'T'; }));
  EXPECT_EQ(WEXITSTATUS(low.stop(SIGTERM)), 128 + SIGTERM);
  EXPECT_EQ(state_of(pid), 'X');
}

TEST_F(WithArbiter, ProcessesThatLeftTheirParentsAreHeldBackToo) {
  const std::string pid_file = folder_.file("orphan");
  Background low(
      exec({"--best-effort"}, {"/bin/sh", "-c",
                               "(sh -c 'echo $$ > " + pid_file +
                                   "; while :; do :; done' &) ; while :; do sleep 0.01; done"}));
  ASSERT_TRUE(eventually([&] { return !slurp(pid_file).empty(); }));
  std::string orphan = slurp(pid_file);
  orphan.pop_back();
  {
    Background high(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
    EXPECT_TRUE(eventually([&] { return state_of(orphan) == 'T'; }));
  }
  EXPECT_TRUE(eventually([&] { return state_of(orphan) == 'R'; }));
  low.stop(SIGTERM);
  kill(std::stoi(orphan), SIGKILL);
}

TEST_F(WithArbiter, AnArbiterStartedAfterOneThatWasKilledTakesItsPlace) {
  daemon_->stop(SIGKILL);
  ASSERT_TRUE(std::filesystem::exists(socket_));  // left behind
  EXPECT_EQ(run_tactus({"top", "--socket", socket_}).exit_code, 3);
  serve(kPatient);
  EXPECT_TRUE(eventually([&] { return run_tactus({"top", "--socket", socket_}).exit_code == 0; }));
}

TEST_F(WithArbiter, ACommandComesUnderTheArbiterThatTakesTheOldOnesPlace) {
  Background low(exec({"--best-effort"}, endless()));
  const std::string pid = pid_of_endless();
  for (int round = 0; round < 2; ++round) {
    daemon_->stop(round == 0 ? SIGKILL : SIGTERM);
    serve(kPatient);
    ASSERT_TRUE(eventually([&] { return first_client("state") == "running"; }));
    Background high(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
    EXPECT_TRUE(eventually([&] { return state_of(pid) == 'T'; }));
  }
}

TEST_F(ArbiterPlace, AFrozenArbiterKeepsNobodyOffForLongerThanALease) {
  serve({"--update-timeout", "30000", "--lease", "500"});
  Background low(exec({"--best-effort"}, endless()));
  const std::string pid = pid_of_endless();
  Background high(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
  ASSERT_TRUE(eventually([&] { return state_of(pid) == 'T'; }));
  daemon_->tell(SIGSTOP);
  EXPECT_TRUE(eventually([&] { return state_of(pid) == 'R'; }));
  daemon_->tell(SIGCONT);
  EXPECT_TRUE(eventually([&] { return state_of(pid) == 'T'; }));
}

TEST_F(ArbiterPlace, AFrozenOwnerIsPassedOverAndShown) {
  serve({"--update-timeout", "50", "--lease", "30000"});
  Background low(exec({"--best-effort"}, endless()));
  const std::string pid = pid_of_endless();
  low.tell(SIGSTOP);  // the one who would take the command off
  ASSERT_TRUE(eventually([&] { return state_of(low.pid()) == 'T'; }));
  EXPECT_EQ(run_tactus({"exec", "--tier", "process", "--socket", socket_, "--priority", "5",
                        "--required", "--", "/bin/true"})
                .exit_code,
            0);
  EXPECT_EQ(first_client("state"), "silent");
  EXPECT_EQ(first_client("late"), "1");
  const Ran text = run_tactus({"top", "--once", "--socket", socket_});
  EXPECT_NE(text.out.find("silent"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("1 late, 1 shared"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("no bound covers that"), std::string::npos) << text.out;
  low.tell(SIGCONT);
  EXPECT_TRUE(eventually([&] { return first_client("state") == "running"; }));
  EXPECT_EQ(state_of(pid), 'R');
}

TEST_F(ArbiterPlace, ItsUnitForSystemdIsInOrder) {
  if (std::system("systemd-analyze --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no systemd-analyze";
  std::string unit = slurp(source_path("tools/systemd/tactusd.service"));
  const std::string installed = "/usr/local/bin/tactusd";
  ASSERT_NE(unit.find(installed), std::string::npos);
  unit.replace(unit.find(installed), installed.size(),
               std::filesystem::path(TACTUS_BINARY).replace_filename("tactusd").string());
  const std::string file = folder_.file("tactusd.service", unit), said = folder_.file("said");
  EXPECT_EQ(std::system(("systemd-analyze verify " + file + " > " + said + " 2>&1").c_str()), 0)
      << slurp(said);
}

#ifdef TACTUS_CLOCK_SHIFT_LIBRARY
/// Everybody under a clock of the test's: what a machine that was suspended, or a virtual one that
/// stood still, looks like to them.
class WithShiftedClock : public ArbiterPlace {
 protected:
  enum Clock { kMonotonic, kGoesOn };
  WithShiftedClock() {
    const std::string file = folder_.file("shift", std::string(2 * sizeof *shifts_, '\0'));
    const int descriptor = open(file.c_str(), O_RDWR | O_CLOEXEC);
    shifts_ = static_cast<std::atomic<std::int64_t>*>(
        mmap(nullptr, 2 * sizeof *shifts_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0));
    close(descriptor);
    prefix_ = {"/usr/bin/env", "LD_PRELOAD=" TACTUS_CLOCK_SHIFT_LIBRARY,
               "TACTUS_CLOCK_SHIFT=" + file};
    serve({"--lease", "10000", "--update-timeout", "30000", "--budget", "1000000", "--log",
           folder_.file("log")});
  }
  ~WithShiftedClock() override { munmap(shifts_, 2 * sizeof *shifts_); }
  void jump(Clock clock, std::int64_t hours) {
    shifts_[clock].fetch_add(hours * 3'600'000'000'000);
  }
  bool logged(const std::string& part) const {
    return slurp(folder_.file("log")).find(part) != std::string::npos;
  }
  std::atomic<std::int64_t>* shifts_ = nullptr;
};

TEST_F(WithShiftedClock, TimeInWhichTheMachineWasSuspendedDoesNotCount) {
  Background low(exec({"--best-effort"}, endless()));
  const std::string pid = pid_of_endless();
  auto high = std::make_unique<Background>(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
  ASSERT_TRUE(eventually([&] { return state_of(pid) == 'T'; }));
  jump(kGoesOn, 10);             // CLOCK_MONOTONIC stood still meanwhile
  for (int i = 0; i < 3; ++i) {  // each look wakes the arbiter up
    EXPECT_EQ(first_client("state"), "pending");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(state_of(pid), 'T');
  EXPECT_FALSE(logged("\"lapsed\"")) << slurp(folder_.file("log"));
  EXPECT_FALSE(logged("\"late\""));
  EXPECT_FALSE(logged("\"overstay\""));
  high.reset();
  EXPECT_TRUE(eventually([&] { return state_of(pid) == 'R'; }));
}

TEST_F(WithShiftedClock, NothingIsLostWhenTheClockJumpsAhead) {
  Background low(exec({"--best-effort"}, endless()));
  const std::string pid = pid_of_endless();
  auto high = std::make_unique<Background>(exec({"--priority", "5"}, {"/bin/sleep", "1000"}));
  ASSERT_TRUE(eventually([&] { return state_of(pid) == 'T'; }));
  for (int i = 0; i < 5; ++i) {
    jump(kMonotonic, 10);  // every lease and every timeout has passed
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    // Whoever went on in between is taken off again, and everybody is still there.
    EXPECT_TRUE(
        eventually([&] { return state_of(pid) == 'T' && first_client("state") == "pending"; }));
  }
  high.reset();
  EXPECT_TRUE(eventually([&] { return state_of(pid) == 'R'; }));
}
#endif

}  // namespace
}  // namespace tactus::cli
