#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kRobot = source_path("examples/robot.system.json");
const std::string kTable2 = source_path("examples/gcaps-table2.system.json");

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(AnalyzeMany, MakesOneTableOfSeveralFiles) {
  const Ran ran = run_tactus({"analyze", kRobot, kTable2, "-m", "gcaps.suspend,rtgpu"});
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(contains(ran.out, "2 systems")) << ran.out;
  EXPECT_EQ(lines_of(ran.out), 4U) << ran.out;
}

TEST(AnalyzeMany, TakesWhatGeneratePrints) {
  const Ran made = run_tactus({"lab", "generate", "gcaps-small", "--count", "20", "--seed", "3"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Ran csv = run_tactus({"analyze", "-", "-m", "gcaps.suspend", "--csv"}, made.out);
  EXPECT_EQ(csv.err, "");
  EXPECT_TRUE(contains(csv.out, "place,system,method,variant,status,task,bound,deadline"));
  // The same answers, however many are in work at a time ...
  EXPECT_EQ(run_tactus({"analyze", "-", "-m", "gcaps.suspend", "--csv", "-j", "3"}, made.out).out,
            csv.out);
  // ... and the same as one by one.
  std::string alone;
  for (std::size_t from = 0, number = 1; from < made.out.size(); ++number) {
    const std::size_t end = made.out.find('\n', from);
    const Ran one = run_tactus({"analyze", "-", "-m", "gcaps.suspend", "--csv"},
                               made.out.substr(from, end - from));
    for (std::size_t at = one.out.find('\n') + 1; at < one.out.size();) {
      const std::size_t next = one.out.find('\n', at) + 1;
      alone += csv.out.substr(csv.out.find('\n') + 1,
                              csv.out.find(':', csv.out.find('\n')) - csv.out.find('\n')) +
               std::to_string(number) + "," + one.out.substr(at, next - at);
      at = next;
    }
    from = end + 1;
  }
  EXPECT_EQ(csv.out.substr(csv.out.find('\n') + 1), alone);
}

TEST(AnalyzeMany, CountsTheSameInJson) {
  const Ran ran = run_tactus({"analyze", kRobot, kTable2, "-m", "gcaps.suspend,rtgpu", "--json"});
  const auto parsed = json::Document::parse(ran.out);
  ASSERT_TRUE(std::holds_alternative<json::Document>(parsed)) << ran.out;
  const json::Value& root = std::get<json::Document>(parsed).root();
  ASSERT_EQ(root.find("systems")->items().size(), 2U);
  ASSERT_EQ(root.find("methods")->items().size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const json::Value& method = root.find("methods")->items()[k];
    for (const char* status : {"schedulable", "unschedulable", "undecided", "not-applicable"}) {
      std::size_t count = 0;
      for (const json::Value& system : root.find("systems")->items()) {
        count += system.find("verdicts")->items()[k].find("status")->text() == status ? 1 : 0;
      }
      EXPECT_EQ(method.find(status)->text(), std::to_string(count)) << status;
    }
  }
}

TEST(AnalyzeMany, ReturnsTheWorstAnswer) {
  EXPECT_EQ(run_tactus({"analyze", kRobot, kRobot, "-m", "gcaps.suspend"}).exit_code, 0);
  EXPECT_EQ(
      run_tactus({"analyze", kRobot, kRobot, "-m", "gcaps.suspend", "--set", "camera.deadline=2"})
          .exit_code,
      1);
  EXPECT_EQ(run_tactus({"analyze", kRobot, kRobot, "-m", "dag.balanced"}).exit_code, 3);
}

TEST(AnalyzeMany, TellsAllThatIsWrongAndPrintsNothing) {
  const TemporaryFolder folder;
  const std::string made = run_tactus({"lab", "generate", "gcaps-small", "--count", "3"}).out;
  const std::size_t second = made.find('\n') + 1;
  const std::string lines =
      folder.file("own.jsonl", made.substr(0, second) + "{\"tactus\": 1}\n" + made.substr(second));
  const Ran ran = run_tactus({"analyze", lines, source_path("examples/broken.system.json")});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(contains(ran.err, "own.jsonl:2:")) << ran.err;
  EXPECT_TRUE(contains(ran.err, "broken.system.json:")) << ran.err;
  const Ran absent = run_tactus({"analyze", kRobot, folder.file("none.json")});
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_TRUE(contains(absent.err, "none.json")) << absent.err;
  const Ran explained = run_tactus({"analyze", kRobot, kTable2, "--explain", "camera"});
  EXPECT_EQ(explained.exit_code, 2);
  EXPECT_TRUE(contains(explained.err, "take one system")) << explained.err;
}

/// 40 systems with a warning each, of which one in the second half misses its deadline.
TEST(AnalyzeMany, JudgesEveryLineHoweverManyWarningsThereAre) {
  std::string lines;
  for (int i = 1; i <= 40; ++i) {
    lines +=
        R"({"tactus": 1, "name": "s", "platform": {"elements": [)"
        R"({"name": "cpu", "kind": "cpu", "units": 1}]}, "tasks": [{"name": "t", "period": 10, )"
        R"("core": 1, "priority": 1, "nodes": [{"name": "n", "on": "cpu", "wcet": )" +
        std::string(i == 31 ? "11.0000001" : "1.0000001") + "}]}]}\n";
  }
  const Ran ran = run_tactus({"analyze", "-", "-m", "gcaps.suspend"}, lines);
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_TRUE(contains(ran.out, "40 systems")) << ran.out;
  EXPECT_TRUE(contains(ran.err, "warning: and 20 more warnings")) << ran.err;
  EXPECT_EQ(lines_of(ran.err), 21U);
  const Ran validated =
      run_tactus({"lab", "validate", "-", "-m", "gcaps.suspend", "--runs", "1", "--json"}, lines);
  EXPECT_TRUE(contains(validated.out, "\"systems\": 40")) << validated.out;
}

}  // namespace
}  // namespace tactus::cli
