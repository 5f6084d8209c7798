#include <gtest/gtest.h>

#include "tactus/model/json.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kFile = R"({"tactus":1,"name":"small","time_unit":"ms","platform":{"elements":[
  {"name":"cpu","kind":"cpu","units":1},
  {"name":"gpu","kind":"gpu","units":1,"time_slice":2,"context_switch":0.2,"runlist_update":1}]},
 "tasks":[
  {"name":"high","period":100,"priority":2,"core":1,
   "nodes":[{"name":"c","on":"cpu","wcet":1},{"name":"g","on":"gpu","wcet":2,"launch":1}]},
  {"name":"low","period":200,"priority":1,"core":1,
   "nodes":[{"name":"c","on":"cpu","wcet":1},{"name":"g","on":"gpu","wcet":5}]},
  {"name":"rest","best_effort":true,"core":1,
   "nodes":[{"name":"g","on":"gpu","wcet":3}]}]})";

class RunPolicy : public testing::TestWithParam<std::string> {};

// How long jobs take depends on the machine, so exit codes 0 and 1 are both fine here; that every
// job is done, and that nothing slips past the arbiter, does not depend on it.
TEST_P(RunPolicy, DoesEveryJobInItsMode) {
  const Ran ran = run_tactus({"run", "-", "--policy", "gcaps", "--backend", "cpu", "--tier", "gate",
                              "--duration", "400", "--json", "--mode", GetParam()},
                             kFile);
  ASSERT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << ran.err;
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const auto& tasks = std::get<json::Document>(parsed).root().find("tasks")->items();
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[0].find("jobs")->text(), "4");
  EXPECT_EQ(tasks[1].find("jobs")->text(), "2");
  for (const json::Value& task : tasks) {
    const json::Value& process = *task.find("process");
    EXPECT_NE(process.find("segments")->text(), "0");
    EXPECT_EQ(process.find("unarbitrated")->text(), "0");
    EXPECT_EQ(process.find("wrong_results")->text(), "0");
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, RunPolicy, testing::Values("off", "lock", "arbiter"));

TEST_P(RunPolicy, DoesEveryJobWithWorkThatIsStoppedAndContinued) {
  const Ran ran = run_tactus({"run", "-", "--policy", "gcaps", "--backend", "process", "--duration",
                              "400", "--json", "--mode", GetParam()},
                             kFile);
  ASSERT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << ran.err;
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const auto& tasks = std::get<json::Document>(parsed).root().find("tasks")->items();
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[0].find("jobs")->text(), "4");
  EXPECT_EQ(tasks[1].find("jobs")->text(), "2");
  for (const json::Value& task : tasks)
    EXPECT_EQ(task.find("process")->find("unarbitrated")->text(), "0");
}

TEST(RunPolicyRefusals, NameTheBackendThatIsNeeded) {
  const Ran ran = run_tactus({"run", "-", "--policy", "gcaps"}, kFile);
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("--backend cuda"), std::string::npos) << ran.err;
}

TEST(RunPolicyRefusals, NeverPutAnotherTierInThePlaceOfTheOneAskedFor) {
  const Ran ran = run_tactus({"run", "-", "--policy", "gcaps", "--backend", "cpu", "--tier",
                              "channel", "--duration", "10"},
                             kFile);
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("the tiers gate and process only"), std::string::npos) << ran.err;
}

TEST(CaseStudyOfTheH200, IsProvedUnderTheArbiterAndNotBehindALock) {
  const std::string file = source_path("examples/gcaps-h200.system.json");
  EXPECT_EQ(run_tactus({"analyze", file, "--method", "gcaps.suspend,tsg-rr.suspend", "--variant",
                        "safe-arbiter"})
                .exit_code,
            0);
  EXPECT_EQ(run_tactus({"analyze", file, "--method", "fmlp.suspend"}).exit_code, 1);
}

TEST(Tiers, AreListedOneByOneWithTheReasonWhereOneIsMissing) {
  const Ran ran = run_tactus({"tiers", "--rounds", "3", "--json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const auto& tiers = std::get<json::Document>(parsed).root().find("tiers")->items();
  ASSERT_EQ(tiers.size(), 3u);
  for (const json::Value& tier : tiers) {
    if (!tier.find("available")->boolean()) {
      ASSERT_NE(tier.find("reason"), nullptr);
      EXPECT_FALSE(tier.find("reason")->text().empty());
    }
  }
  EXPECT_EQ(run_tactus({"tiers", "--need", "gate", "--rounds", "1"}).exit_code, 0);
}

}  // namespace
}  // namespace tactus::cli
