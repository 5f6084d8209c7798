#include <gtest/gtest.h>

#include "tactus/base/file.hpp"
#include "tactus/base/json.hpp"
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
void expect_every_job(const Ran& ran, bool has_results) {
  ASSERT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << ran.err;
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const auto& tasks = std::get<json::Document>(parsed).root().find("tasks")->items();
  ASSERT_EQ(tasks.size(), 3u);
  EXPECT_EQ(tasks[0].find("jobs")->text(), "4");
  EXPECT_EQ(tasks[1].find("jobs")->text(), "2");
  for (const json::Value& task : tasks) {
    const json::Value& process = *task.find("process");
    EXPECT_EQ(process.find("unarbitrated")->text(), "0");
    if (!has_results) continue;  // work that is stopped and continued has none
    EXPECT_NE(process.find("segments")->text(), "0");
    EXPECT_EQ(process.find("wrong_results")->text(), "0");
  }
}

TEST_P(RunPolicy, DoesEveryJobInItsMode) {
  expect_every_job(run_tactus({"run", "-", "--policy", "gcaps", "--backend", "cpu", "--tier",
                               "gate", "--duration", "400", "--json", "--mode", GetParam()},
                              kFile),
                   true);
}

INSTANTIATE_TEST_SUITE_P(Modes, RunPolicy, testing::Values("off", "lock", "arbiter"));

TEST_P(RunPolicy, DoesEveryJobWithWorkThatIsStoppedAndContinued) {
  expect_every_job(run_tactus({"run", "-", "--policy", "gcaps", "--backend", "process",
                               "--duration", "400", "--json", "--mode", GetParam()},
                              kFile),
                   false);
}

TEST(RunBehindGates, DoesEveryJobWithGatesAlone) {
  const Ran ran = run_tactus({"run", "-", "--policy", "gcaps", "--mode", "boost", "--backend",
                              "cpu", "--duration", "400", "--json"},
                             kFile);
  expect_every_job(ran, true);
  EXPECT_NE(ran.out.find("\"method\": \"gcaps.boost.suspend\""), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\"tier\": \"hold\""), std::string::npos) << ran.out;
}

/// What the arbiter did, as the run says it.
const json::Value& operation(const json::Document& document, std::string_view kind) {
  return *document.root().find("sharing")->find("operations")->find(kind);
}

json::Document parsed(const std::string& text) {
  auto document = json::Document::parse(text);
  EXPECT_TRUE(std::holds_alternative<json::Document>(document)) << text;
  return std::get<json::Document>(std::move(document));
}

// How often something is taken off depends on the machine; an operation that is late is not timed.
TEST(RunBehindGates, DoesEveryJobOfEveryMethodAndSaysWhatTheArbiterDid) {
  for (const char* method :
       {"gcaps.boost.suspend", "gcaps.boost.busy", "gcaps.boost.suspend.prio"}) {
    const Ran ran = run_tactus(
        {"run", "-", "--method", method, "--backend", "process", "--duration", "400", "--json"},
        kFile);
    expect_every_job(ran, true);
    const json::Document document = parsed(ran.out);
    EXPECT_EQ(document.root().find("method")->text(), method);
    EXPECT_NE(operation(document, "start").find("count")->text(), "0") << method;
    EXPECT_NE(operation(document, "off").find("max"), nullptr) << method;
    EXPECT_NE(operation(document, "on").find("mean"), nullptr) << method;
  }
}

TEST(RunBehindGates, NamesPreemptionsAndWhatSwitchingTookOfTheTime) {
  const std::string out = run_tactus({"run", "-", "--method", "gcaps.boost.suspend", "--backend",
                                      "process", "--duration", "400"},
                                     kFile)
                              .out;
  EXPECT_NE(out.find("mode boost (safe), tier process, suspending"), std::string::npos) << out;
  EXPECT_NE(out.find("\npreemptions "), std::string::npos) << out;
  EXPECT_NE(out.find("% of the time"), std::string::npos) << out;
}

