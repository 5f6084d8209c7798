// From a plan to files that start it, and is the machine fit for it?
#include <filesystem>

#include "tests/cli/with_arbiter.hpp"

namespace tactus::cli {
namespace {

/// A small system whose tasks are shell commands, its plan, and a place to deploy it to.
class Deploy : public testing::Test {
 protected:
  /// @param camera, logger JSON of the commands: a real-time and a best-effort task
  void describe(const std::string& camera, const std::string& logger) {
    system_ = folder_.file("s.json", R"({"tactus": 1, "name": "small", "platform": {"elements": [
  {"name": "cpu", "kind": "cpu", "units": 2},
  {"name": "gpu", "kind": "gpu", "units": 4, "runlist_update": 0.1, "context_switch": 0.1,
   "preemption_delay": 5, "arbiter_core": 2}]},
 "tasks": [
  {"name": "camera", "priority": 5, "period": 100, "core": 1, "command": )" +
                                         camera + R"(,
   "nodes": [{"name": "g", "on": "gpu", "wcet": 5}]},
  {"name": "logger", "best_effort": true, "core": 1, "command": )" +
                                         logger + R"(,
   "nodes": [{"name": "g", "on": "gpu", "wcet": 5}]}]})");
    const Ran planned = run_tactus(
        {"plan", system_, "--method", "gcaps.suspend", "--variant", "safe-arbiter", "-o", plan_});
    ASSERT_EQ(planned.exit_code, 0) << planned.err;
  }
  static std::string shell(const std::string& line) {
    return R"({"argv": ["/bin/sh", "-c", ")" + line + R"("]})";
  }
  Ran deploy(const std::vector<std::string>& more) const {
    return run_tactus(
        joined({"deploy", system_, "--plan", plan_, "-o", output_, "--socket", socket_}, more));
  }
  /// On whatever machine this is: nothing is proved of that.
  Ran deploy_script(const std::string& tier) const {
    std::string accepted = "arbiter-core,cpu-order";
    if (tier == "process") accepted += ",segments,real-gpu";
    return deploy({"--format", "script", "--tier", tier, "--no-realtime", "--cpus", "0,0",
                   "--accept", accepted});
  }

  TemporaryFolder folder_;
  std::string system_, plan_ = folder_.file("p.json"), output_ = folder_.file("out");
  std::string socket_ = folder_.file("own/tactus.sock"), seen_ = folder_.file("seen");
};

TEST_F(Deploy, WritesAScriptThatStartsTheArbiterAndEveryTask) {
  // Under `exec --required` a command runs only if there is an arbiter; and one asks it who is there.
  describe(shell(std::string(TACTUS_BINARY) + " top --once --socket $TACTUS_SOCKET > " + seen_),
           shell("echo logged > " + seen_ + ".log"));
  const Ran ran = deploy_script("process");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(std::system((output_ + "/start.sh 2> " + seen_ + ".err").c_str()), 0)
      << slurp(seen_ + ".err");
  EXPECT_TRUE(contains(slurp(seen_), "process")) << slurp(seen_);
  EXPECT_EQ(slurp(seen_ + ".log"), "logged\n");
  EXPECT_FALSE(std::filesystem::exists(socket_)) << "the arbiter has ended too";
}

TEST_F(Deploy, GivesProgramsThatMarkTheirSegmentsThePriorityOfThePlan) {
  const std::string program = std::string(R"({"argv": ["/bin/sh", "-c", ")") + TACTUS_SEGMENTS +
                              " > $OUT; echo $TACTUS_SEGMENT_PRIORITY >> $OUT\"], \"env\": "
                              R"({"OUT": ")";
  describe(program + seen_ + R"("}})", program + seen_ + R"(.log"}})");
  ASSERT_EQ(deploy_script("gate").exit_code, 0);
  EXPECT_EQ(std::system((output_ + "/start.sh 2> /dev/null").c_str()), 0);
  EXPECT_TRUE(contains(slurp(seen_), "tier gate")) << slurp(seen_);
  EXPECT_TRUE(contains(slurp(seen_), "\n5\n")) << slurp(seen_);
  EXPECT_TRUE(contains(slurp(seen_ + ".log"), "best-effort")) << slurp(seen_ + ".log");
}

