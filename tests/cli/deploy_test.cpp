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
   "arbiter_core": 2}]},
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
  /// On whatever machine this is.
  Ran deploy_script(const std::string& tier) const {
    return deploy({"--format", "script", "--tier", tier, "--no-realtime", "--cpus", "0,0"});
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
  const Ran ran = deploy({"--format", "script", "--backend", "emulator"});
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

TEST_F(Deploy, SaysAsJsonWhatItWrote) {
  describe(shell("exit 0"), shell("exit 0"));
  const Ran ran = deploy({"--json"});
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const json::Value& root = std::get<json::Document>(parsed).root();
  EXPECT_EQ(root.find("run_by")->text(), "tactusd");
  EXPECT_EQ(root.find("programs")->items().size(), 3U);
  EXPECT_EQ(root.find("programs")->items()[1].find("name")->text(), "camera");
}

/// A copy of a machine's files: everything as it should be but what a test changes.
class Doctor : public Deploy {
 protected:
  Doctor() {
    describe(shell("exit 0"), shell("exit 0"));
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
    return run_tactus(joined(
        {"doctor", system_, "--plan", plan_, "--tier", "process", "--root", folder_.file("root")},
        more));
  }
};

TEST_F(Doctor, IsYesWhereEverythingThePlanCountsOnIsFine) {
  const Ran ran = doctor();
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  EXPECT_TRUE(contains(ran.out, "Everything that the plan counts on is fine.")) << ran.out;
}

TEST_F(Doctor, IsNoWhereOneIsNotAndSaysHowToMendIt) {
  put("proc/sys/kernel/sched_rt_runtime_us", "950000\n");
  const Ran ran = doctor();
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.out, "NOT FINE  throttling")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "mend: sysctl -w kernel.sched_rt_runtime_us=-1")) << ran.out;
  EXPECT_EQ(doctor({"--no-realtime"}).exit_code, 0);
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