TEST(RunBehindGates, RefusesATierThatHasNoPlaceThere) {
  const Ran gate = run_tactus(
      {"run", "-", "--method", "gcaps.boost.suspend", "--backend", "cpu", "--tier", "gate"}, kFile);
  EXPECT_EQ(gate.exit_code, 2);
  EXPECT_NE(gate.err.find("the tiers channel, yield and hold, not with gate"), std::string::npos)
      << gate.err;
  const Ran hold = run_tactus(
      {"run", "-", "--method", "gcaps.suspend", "--backend", "cpu", "--tier", "hold"}, kFile);
  EXPECT_EQ(hold.exit_code, 2);
  EXPECT_NE(hold.err.find("the tier hold is for plans of gcaps.boost"), std::string::npos)
      << hold.err;
  const Ran channel = run_tactus(
      {"run", "-", "--method", "gcaps.boost.suspend", "--backend", "cpu", "--tier", "channel"},
      kFile);
  EXPECT_EQ(channel.exit_code, 2);
  EXPECT_NE(channel.err.find("--tier hold; with --backend process"), std::string::npos)
      << channel.err;
}

TEST(RunBehindGates, RefusesAPlanThatTakesOffWhereNothingIsTakenOff) {
  const std::string system = testing::TempDir() + "taken.system.json";
  const std::string plan = testing::TempDir() + "taken.plan.json";
  std::string text = kFile;  // its own priority: the more urgent task takes it off
  const std::string node = R"("on":"gpu","wcet":5)";
  text.replace(text.find(node), node.size(), node + R"(,"gpu_threshold":1)");
  ASSERT_FALSE(write_text_file(system, text));
  ASSERT_EQ(run_tactus({"plan", system, "--method", "gcaps.boost.suspend", "-o", plan}).exit_code,
            0);
  const Ran ran = run_tactus({"run", system, "--plan", plan, "--backend", "cpu", "--tier", "hold"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_NE(ran.err.find("thresholds: the plan takes these segments off, and they stay: low "
                         "(threshold 1, tier hold)"),
            std::string::npos)
      << ran.err;
}

TEST(RunOfAPolicy, LastsUntilTheSlowestTaskHasHadItsJobs) {
  const Ran ran = run_tactus({"run", "-", "--policy", "gcaps", "--backend", "cpu", "--tier", "gate",
                              "--jobs", "3", "--json"},
                             kFile);
  ASSERT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << ran.err;
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const json::Value& root = std::get<json::Document>(parsed).root();
  EXPECT_EQ(root.find("end")->text(), "600");
  EXPECT_EQ(root.find("tasks")->items()[0].find("jobs")->text(), "6");
  EXPECT_EQ(root.find("tasks")->items()[1].find("jobs")->text(), "3");
  EXPECT_EQ(run_tactus({"run", "-", "--policy", "gcaps", "--backend", "cpu", "--jobs", "4000000000",
                        "--duration", "1"},
                       kFile)
                .exit_code,
            2)
      << "one or the other";
}

TEST(RunOfAPolicy, NamesTheVariantInForce) {
  const auto said = [](const std::string& variant) {
    return run_tactus({"run", "-", "--policy", "gcaps", "--variant", variant, "--backend", "cpu",
                       "--tier", "gate", "--duration", "50"},
                      kFile)
        .out;
  };
  const std::string note = "note: the variant in force is safe-arbiter, which is what tactusd does";
  const std::string arbiter = said("safe-arbiter"), driver = said("safe");
  EXPECT_NE(arbiter.find("mode arbiter (safe-arbiter)"), std::string::npos) << arbiter;
  EXPECT_EQ(arbiter.find(note), std::string::npos) << arbiter;
  EXPECT_NE(driver.find(note + "; the bounds shown are of safe\n"), std::string::npos) << driver;
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
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("with --backend cpu work is held back by --tier gate"), std::string::npos)
      << ran.err;
}

TEST(RunOfAPlan, ObeysItAndHoldsItToWhatItPromises) {
  const std::string system = testing::TempDir() + "obeyed.system.json";
  const std::string plan = testing::TempDir() + "obeyed.plan.json";
  ASSERT_FALSE(write_text_file(system, kFile));
  for (const std::string method :
       {"gcaps.suspend", "gcaps.busy.prio", "tsg-rr.busy", "mpcp.suspend", "fmlp.suspend",
        "gcaps.boost.suspend", "gcaps.boost.busy.prio"}) {
    const bool gated = method.starts_with("gcaps.boost");
    const Ran made = run_tactus({"plan", system, "--method", method, "-o", plan});
    ASSERT_EQ(made.exit_code, 0) << method << made.err;
    EXPECT_EQ(run_tactus({"plan", system, "--check", plan}).exit_code, 0) << method;
    // It promises less than could be proved: that is what counts, not what the method would find.
    std::string text = *read_text_file(plan);
    const auto bounds = text.find("\"high\": ", text.find("\"bounds\""));
    ASSERT_NE(bounds, std::string::npos) << text;
    const auto number = bounds + std::string("\"high\": ").size();
    text.replace(number, text.find_first_of(",\n }", number) - number, "99.5");
    ASSERT_FALSE(write_text_file(plan, text));
    const Ran ran =
        run_tactus({"run", system, "--plan", plan, "--backend", gated ? "process" : "cpu", "--tier",
                    gated ? "channel" : "gate", "--duration", "200", "--json"});
    ASSERT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << method << ran.err;
    const json::Document document = parsed(ran.out);
    EXPECT_EQ(document.root().find("method")->text(), method);
    EXPECT_EQ(document.root().find("tasks")->items()[0].find("bound")->text(), "99.5") << ran.out;
    EXPECT_EQ(document.root().find("tasks")->items()[0].find("jobs")->text(), "2");
  }
}

TEST(RunOfAPlan, RefusesOneThatDoesNotHold) {
  const std::string system = testing::TempDir() + "refused.system.json";
  const std::string plan = testing::TempDir() + "refused.plan.json";
  ASSERT_FALSE(write_text_file(system, kFile));
  ASSERT_EQ(run_tactus({"plan", system, "--method", "gcaps.suspend", "-o", plan}).exit_code, 0);
  std::string text = *read_text_file(plan);
  const auto waiting = text.find("\"suspend\"");
  ASSERT_NE(waiting, std::string::npos) << text;
  text.replace(waiting, 9, "\"busy\"");
  ASSERT_FALSE(write_text_file(plan, text));
  const Ran checked = run_tactus({"plan", system, "--check", plan});
  EXPECT_EQ(checked.exit_code, 1);
  EXPECT_TRUE(contains(checked.out, "`waiting` must be `suspend`")) << checked.out;
  EXPECT_EQ(run_tactus({"run", system, "--plan", plan, "--backend", "cpu"}).exit_code, 2);
}

TEST(Policy, IsAMethodIdInEveryVerbAndGcapsItsShortName) {
  const auto simulated = [](const std::string& policy) {
    return run_tactus({"simulate", source_path("examples/robot.system.json"), "--policy", policy,
                       "--jobs", "3"})
        .out;
  };
  EXPECT_EQ(simulated("gcaps"), simulated("gcaps.suspend"));
  const auto method_of = [](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"run", "-", "--backend", "cpu", "--tier", "gate", "--duration", "50", "--json"});
    const Ran ran = run_tactus(words, kFile);
    EXPECT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << ran.err;
    const json::Document document = parsed(ran.out);
    return std::string(document.root().find("method")->text()) + " " +
           std::string(document.root().find("variant")->text());
  };
  EXPECT_EQ(method_of({"--policy", "gcaps"}), "gcaps.suspend safe-arbiter");
  EXPECT_EQ(method_of({"--policy", "gcaps.busy", "--variant", "safe"}), "gcaps.busy safe");
  EXPECT_EQ(method_of({"--policy", "gcaps", "--mode", "lock", "--wait", "busy"}), "fmlp.busy safe");
  const Ran twice = run_tactus({"run", "-", "--policy", "gcaps.busy", "--wait", "busy"}, kFile);
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_TRUE(contains(twice.err, "gcaps.busy says both itself")) << twice.err;
}

