#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "tactus/base/json.hpp"
#include "tactus/methods/method.hpp"
#include "tests/cli/with_arbiter.hpp"
#include "tests/model/schema_validator.hpp"

/// What verbs print with `--json` follows the schemas that the program prints.
namespace tactus::cli {
namespace {

std::vector<std::string> examples() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("examples"))) {
    if (entry.path().string().ends_with(".system.json")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// How a document departs from the schema of that name, or nothing.
std::optional<std::string> violation_of(const std::string& kind, const std::string& text) {
  static std::map<std::string, std::string> schemas;
  std::string& text_of = schemas[kind];
  if (text_of.empty()) text_of = run_tactus({"schema", kind}).out;
  const auto schema = json::Document::parse(text_of);
  const auto document = json::Document::parse(text);
  if (std::holds_alternative<Diagnostic>(document)) return "not JSON";
  return violation(std::get<json::Document>(schema).root(),
                   std::get<json::Document>(document).root());
}

/// Expects the document to be valid, and no longer to be with a key more or a key of another kind.
void expect_valid(const std::string& kind, const std::string& text, const std::string& what) {
  if (text.empty()) return;  // refused, with a complaint
  EXPECT_EQ(violation_of(kind, text).value_or("none"), "none") << what << "\n" << text;
  const std::string head = "{\n  \"tactus\": 1,";
  const std::string said = head + "\n  \"kind\": \"" + kind + "\",";
  ASSERT_TRUE(text.starts_with(said)) << text;
  std::string more = text, other = text, another = text;
  more.insert(2, "  \"surprise\": 1,\n");
  other.replace(0, head.size(), "{\n  \"tactus\": \"one\",");
  another.replace(head.size(), said.size() - head.size(), "\n  \"kind\": \"letter\",");
  EXPECT_TRUE(violation_of(kind, more)) << what;
  EXPECT_TRUE(violation_of(kind, other)) << what;
  EXPECT_TRUE(violation_of(kind, another)) << what;
}

/// The same text with the first of a key's values replaced.
std::string with_value(std::string text, const std::string& key, const std::string& value) {
  const std::size_t at = text.find("\"" + key + "\": ");
  if (at == std::string::npos) return text;
  const std::size_t start = at + key.size() + 4;
  return text.replace(start, text.find_first_of(",\n", start) - start, value);
}

TEST(Schemas, HoldForVerdictsOfEveryExample) {
  for (const std::string& file : examples()) {
    expect_valid("verdict", run_tactus({"analyze", file, "--json"}).out, file);
  }
  const std::string forklift = source_path("examples/forklift.system.json");
  const TemporaryFolder folder;
  const std::string text = run_tactus({"analyze", forklift, "--json"}).out;
  const std::string old = folder.file("old.json", text);
  expect_valid("verdict",
               run_tactus({"analyze", forklift, "--set", "camera.detect.wcet=10", "--baseline", old,
                           "--min-slack", "20%", "--json"})
                   .out,
               "with checks");
  EXPECT_TRUE(violation_of("verdict", with_value(text, "bound", "\"long\"")));
  EXPECT_TRUE(violation_of("verdict", with_value(text, "status", "\"perhaps\"")));
  EXPECT_TRUE(violation_of("verdict", with_value(text, "time_unit", "\"fortnight\"")));
}

TEST(Schemas, HoldForExplanations) {
  for (const char* name : {"forklift", "robot", "gang-hog", "dag-example", "pbs-drone"}) {
    const std::string file = source_path(std::string("examples/") + name + ".system.json");
    const auto parsed = json::Document::parse(slurp(file));
    const auto& tasks = *std::get<json::Document>(parsed).root().find("tasks");
    for (const json::Value& task : tasks.items()) {
      const std::string text = run_tactus({"analyze", file, "--explain",
                                           std::string(task.find("name")->text()), "--json"})
                                   .out;
      expect_valid("explanation", text, name);
      // Every term says how it was computed.
      EXPECT_EQ(text.find("\"how\": \"\""), std::string::npos) << name << text;
    }
  }
}

TEST(Schemas, HoldForSlackAndAdviceOfEveryExample) {
  for (const std::string& file : examples()) {
    expect_valid("slack", run_tactus({"slack", file, "--json"}).out, file);
    expect_valid("sweep", run_tactus({"slack", file, "--sweep", "all=0.9..1.1", "--json"}).out,
                 file);
    expect_valid("advice", run_tactus({"advise", file, "--stop-after", "1", "--json"}).out, file);
    expect_valid("reservations", run_tactus({"reserve", file, "--dry", "--json"}).out, file);
  }
  const std::string text =
      run_tactus({"slack", source_path("examples/robot.system.json"), "--json"}).out;
  EXPECT_TRUE(violation_of("slack", with_value(text, "exact", "\"yes\"")));
  EXPECT_TRUE(violation_of("slack", with_value(text, "kind", "\"mood\"")));
}

class SchemaOfReservations : public ArbiterPlace {};

TEST_F(SchemaOfReservations, HoldsForWhoHasOne) {
  const std::string file = folder_.file(
      "robot.json",
      R"({"tactus":1,"name":"robot","time_unit":"ms","platform":{"elements":[)"
      R"({"name":"cpu","kind":"cpu","units":4},{"name":"gpu","kind":"gpu","units":1,)"
      R"("preempt_cost":0.67,"resume_cost":0.38,"start_cost":0.15}]},"tasks":[)"
      R"({"name":"lidar","period":100,"core":4,"nodes":[{"name":"g","on":"gpu","wcet":5}]}]})");
  serve(joined(kPatient, {"--protocol", "boost", "--admit", file}));
  std::string text;
  EXPECT_TRUE(eventually([&] {
    text = run_tactus({"reserve", "--list", "--json", "--socket", socket_}).out;
    return !text.empty();
  }));
  expect_valid("reservation", text, "list");
  EXPECT_TRUE(violation_of("reservation", with_value(text, "answer", "\"perhaps\"")));
}

TEST(Schemas, HoldForPlansOfEveryMethodAndExample) {
  int plans = 0;
  for (const std::string& file : examples()) {
    for (const Method* method : registry()) {
      if (!method->makes_plan) continue;
      const std::string id(method->id);
      const std::string text = run_tactus({"plan", file, "-m", id, "--json"}).out;
      expect_valid("plan", text, file + " " + id);
      plans += text.empty() ? 0 : 1;
    }
  }
  EXPECT_GE(plans, 40);
}

TEST(Schemas, HoldForStarts) {
  const TemporaryFolder folder;
  const std::string file = source_path("examples/forklift.system.json"),
                    plan = folder.file("plan.json");
  run_tactus({"plan", file, "-m", "gcaps.suspend", "--variant", "safe-arbiter", "-o", plan});
  const std::vector<std::string> deploy = {
      "deploy", file, "--plan", plan, "-o", folder.file("units"), "--json"};
  const std::string refused = run_tactus(deploy).out;
  expect_valid("deployment", refused, "refused");
  EXPECT_TRUE(violation_of("deployment", with_value(refused, "covered", "\"perhaps\"")));
  std::vector<std::string> all_the_same = deploy;
  all_the_same.insert(all_the_same.end(), {"--accept", "leaves"});
  expect_valid("deployment", run_tactus(all_the_same).out, "written");
  const std::string bare = run_tactus({"doctor", "--json"}).out;
  expect_valid("checkup", bare, "without a plan");
  EXPECT_TRUE(violation_of("checkup", with_value(bare, "fit", "\"so so\"")));
  expect_valid("checkup", run_tactus({"doctor", file, "--plan", plan, "--json"}).out,
               "with a plan");
}

TEST(Schemas, HoldForMeasurementsAndSearches) {
  const std::string dag = source_path("examples/dag-example.system.json");
  expect_valid("measurement",
               run_tactus({"measure", dag, "--backend", "emulator", "--runs", "3", "--json"}).out,
               "measure");
  const Ran hunt = run_tactus({"lab", "validate", "-m", "gang.wc", "--count", "3", "--json"});
  EXPECT_EQ(hunt.exit_code, 0) << hunt.err;
  expect_valid("validation", hunt.out, "validate");
}

TEST(Schemas, HoldForRunsAndSimulations) {
  const std::string robot = source_path("examples/robot.system.json"),
                    dag = source_path("examples/dag-example.system.json");
  expect_valid("observed", run_tactus({"simulate", robot, "--jobs", "5", "--json"}).out,
               "simulate");
  expect_valid("observed",
               run_tactus({"run", dag, "-m", "dag.balanced", "--jobs", "5", "--json"}).out, "run");
}

}  // namespace
}  // namespace tactus::cli
