#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kGraph = source_path("examples/dag-example.system.json");
const std::string kBatches = source_path("examples/pbs-figure1.system.json");
const std::string kShares = source_path("examples/gang-shares.system.json");
const std::string kChains = source_path("examples/rtgpu-perception.system.json");

/// A plan made by `tactus plan`, in a file.
std::string planned(const TemporaryFolder& folder, const std::string& system,
                    const std::string& method) {
  const std::string file = folder.file(method + ".plan.json");
  EXPECT_EQ(run_tactus({"plan", system, "--method", method, "-o", file}).err, "");
  return file;
}

TEST(Run, ExecutesAPlanFileOfEveryFamily) {
  const TemporaryFolder folder;
  const std::pair<std::string, std::string> cases[] = {
      {kGraph, "dag.balanced"}, {kBatches, "pbs.graph"}, {kShares, "gang.swc"}, {kChains, "rtgpu"}};
  for (const auto& [system, method] : cases) {
    const Ran ran =
        run_tactus({"run", system, "--plan", planned(folder, system, method), "--jobs", "10"});
    EXPECT_EQ(ran.exit_code, 0) << method << ran.out << ran.err;
    EXPECT_TRUE(contains(ran.out, method + " (safe) on ")) << ran.out;
    EXPECT_EQ(ran.err, "");
  }
}

TEST(Run, GivesTheSameFromAPlanFileAsFromTheMethod) {
  const TemporaryFolder folder;
  const std::string plan = planned(folder, kGraph, "dag.balanced");
  EXPECT_EQ(run_tactus({"run", kGraph, "--plan", plan, "--json"}).out,
            run_tactus({"run", kGraph, "--method", "dag.balanced", "--json"}).out);
}

TEST(Run, IsNoWhenADeadlineIsMissed) {
  const Ran ran = run_tactus({"run", kGraph, "--method", "dag.greedy", "--jobs", "3"});
  EXPECT_EQ(ran.exit_code, 1) << ran.out;
}

TEST(Run, SaysWhatTheMachineLacksAndExitsWithThree) {
  const Ran small = run_tactus({"run", kGraph, "--method", "dag.balanced", "--sms", "5"});
  EXPECT_EQ(small.exit_code, 3);
  EXPECT_EQ(small.err, "tactus: the plan needs 6 SMs; the emulator has 5\n");
  EXPECT_EQ(small.out, "");
  const Ran strict = run_tactus({"run", kGraph, "--method", "dag.balanced", "--sms", "132",
                                 "--partition-step", "8", "--strict"});
  EXPECT_EQ(strict.exit_code, 3);
  EXPECT_EQ(strict.err, "tactus: asked for 6 SMs, got 8, and --strict accepts no other number\n");
}

