#include "tactus/deploy/cover.hpp"

#include <filesystem>
#include <fstream>

#include "tests/deploy/systems.hpp"
#include "tests/support/folder.hpp"

namespace tactus::deploy {
namespace {

namespace fs = std::filesystem;
using decide::Holds;

/// A machine in a folder: one that is fit, until a test changes a file.
class FakeMachine : public testing::Test {
 protected:
  FakeMachine() {
    put("proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n");
    put("libtactus_preload.so", "");
    put("nvidia-smi.csv", "NVIDIA H200, Enabled, Disabled, 1980, 1980\n");
    put("proc/self/status", "Name:\ttactus\nCapEff:\t0000000000804000\n");
    put("proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units\n"
        "Max locked memory         8388608              8388608              bytes\n"
        "Max realtime priority     0                    0\n");
    put("proc/sys/kernel/sched_rt_runtime_us", "-1\n");
    put("proc/sys/kernel/sched_rt_period_us", "1000000\n");
    put("sys/devices/system/cpu/online", "0-3\n");
    put("sys/devices/system/cpu/isolated", "0-2\n");
    for (const char* cpu : {"cpu0", "cpu1", "cpu2", "cpu3"})
      put(std::string("sys/devices/system/cpu/") + cpu + "/cpufreq/scaling_governor",
          "performance\n");
    put("proc/17/comm", "bash\n");
  }
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories(fs::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path) << text;
  }
  void remove(const std::string& path) const { fs::remove_all(root_ + "/" + path); }

  Check check(const std::string& id, const Wish& wish = {}) const {
    for (const Check& each :
         checkup(look_at_machine(root_), demand_of(launched(robot(), wish), wish)))
      if (each.id == id) return each;
    throw std::runtime_error("there is no check " + id);
  }
  Holds judged(const Wish& wish = {}) const {
    return decide::conclusion(
        granted(checkup(look_at_machine(root_), demand_of(launched(robot(), wish), wish))));
  }
  /// A check that the plan counts on is not fine, and says how to mend it; so the machine is not.
  void expect_not_fine(const std::string& id, const std::string& found, const std::string& mend,
                       const Wish& wish = {}) const {
    const Check seen = check(id, wish);
    EXPECT_EQ(seen.state, State::kNotFine) << id;
    EXPECT_TRUE(seen.assumed) << id;
    EXPECT_NE(seen.found.find(found), std::string::npos) << seen.found;
    EXPECT_NE(seen.mend.find(mend), std::string::npos) << seen.mend;
    EXPECT_FALSE(seen.why.empty());
    EXPECT_EQ(judged(wish), Holds::kNo);
  }