TEST(CaseStudyOfTheH200, IsProvedUnderTheArbiterAndNotBehindALock) {
  const std::string file = source_path("examples/gcaps-h200.system.json");
  EXPECT_EQ(run_tactus({"analyze", file, "--method", "gcaps.suspend,tsg-rr.suspend", "--variant",
                        "safe-arbiter"})
                .exit_code,
            0);
  EXPECT_EQ(run_tactus({"analyze", file, "--method", "fmlp.suspend"}).exit_code, 1);
}

TEST(CaseStudyOfTheH200, HasNoBoundsWhereOneLaunchOfALoadMustBeWaitedFor) {
  std::string text = *read_text_file(source_path("examples/gcaps-h200.system.json"));
  const std::string update = R"("runlist_update": 12)";
  text.replace(text.find(update), update.size(), update + R"(, "preemption_delay": 44)");
  const Ran gate =
      run_tactus({"analyze", "-", "--method", "gcaps.suspend", "--variant", "safe-arbiter"}, text);
  EXPECT_EQ(gate.exit_code, 1) << gate.out;
}

TEST(Tiers, AreListedOneByOneWithTheReasonWhereOneIsMissing) {
  const Ran ran = run_tactus({"tiers", "--runs", "3", "--json"});
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
  EXPECT_EQ(run_tactus({"tiers", "--need", "gate", "--runs", "1"}).exit_code, 0);
}