TEST(Run, NeedsABackendWithProcessesForGpuPriorities) {
  const Ran ran = run_tactus(
      {"run", source_path("examples/robot.system.json"), "--method", "gcaps.suspend.prio"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_TRUE(contains(ran.err, "run as processes, which the emulator does not play")) << ran.err;
}

TEST(Run, SaysWhichPlansABackendOfProcessesIsFor) {
  for (const std::string backend : {"cpu", "process"}) {
    const Ran ran = run_tactus(
        {"run", kGraph, "--method", "dag.balanced", "--jobs", "2", "--backend", backend});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(ran.err, "tactus: --backend " + backend +
                           " is for tasks that are processes; one program runs plans of "
                           "dag.balanced, on the emulator or on cuda\n");
  }
}

TEST(Run, TakesTheBestMethodThatIsRunHereWhereNoneIsNamedAndSaysWhich) {
  const Ran ran = run_tactus({"run", kGraph, "--jobs", "2"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "dag.balanced (safe) on dag-example")) << ran.out;
  EXPECT_TRUE(contains(ran.err, "tactus: method: dag.balanced (safe), which leaves most slack"))
      << ran.err;
}

TEST(Run, RefusesBadArgumentsInOneLine) {
  const TemporaryFolder folder;
  const std::string other = planned(folder, kGraph, "dag.balanced");
  const std::string broken = folder.file("broken.plan.json", "{ \"tactus\": 1 ");
  const std::vector<std::vector<std::string>> commands = {
      {"run", kGraph, "--method", "dag.balanced", "--plan", other},
      {"run", kBatches, "--plan", other},
      {"run", kGraph, "--plan", broken},
      {"run", kGraph, "--plan", folder.file("none.plan.json")},
      {"run", kGraph, "--method", "dag.balanced", "--jobs", "0"},
      {"run", kGraph, "--method", "dag.balanced", "--duration", "0"},
      {"run", kGraph, "--method", "dag.balanced", "--jitter", "0"},
      {"run", kGraph, "--method", "dag.balanced", "--strategy", "wild"},
      {"run", kGraph, "--method", "dag.balanced", "--scenario", "never"},
      {"run", kGraph, "--method", "dag.balanced", "--backend", "abacus"},
      {"run", kGraph, "--method", "dag.balanced", "--fill", "101"},
      {"run", kGraph, "--method", "dag.balanced", "--kernel", "spin"},
      {"run", kGraph, "--method", "dag.*"},
      {"run", folder.file("none.system.json"), "--method", "dag.balanced"},
  };
  for (const auto& command : commands) {
    const Ran ran = run_tactus(command);
    EXPECT_EQ(ran.exit_code, 2) << command.back() << ran.out;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

TEST(Run, WritesATraceThatIsJson) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.json");
  EXPECT_EQ(
      run_tactus({"run", kChains, "--method", "rtgpu", "--jobs", "3", "--trace", file}).exit_code,
      0);
  const auto parsed = json::Document::parse(slurp(file));
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed));
  EXPECT_GT(std::get<json::Document>(parsed).root().find("traceEvents")->items().size(), 50u);
}

TEST(Run, WritesNoTraceWhenThePlanCannotBeRun) {
  const TemporaryFolder folder;
  const std::string file = folder.file("run.json");
  EXPECT_EQ(run_tactus({"run", kGraph, "--method", "dag.balanced", "--sms", "5", "--trace", file})
                .exit_code,
            3);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Run, RepeatsARunBitForBit) {
  const std::vector<std::string> command = {"run",    kChains,      "--method",
                                            "rtgpu",  "--scenario", "sporadic,uniform",
                                            "--seed", "9",          "--json"};
  const Ran once = run_tactus(command), again = run_tactus(command);
  EXPECT_EQ(once.out, again.out);
  const auto parsed = json::Document::parse(once.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed));
  const json::Value& root = std::get<json::Document>(parsed).root();
  EXPECT_EQ(root.find("machine")->find("name")->text(), "emulator");
  EXPECT_EQ(root.find("tasks")->items().size(), 3u);
}

TEST(Run, ShowsHowLateReleasesAre) {
  const Ran ran =
      run_tactus({"run", kBatches, "--method", "pbs.graph", "--jitter", "0.1", "--json"});
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.err;
  const json::Value& late = *std::get<json::Document>(parsed).root().find("batches")->find("late");
  EXPECT_NE(late.find("p99")->text(), "0");
  EXPECT_NE(late.find("max")->text(), "0");
}

TEST(Run, SaysWhetherTheHostOrTheTableMadeJobsLate) {
  const Ran ran = run_tactus({"run", source_path("examples/pbs-drone.system.json"), "--method",
                              "pbs.graph", "--jobs", "20", "--jitter", "4", "--json"});
  EXPECT_EQ(ran.exit_code, 1);
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.err;
  const json::Value& batches = *std::get<json::Document>(parsed).root().find("batches");
  EXPECT_NE(batches.find("late_by_host")->find("missed")->text(), "0");
  EXPECT_EQ(batches.find("late_by_batches")->find("missed")->text(), "0");
  const auto& jobs = batches.find("late_jobs")->items();
  ASSERT_FALSE(jobs.empty());
  for (const json::Value& job : jobs) EXPECT_EQ(job.find("cause")->text(), "host");
}

TEST(Run, PlaysATableForAWhileWithEitherStrategy) {
  for (const char* strategy : {"planned", "reclaim"}) {
    const Ran ran = run_tactus({"run", kBatches, "--method", "pbs.graph", "--strategy", strategy,
                                "--duration", "200", "--scenario", "early"});
    EXPECT_EQ(ran.exit_code, 0) << ran.out;
    EXPECT_TRUE(contains(ran.out, "Batches: ")) << ran.out;
  }
}

}  // namespace
}  // namespace tactus::cli