TEST_F(Deploy, WritesAScriptThatEndsAllItHasStartedWhenItIsTold) {
  describe(shell("echo $$ > " + seen_ + "; exec sleep 1000"),
           shell("echo $$ > " + seen_ + ".log; exec sleep 1000"));
  ASSERT_EQ(deploy_script("gate").exit_code, 0);
  Background script({output_ + "/start.sh"});
  ASSERT_TRUE(eventually([&] { return !slurp(seen_).empty() && !slurp(seen_ + ".log").empty(); }));
  EXPECT_EQ(WEXITSTATUS(script.stop(SIGTERM)), 130);
  for (const std::string& file : {seen_, seen_ + ".log"}) {
    std::string pid = slurp(file);
    pid.pop_back();
    EXPECT_EQ(state_of(pid), 'X') << file;
  }
  EXPECT_FALSE(std::filesystem::exists(socket_));
}

TEST_F(Deploy, WritesAScriptThatSaysIfATaskFailed) {
  describe(shell("exit 7"), shell("exit 0"));
  ASSERT_EQ(deploy_script("gate").exit_code, 0);
  EXPECT_EQ(WEXITSTATUS(std::system((output_ + "/start.sh 2> /dev/null").c_str())), 1);
}

TEST_F(Deploy, WritesAScriptThatPlaysAPlanInOneProgram) {
  system_ = source_path("examples/robot.system.json");
  ASSERT_EQ(run_tactus({"plan", system_, "--method", "gang.wc", "-o", plan_}).exit_code, 0);
  EXPECT_EQ(deploy({"--format", "script", "--backend", "emulator"}).exit_code, 1) << "no GPU";
  const Ran ran = deploy({"--format", "script", "--backend", "emulator", "--accept", "real-gpu"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(std::system((output_ + "/start.sh > " + seen_ + " 2> /dev/null").c_str()), 0);
  EXPECT_TRUE(contains(slurp(seen_), "planner.rollout")) << slurp(seen_);
}

TEST_F(Deploy, WritesUnitsThatSystemdTakes) {
  describe(R"({"argv": ["/bin/echo", "50% $HOME"], "cwd": "/tmp"})", shell("exit 0"));
  const Ran ran = deploy({});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "core 1, priority 5, GPU priority 5")) << ran.out;
  EXPECT_TRUE(std::filesystem::exists(output_ + "/README.md"));
  EXPECT_EQ(
      run_tactus({"plan", output_ + "/small.system.json", "--check", output_ + "/small.plan.json"})
          .exit_code,
      0);
  if (std::system("systemd-analyze --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "there is no systemd-analyze";
  const std::string said = folder_.file("said");
  EXPECT_EQ(std::system(("systemd-analyze verify " + output_ + "/*.service " + output_ +
                         "/*.target > " + said + " 2>&1")
                            .c_str()),
            0)
      << slurp(said);
}

TEST_F(Deploy, RefusesInOneLineEachAndWritesNothing) {
  describe(shell("exit 0"), shell("exit 0"));
  const auto refused = [&](const std::vector<std::string>& more, std::string_view part) {
    const Ran ran = deploy(more);
    EXPECT_EQ(ran.exit_code, 2) << part;
    EXPECT_TRUE(contains(ran.err, part)) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_FALSE(std::filesystem::exists(output_));
  };
  refused({"--cpus", "0"}, "--cpus names 1 CPUs, and the file has 2 cores");
  refused({"--cpus", "x"}, "--cpus must be numbers of CPUs");
  refused({"--format", "upstart"}, "--format");
  const std::string without =
      folder_.file("w.json", R"({"tactus": 1, "name": "w", "platform": {"elements": [
  {"name": "cpu", "kind": "cpu", "units": 1}, {"name": "gpu", "kind": "gpu", "units": 4,
   "runlist_update": 0.1}]}, "tasks": [
 {"name": "a", "priority": 1, "period": 9, "core": 1,
  "nodes": [{"name": "g", "on": "gpu", "wcet": 1}]}]})");
  ASSERT_EQ(run_tactus({"plan", without, "--method", "gcaps.suspend", "--variant", "safe-arbiter",
                        "-o", plan_})
                .exit_code,
            0);
  const Ran ran = run_tactus({"deploy", without, "--plan", plan_, "-o", output_});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.err, without + ":4:2: task `a` has no `command`, so it cannot be started\n");
  EXPECT_FALSE(std::filesystem::exists(output_));
}

