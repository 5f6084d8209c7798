// Whoever makes a run, its JSON follows the one schema of runs.
#include <gtest/gtest.h>

#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"
#include "tests/model/schema_validator.hpp"

namespace tactus::cli {
namespace {

json::Document parse(const std::string& text) {
  auto parsed = json::Document::parse(text);
  EXPECT_TRUE(std::holds_alternative<json::Document>(parsed)) << text;
  return std::move(std::get<json::Document>(parsed));
}

void expect_observed(std::vector<std::string> command, std::string_view producer) {
  const json::Document schema = parse(run_tactus({"schema", "observed"}).out);
  command.push_back("--json");
  const Ran ran = run_tactus(command);
  ASSERT_TRUE(ran.exit_code == 0 || ran.exit_code == 1) << command[0] << ": " << ran.err;
  const json::Document document = parse(ran.out);
  EXPECT_EQ(violation(schema.root(), document.root()), std::nullopt) << ran.out;
  EXPECT_EQ(document.root().find("producer")->text(), producer);
  EXPECT_NE(document.root().find("method")->text(), "");
  EXPECT_FALSE(document.root().find("tasks")->items().empty());
}

std::string example(const std::string& name) {
  return source_path("examples/" + name + ".system.json");
}

TEST(ObservedSchema, HoldsForSimulatedRuns) {
  for (const char* method : {"gcaps.suspend", "tsg-rr.busy", "mpcp.suspend", "fmlp.busy"}) {
    expect_observed({"simulate", example("robot"), "--policy", method, "--jobs", "5"}, "simulator");
  }
  expect_observed({"simulate", example("dag-example"), "--policy", "dag.balanced"}, "simulator");
  expect_observed({"simulate", example("gang-shares"), "--policy", "gang.swc"}, "simulator");
  expect_observed({"simulate", example("pbs-figure1"), "--policy", "pbs.graph"}, "simulator");
}

TEST(ObservedSchema, HoldsForRunsOfPlansOnTheEmulator) {
  expect_observed({"run", example("dag-example"), "--method", "dag.balanced"}, "executor");
  expect_observed({"run", example("gang-shares"), "--method", "gang.swc"}, "executor");
  expect_observed({"run", example("pbs-drone"), "--method", "pbs.graph", "--jitter", "4"},
                  "executor");
  expect_observed({"run", example("rtgpu-perception"), "--method", "rtgpu"}, "executor");
}

TEST(ObservedSchema, HoldsForTasksThatRunAsProcesses) {
  for (const char* mode : {"arbiter", "lock", "off"}) {
    expect_observed({"run", example("robot"), "--policy", "gcaps", "--backend", "cpu", "--tier",
                     "gate", "--mode", mode, "--duration", "200"},
                    "processes");
  }
}

TEST(Duration, HasOneNameInEveryVerb) {
  EXPECT_EQ(run_tactus({"simulate", example("robot"), "--duration", "100"}).exit_code, 0);
  EXPECT_EQ(
      run_tactus({"run", example("dag-example"), "--method", "dag.balanced", "--duration", "50"})
          .exit_code,
      0);
  EXPECT_EQ(run_tactus({"lab", "validate", "--method", "gcaps.suspend", "--count", "10",
                        "--duration", "50"})
                .exit_code,
            0);
  EXPECT_EQ(run_tactus({"lab", "validate", "--duration", "5", "--jobs", "5"}).exit_code, 2);
}

}  // namespace
}  // namespace tactus::cli
