// A shared object brings methods, policies and recipes along, or a clear complaint.
#include <gtest/gtest.h>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kMine = std::string(TACTUS_PLUGINS) + "/libmine_plugin.so";
std::string bad(const std::string& kind) {
  return std::string(TACTUS_PLUGINS) + "/libbad_" + kind + ".so";
}

TEST(Plugin, BringsARecipeAMethodAndAPolicyThatWorkTogether) {
  const Ran methods = run_tactus({"methods", "mine.in-turn", "--plugin", kMine});
  EXPECT_EQ(methods.exit_code, 0) << methods.err;
  EXPECT_TRUE(contains(methods.out, "simulate  yes")) << methods.out;
  const Ran drawn =
      run_tactus({"lab", "generate", "in-turn-small", "--set", "tasks=4", "--plugin", kMine});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  const TemporaryFolder folder;
  const std::string file = folder.file("drawn.system.json", drawn.out);
  EXPECT_EQ(run_tactus({"check", file}).exit_code, 0);
  const Ran analyzed =
      run_tactus({"analyze", file, "--plugin", kMine, "-m", "mine.in-turn", "--json"});
  EXPECT_TRUE(contains(analyzed.out, "\"own work\"")) << analyzed.out << analyzed.err;
  const Ran simulated =
      run_tactus({"simulate", file, "--plugin", kMine, "--policy", "mine.in-turn", "--jobs", "3"});
  EXPECT_LE(simulated.exit_code, 1) << simulated.err;
  const Ran slack = run_tactus({"slack", file, "--plugin", kMine, "-m", "mine.in-turn"});
  EXPECT_TRUE(contains(slack.out, "mine.in-turn")) << slack.out << slack.err;
}

TEST(Plugin, IsValidatedUnderItsOwnPolicyInItsOwnSystems) {
  const Ran ran = run_tactus({"lab", "validate", "--plugin", kMine, "-m", "mine.in-turn", "--count",
                              "100", "--runs", "5"});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
}

TEST(Plugin, TakesPartInExperiments) {
  const TemporaryFolder folder;
  const std::string experiment = folder.file("turn.experiment.json", R"({
    "tactus_experiment": 1, "name": "turn", "title": "In turn", "recipe": "in-turn-small",
    "sweep": { "label": "tasks", "set": ["tasks"], "values": [2, 3] }, "sets": 5,
    "lines": [ { "name": "mine", "label": "Mine", "method": "mine.in-turn" } ] })");
  const Ran ran = run_tactus({"lab", "reproduce", experiment, "-o", folder.file("out"),
                              "--no-figures", "--plugin", kMine});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const Ran results =
      run_tactus({"lab", "results", folder.file("out"), "--csv", "--plugin", kMine});
  EXPECT_TRUE(contains(results.out, "mine.in-turn")) << results.err;
  const Ran without = run_tactus({"lab", "reproduce", experiment, "-o", folder.file("other")});
  EXPECT_EQ(without.exit_code, 2) << "a file does not load code";
}

TEST(Plugin, PolicyCanServeACommand) {
  const Ran ran = run_tactus({"lab", "validate", "--plugin", kMine, "--method-command", "x=false",
                              "--method-policy", "x=in-turn", "-m", "x", "--count", "2"});
  EXPECT_EQ(ran.exit_code, 3) << ran.out;
  EXPECT_TRUE(contains(ran.err, "the command `false` failed")) << ran.err;
}

std::string refused(const std::string& path) {
  const Ran ran = run_tactus({"methods", "--plugin", path});
  EXPECT_EQ(ran.exit_code, 2) << ran.out;
  EXPECT_EQ(ran.out, "");
  const std::string head = "tactus: " + path + ": ";
  EXPECT_TRUE(ran.err.starts_with(head)) << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  return ran.err.starts_with(head) ? ran.err.substr(head.size()) : ran.err;
}

TEST(Plugin, ThatDoesNotFitIsRefusedWithTheReason) {
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(refused(folder.file("none.so")), "No such file"));
  EXPECT_TRUE(contains(refused(folder.file("text.so", "no library")), "file too short"));
  EXPECT_EQ(refused(bad("no_symbol")), "it has no `tactus_plugin`\n");
  EXPECT_EQ(refused(bad("other_version")),
            "it was built for version 2 of the plugin interface; this tactus has version 1\n");
  EXPECT_TRUE(contains(refused(bad("other_layout")), "with the headers of another version"));
  EXPECT_EQ(refused(bad("taken_id")), "there is a method `gcaps.suspend` already\n");
  EXPECT_EQ(refused(bad("throwing_join")), "it could not add what it has: not today\n");
}

TEST(Plugin, GivenTwiceIsRefusedBecauseItsMethodsAreThereAlready) {
  const Ran ran = run_tactus({"methods", "--plugin", kMine, "--plugin", kMine});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_TRUE(contains(ran.err, "there is a method `mine.in-turn` already")) << ran.err;
}

TEST(Plugin, ThatThrowsHarmsOnlyItsOwnAnswer) {
  const std::string plugin = bad("throwing_parts");
  const Ran analysis =
      run_tactus({"analyze", source_path("examples/gcaps-table2.system.json"), "--plugin", plugin,
                  "-m", "bad.analysis,gcaps.suspend", "--json"});
  EXPECT_TRUE(contains(analysis.out, "bad.analysis failed: two tasks are too many"))
      << analysis.out << analysis.err;
  EXPECT_TRUE(contains(analysis.out, "\"method\": \"gcaps.suspend\""));
  const auto validated = [&](const std::string& method) {
    return run_tactus({"lab", "validate", "--plugin", plugin, "-m", method, "--count", "3"});
  };
  EXPECT_TRUE(contains(validated("bad.policy").err, "the policy failed: it does not expand"))
      << validated("bad.policy").err;
  EXPECT_EQ(validated("bad.make").exit_code, 3) << validated("bad.make").out;
  EXPECT_TRUE(contains(run_tactus({"lab", "generate", "bad-recipe", "--plugin", plugin}).err,
                       "the recipe failed: no systems today"));
  const Ran nonsense = run_tactus({"lab", "generate", "bad-nonsense", "--plugin", plugin});
  EXPECT_EQ(nonsense.exit_code, 2);
  EXPECT_TRUE(contains(nonsense.err, "recipe `bad-nonsense` failed: ")) << nonsense.err;
}

}  // namespace
}  // namespace tactus::cli