TEST_F(Deploy, DoesNotReplaceWhatItDidNotWrite) {
  describe(shell("exit 0"), shell("exit 0"));
  ASSERT_EQ(deploy({}).exit_code, 0);
  EXPECT_EQ(deploy({}).exit_code, 2);
  EXPECT_EQ(deploy({"--replace", "--format", "script"}).exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(output_ + "/start.sh"));
  EXPECT_FALSE(std::filesystem::exists(output_ + "/small.target"));
}

TEST_F(Deploy, WritesALaunchFileOfRos2WhereEachTaskIsAProcess) {
  describe(shell("exit 0"), shell("exit 0"));
  const Ran same = deploy({"--format", "ros2"});
  EXPECT_EQ(same.exit_code, 2);
  EXPECT_TRUE(contains(same.err, "have the same `command`")) << same.err;
  EXPECT_FALSE(std::filesystem::exists(output_));
  describe(shell("exit 0"), shell("exit 1"));
  const Ran ran = deploy({"--format", "ros2", "--restart", "always"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.err, "--restart")) << "each is started once: " << ran.err;
  EXPECT_TRUE(contains(slurp(output_ + "/small.launch.py"), "def generate_launch_description"));
  EXPECT_TRUE(contains(slurp(output_ + "/README.md"), "ros2 launch ./small.launch.py"));
}

TEST_F(Deploy, SaysAsJsonWhatItWrote) {
  describe(shell("exit 0"), shell("exit 0"));
  const Ran ran = deploy({"--json"});
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const json::Value& root = std::get<json::Document>(parsed).root();
  EXPECT_EQ(root.find("run_by")->text(), "tactusd");
  EXPECT_EQ(root.find("programs")->items().size(), 3U);
  EXPECT_EQ(root.find("programs")->items()[1].find("name")->text(), "camera");
  EXPECT_EQ(root.find("covered")->text(), "not known") << "the machine was not looked at";
  EXPECT_TRUE(root.find("waived")->items().empty());
  for (const json::Value& one : root.find("conditions")->items()) {
    for (const char* key : {"id", "holds", "what", "from", "help", "whose"})
      EXPECT_NE(one.find(key), nullptr) << key;
  }
}