/// What the refusal says can be done, is done, also of a file with thresholds.
TEST(RunBehindGates, TakesThePlanThatItAsksFor) {
  const TemporaryFolder folder;
  std::string text = kFile;
  const std::string node = R"("on":"gpu","wcet":5)";
  text.replace(text.find(node), node.size(), node + R"(,"gpu_threshold":1)");
  const std::string system = folder.file("taken.system.json", text);
  const std::string plan = folder.file("never.plan.json");
  const Ran made = run_tactus(
      {"plan", system, "--method", "gcaps.boost.suspend", "--thresholds", "never", "-o", plan});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_NE(made.out.find("the thresholds of the file are put aside"), std::string::npos)
      << made.out;
  EXPECT_EQ(run_tactus({"plan", system, "--check", plan}).exit_code, 0);
  const Ran ran = run_tactus({"run", system, "--plan", plan, "--backend", "cpu", "--tier", "hold",
                              "--jobs", "2", "--json"});
  EXPECT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << ran.err;
  EXPECT_EQ(ran.err.find("be taken off"), std::string::npos) << ran.err;
}

/// The camera starts the detector, and that one the motor.
TEST(RunPipeline, StartsTasksOfOtherProcessesAndFollowsTheChain) {
  const std::string file = R"({"tactus":1,"name":"path","time_unit":"ms","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":2},
      {"name":"gpu","kind":"gpu","units":1,"time_slice":2,"context_switch":0.2,"runlist_update":1}]},
     "tasks":[
      {"name":"camera","period":100,"jitter":50,"priority":3,"core":1,"nodes":[{"name":"c","on":"cpu","wcet":1}]},
      {"name":"detect","after":"camera","jitter":50,"priority":2,"core":1,"nodes":[{"name":"g","on":"gpu","wcet":2}]},
      {"name":"motor","after":"detect","priority":1,"core":1,"nodes":[{"name":"c","on":"cpu","wcet":1}]}],
     "chains":[{"name":"see","tasks":["camera","detect","motor"],"phases":"fixed"}]})";
  const Ran ran = run_tactus({"run", "-", "--policy", "gcaps", "--backend", "cpu", "--tier", "gate",
                              "--duration", "500", "--json"},
                             file);
  ASSERT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << ran.err;
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const json::Value& root = std::get<json::Document>(parsed).root();
  // On a busy machine a message may come before the one before it was taken, and that is counted.
  const auto count = [](const json::Value& of, const char* what) {
    return std::stoi(std::string(of.find(what)->text()));
  };
  for (const json::Value& task : root.find("tasks")->items()) {
    const json::Value& releases = *task.find("releases");
    EXPECT_EQ(count(task, "jobs") + count(releases, "lost"), 5);
    EXPECT_EQ(count(releases, "doubled"), 0);
    EXPECT_EQ(count(releases, "early"), 0);
  }
  // No wake-up takes no time: the motor, which may not be late at all, always is.
  const json::Value& motor = root.find("tasks")->items()[2];
  EXPECT_GT(count(motor, "jobs"), 0);
  EXPECT_EQ(motor.find("releases")->find("late")->text(), motor.find("jobs")->text());
  EXPECT_TRUE(root.find("outside_model")->boolean());
  const json::Value& chain = root.find("chains")->items()[0];
  EXPECT_EQ(chain.find("outputs")->text(), motor.find("jobs")->text());
  EXPECT_NE(chain.find("reaction")->text(), "0");
}

}  // namespace
}  // namespace tactus::cli