  support::TemporaryFolder place_;
  std::string root_ = place_.path();
};

TEST_F(FakeMachine, ThatHasEverythingIsFit) {
  EXPECT_EQ(judged(), Holds::kYes);
  Wish channel;
  channel.by = By::kChannel;
  EXPECT_EQ(judged(channel), Holds::kYes);
}

TEST_F(FakeMachine, WithoutADriverIsNotFitForAGpu) {
  remove("proc/driver");
  expect_not_fine("driver", "no NVIDIA driver", "install");
  Wish process;
  process.by = By::kProcess;
  EXPECT_FALSE(check("driver", process).assumed);
  EXPECT_EQ(judged(process), Holds::kYes);
}

TEST_F(FakeMachine, OfAnotherBranchIsFitForGateAndNotForChannel) {
  put("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.1.2  x\n");
  EXPECT_EQ(judged(), Holds::kYes);
  Wish channel;
  channel.by = By::kChannel;
  expect_not_fine("tier channel", "535.1.2", "580", channel);
}

TEST_F(FakeMachine, WithoutTheLibraryIsNotFitForChannel) {
  remove("libtactus_preload.so");
  Wish channel;
  channel.by = By::kChannel;
  expect_not_fine("tier channel", "libtactus_preload.so", "install", channel);
}

TEST_F(FakeMachine, WithoutTheRightToRealTimeIsNotFit) {
  put("proc/self/status", "CapEff:\t0000000000004000\n");
  expect_not_fine("real time", "SCHED_FIFO", "limits.conf");
  put("proc/self/limits", "Max realtime priority     99                   99\n");
  EXPECT_EQ(check("real time").state, State::kFine);
  Wish none;
  none.realtime = false;
  put("proc/self/limits", "");
  EXPECT_FALSE(check("real time", none).assumed);
  EXPECT_EQ(check("real time").state, State::kUnknown);
  EXPECT_EQ(judged(), Holds::kNotKnown);
}

TEST_F(FakeMachine, ThatThrottlesRealTimeIsNotFit) {
  put("proc/sys/kernel/sched_rt_runtime_us", "950000\n");
  expect_not_fine("throttling", "950 ms of every 1000 ms", "sched_rt_runtime_us=-1");
}

TEST_F(FakeMachine, WithTooFewCpusIsNotFit) {
  put("sys/devices/system/cpu/online", "0-1\n");
  expect_not_fine("CPUs", "no CPU 2", "--cpus");
}

TEST_F(FakeMachine, WhoseCpusAreNotIsolatedIsNotFit) {
  put("sys/devices/system/cpu/isolated", "0,1\n");
  expect_not_fine("isolation", "CPU 2 is not isolated", "isolcpus=0,1,2");
  put("sys/devices/system/cpu/isolated", "\n");
  expect_not_fine("isolation", "CPU 0, 1, 2 is not isolated", "isolcpus=0,1,2");
}

TEST_F(FakeMachine, WhoseGovernorSavesPowerIsNotFitAndWithoutAnyItIsNotKnown) {
  put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  expect_not_fine("governor", "powersave on CPU 1", "performance");
  put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  put("sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n");
  EXPECT_EQ(check("governor").state, State::kFine) << "nothing of the plan runs on CPU 3";
  remove("sys/devices/system/cpu/cpu0/cpufreq");
  EXPECT_EQ(check("governor").state, State::kUnknown);
  EXPECT_EQ(judged(), Holds::kNotKnown);
}

TEST_F(FakeMachine, WhoseGpuClockFollowsTheLoadIsNotFit) {
  put("nvidia-smi.csv", "NVIDIA H200, Enabled, Disabled, 345, 1980\n");
  expect_not_fine("GPU clocks", "345 MHz", "nvidia-smi -lgc 1980,1980");
  Demand demand = demand_of(launched(robot()), {});
  demand.gpu_clock_mhz = 345;
  EXPECT_EQ(decide::conclusion(granted(checkup(look_at_machine(root_), demand))), Holds::kYes);
  put("nvidia-smi.csv", "NVIDIA H200, Enabled, Disabled, [N/A], [N/A]\n");
  EXPECT_EQ(check("GPU clocks").state, State::kUnknown);
}

TEST_F(FakeMachine, WithoutPersistenceOrUnderMpsOrMigIsNotFit) {
  put("nvidia-smi.csv", "NVIDIA H200, Disabled, Disabled, 1980, 1980\n");
  expect_not_fine("persistence", "disabled", "nvidia-smi -pm 1");
  put("nvidia-smi.csv", "NVIDIA H200, Enabled, Enabled, 1980, 1980\n");
  expect_not_fine("MIG", "enabled", "-mig 0");
  put("nvidia-smi.csv", "NVIDIA H200, Enabled, [N/A], 1980, 1980\n");
  EXPECT_EQ(judged(), Holds::kYes);
  put("proc/23/comm", "nvidia-cuda-mps-control\n");
  expect_not_fine("MPS", "daemon runs", "quit");
}

TEST_F(FakeMachine, WhoseSmiDoesNotAnswerIsNotKnown) {
  remove("nvidia-smi.csv");
  EXPECT_EQ(check("GPU clocks").state, State::kUnknown);
  EXPECT_EQ(judged(), Holds::kNotKnown);
}

TEST_F(FakeMachine, ThatLocksLittleMemoryIsNotFit) {
  put("proc/self/status", "CapEff:\t0000000000800000\n");
  expect_not_fine("memory lock", "8388608 bytes", "memlock");
}

TEST_F(FakeMachine, ThatIsEmptyIsUnknownAndWithoutAPlanNobodyCountsOnAnything) {
  remove("");
  fs::create_directory(root_);
  const auto checks = checkup(look_at_machine(root_), Demand{});
  EXPECT_EQ(checks.size(), 15U);
  EXPECT_EQ(decide::conclusion(granted(checks)), Holds::kYes);
  for (const Check& each : checks) {
    EXPECT_FALSE(each.assumed);
    EXPECT_FALSE(each.found.empty()) << each.id;
  }
}

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  EXPECT_EQ(cpu_list("0-2,5\n"), (std::set<int>{0, 1, 2, 5}));
  EXPECT_EQ(cpu_list(""), std::set<int>{});
  for (const char* text : {"a", "1-", "3-1", "1,,2", "1,", "-1", "999999999"})
    EXPECT_FALSE(cpu_list(text)) << text;
}

}  // namespace
}  // namespace tactus::deploy