/// On one line, with one blank between words.
std::string unfolded(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// A robot whose plan takes segments off, as `tactus advise` writes it.
class DeployOfAPlanThatTakesOff : public Deploy {
 protected:
  DeployOfAPlanThatTakesOff() {
    system_ = source_path("tests/data/cover/amr.system.json");
    EXPECT_EQ(run_tactus({"plan", system_, "-o", plan_}).exit_code, 0);
  }
};

TEST_F(DeployOfAPlanThatTakesOff, IsRefusedWhereNothingIsTakenOffAsRunRefusesIt) {
  const Ran ran = deploy({});
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  for (const char* part : {"NO thresholds:", "lidar (threshold 1, tier hold)", "person",
                           "NO best-effort:", "mapping 40 (tier hold)", "from: methods/boost.md",
                           "--accept thresholds --accept best-effort", "--tier channel"})
    EXPECT_TRUE(contains(unfolded(ran.err), part)) << part << "\n" << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_FALSE(std::filesystem::exists(output_));
  const Ran run = run_tactus({"run", system_, "--plan", plan_, "--backend", "cpu"});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_TRUE(contains(run.err, "lidar (threshold 1, tier hold)")) << run.err;
  const Ran json = deploy({"--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_TRUE(contains(json.out, "\"covered\": \"no\"")) << json.out;
  EXPECT_TRUE(contains(json.out, "\"folder\": null")) << json.out;
}

TEST_F(DeployOfAPlanThatTakesOff, IsWrittenWithTheLibraryThatTakesOff) {
  const Ran ran = deploy({"--tier", "channel"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  for (const char* task : {"stereo", "lidar", "person", "planner"}) {
    const std::string unit = slurp(output_ + "/tactus-amr-" + task + ".service");
    EXPECT_TRUE(contains(unit, "exec --tier channel --segments --required -- /bin/sh")) << unit;
  }
  EXPECT_FALSE(contains(slurp(output_ + "/tactus-amr-wheel.service"), "exec --tier"));
  EXPECT_TRUE(contains(slurp(output_ + "/tactus-amr.target"),
                       "# Not known; tactus doctor must settle it before the start: tier-channel"))
      << slurp(output_ + "/tactus-amr.target");
  EXPECT_TRUE(contains(ran.out, "Not known before `tactus doctor` has looked")) << ran.out;
}

TEST_F(DeployOfAPlanThatTakesOff, IsWrittenAllTheSameWhereThatWasAcceptedAndNeverCalledProved) {
  const std::vector<std::string> accepted = {"--accept", "thresholds", "--accept", "best-effort"};
  const Ran ran = deploy(accepted);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "WAIVED: thresholds:")) << ran.out;
  EXPECT_TRUE(contains(unfolded(ran.out), "Nothing is proved of this start.")) << ran.out;
  const std::string unit = slurp(output_ + "/tactus-amr-lidar.service");
  EXPECT_TRUE(contains(unit, "not proved, waived: thresholds, best-effort")) << unit;
  EXPECT_TRUE(
      contains(slurp(output_ + "/tactus-amr-arbiter.service"), "--waived thresholds,best-effort"));
  EXPECT_TRUE(contains(slurp(output_ + "/README.md"), "--accept thresholds --accept best-effort"));
  const Ran doctor = run_tactus(joined({"doctor", system_, "--plan", plan_}, accepted));
  EXPECT_EQ(doctor.exit_code, 1) << doctor.out;
  EXPECT_TRUE(contains(unfolded(doctor.out), "Waived: thresholds, best-effort; nothing is proved"))
      << doctor.out;
}

TEST_F(DeployOfAPlanThatTakesOff, TakesNoOtherWordToAccept) {
  const Ran unknown = deploy({"--accept", "thresholds", "--accept", "luck"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_TRUE(contains(unknown.err, "--accept luck: this start has no such condition; there are: "))
      << unknown.err;
  const Ran fine = deploy({"--accept", "cores"});
  EXPECT_EQ(fine.exit_code, 2);
  EXPECT_EQ(fine.err, "tactus: --accept cores: there is nothing to accept, it is so\n");
  EXPECT_EQ(deploy({"--accept", "throttling"}).exit_code, 2) << "doctor must settle that";
  EXPECT_EQ(deploy({"--accept", "thresholds"}).exit_code, 1) << "there are others";
  EXPECT_FALSE(std::filesystem::exists(output_));
}

TEST_F(DeployOfAPlanThatTakesOff, CountsOnTheTierChannelWhateverTheUnitsSay) {
  const Ran doctor = run_tactus({"doctor", system_, "--plan", plan_, "--root", folder_.file("no")});
  EXPECT_EQ(doctor.exit_code, 1);
  const std::size_t channel = doctor.out.find("tier channel");
  ASSERT_NE(channel, std::string::npos);
  const std::string about = doctor.out.substr(channel, doctor.out.find("tier yield") - channel);
  EXPECT_FALSE(contains(about, "does not count on it")) << about;
  EXPECT_TRUE(contains(doctor.out, "NO        thresholds:")) << doctor.out;
}

TEST_F(Deploy, RefusesALongLaunchThatNoPreemptionDelayCovers) {
  describe(shell("exit 0"), shell("exit 0"));
  std::string text = slurp(system_);
  const std::string delay = R"("preemption_delay": 5, )";
  text.erase(text.find(delay), delay.size());
  system_ = folder_.file("without.json", text);
  ASSERT_EQ(run_tactus({"plan", system_, "--method", "gcaps.suspend", "--variant", "safe-arbiter",
                        "-o", plan_})
                .exit_code,
            0);
  const Ran ran = deploy({});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.err, "NO        leaves:")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "logger 5 (tier gate)")) << ran.err;
  EXPECT_EQ(deploy({"--tier", "channel"}).exit_code, 0) << "camera is never told to leave";
}

/// A copy of a machine's files: everything as it should be but what a test changes.
class Doctor : public Deploy {
 protected:
  Doctor() {
    describe(shell("exit 0"), shell("exit 0"));
    put("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.1  x\n");
    put("libtactus_preload.so", "");
    put("nvidia-smi.csv", "NVIDIA H200, Enabled, Disabled, 1980, 1980\n");
    put("proc/self/status", "CapEff:\t000001ffffffffff\n");
    put("proc/self/limits", "");
    put("proc/sys/kernel/sched_rt_runtime_us", "-1\n");
    put("sys/devices/system/cpu/online", "0-1\n");
    put("sys/devices/system/cpu/isolated", "0-1\n");
    for (const char* cpu : {"cpu0", "cpu1"})
      put(std::string("sys/devices/system/cpu/") + cpu + "/cpufreq/scaling_governor",
          "performance\n");
  }
  void put(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_.file("root/" + path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  Ran doctor(const std::vector<std::string>& more = {}) const {
    return run_tactus(
        joined({"doctor", system_, "--plan", plan_, "--root", folder_.file("root")}, more));
  }
};

TEST_F(Doctor, IsYesWhereEverythingThePlanCountsOnIsFine) {
  const Ran ran = doctor();
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  EXPECT_TRUE(contains(ran.out, "Everything that the plan counts on is fine.")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "Left to the programs: segments.")) << ran.out;
}

TEST_F(Doctor, IsNoWhereOneIsNotAndSaysHowToMendIt) {
  put("proc/sys/kernel/sched_rt_runtime_us", "950000\n");
  const Ran ran = doctor();
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.out, "NOT FINE  throttling")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "mend: sysctl -w kernel.sched_rt_runtime_us=-1")) << ran.out;
  const Ran without = doctor({"--no-realtime"});
  EXPECT_EQ(without.exit_code, 1);
  EXPECT_FALSE(contains(without.out, "not fine: throttling")) << without.out;
  EXPECT_TRUE(contains(without.out, "NO        cpu-order: ")) << without.out;
  std::istringstream lines(ran.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST_F(Doctor, IsUndecidedWhereOneCannotBeSeen) {
  std::filesystem::remove_all(folder_.file("root/sys/devices/system/cpu/cpu0"));
  EXPECT_EQ(doctor().exit_code, 3);
}

TEST_F(Doctor, SpeaksJson) {
  const Ran ran = doctor({"--json"});
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const json::Value& root = std::get<json::Document>(parsed).root();
  EXPECT_TRUE(root.find("fit")->boolean());
  for (const json::Value& check : root.find("checks")->items()) {
    for (const char* key : {"check", "state", "assumed", "found", "why", "mend"})
      EXPECT_NE(check.find(key), nullptr) << key;
  }
  EXPECT_FALSE(root.find("conditions")->items().empty());
  EXPECT_TRUE(root.find("waived")->items().empty());
}

TEST_F(Doctor, DoesNotKnowWhatDoesNotRun) {
  const Ran ran = doctor({"--running", "--socket", socket_});
  EXPECT_EQ(ran.exit_code, 1) << ran.out;
  EXPECT_TRUE(contains(ran.out, "there is no arbiter")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "no process of these tasks is seen: camera, logger")) << ran.out;
  EXPECT_EQ(run_tactus({"doctor", "--running"}).exit_code, 2);
  EXPECT_EQ(doctor({"--socket", socket_}).exit_code, 2);
}

class TopOfAWaivedStart : public ArbiterPlace {};

TEST_F(TopOfAWaivedStart, NamesWhatWasWaived) {
  serve(joined(kPatient, {"--waived", "thresholds,best-effort"}));
  const Ran text = run_tactus({"top", "--once", "--socket", socket_});
  EXPECT_TRUE(
      contains(text.out, "Nothing is proved of this start. Waived: thresholds,best-effort."))
      << text.out;
  const Ran json = run_tactus({"top", "--json", "--socket", socket_});
  EXPECT_TRUE(contains(json.out, "\"waived\": \"thresholds,best-effort\"")) << json.out;
  EXPECT_TRUE(contains(json.out, "\"safe_arbiter\": false")) << json.out;
}

TEST(DoctorWithoutAPlan, ShowsWhatThisMachineHas) {
  const Ran ran = run_tactus({"doctor"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  for (const char* check : {"driver", "tier channel", "throttling", "governor", "memory lock"})
    EXPECT_TRUE(contains(ran.out, check)) << check;
  EXPECT_EQ(run_tactus({"doctor", source_path("examples/robot.system.json")}).exit_code, 2);
}

}  // namespace
}  // namespace tactus::cli
