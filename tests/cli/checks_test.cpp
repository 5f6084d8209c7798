#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/base/json.hpp"
#include "tests/cli/run_tactus.hpp"

/// What `analyze` offers continuous integration.
namespace tactus::cli {
namespace {

const std::string kForklift = source_path("examples/forklift.system.json");

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

Ran analyze(std::vector<std::string> words) {
  words.insert(words.begin(), {"analyze", kForklift});
  return run_tactus(words);
}

TEST(MinSlack, NamesTheTaskThatHasLess) {
  const Ran ran = analyze({"-m", "gcaps.suspend", "--min-slack", "20%"});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_EQ(ran.err, kForklift +
                         ":26:5: gcaps.suspend (safe): task `planner` has 8.05 % slack (bound "
                         "183.9, deadline 200), less than 20%\n");
  EXPECT_TRUE(contains(ran.out, "gcaps.suspend")) << ran.out;
}

TEST(MinSlack, IsExactAtTheBorder) {
  // (200 - 183.9) / 200 is 8.05 %.
  EXPECT_EQ(analyze({"-m", "gcaps.suspend", "--min-slack", "8.05%"}).exit_code, 0);
  EXPECT_EQ(analyze({"-m", "gcaps.suspend", "--min-slack", "8.0501%"}).exit_code, 1);
  EXPECT_EQ(analyze({"-m", "gcaps.suspend", "--min-slack", "0%"}).exit_code, 0);
  EXPECT_EQ(analyze({"-m", "gcaps.suspend", "--min-slack", "100%"}).exit_code, 1);
}

TEST(MinSlack, IsAskedOfTheMethodThatCounts) {
  // gcaps.busy leaves 7.3 %, gcaps.suspend 8.05 %: of two named ones both count, of all the best.
  EXPECT_EQ(analyze({"--min-slack", "8%"}).exit_code, 0);
  const Ran both = analyze({"-m", "gcaps.suspend,gcaps.busy", "--min-slack", "8%"});
  EXPECT_EQ(both.exit_code, 1);
  EXPECT_TRUE(contains(both.err, "gcaps.busy (safe): task `planner` has 7.3 % slack")) << both.err;
  EXPECT_FALSE(contains(both.err, "gcaps.suspend")) << both.err;
  const Ran json = analyze({"-m", "gcaps.suspend", "--min-slack", "20%", "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_TRUE(contains(json.out, "\"asked\": \"20%\"")) << json.out;
}

TEST(MinSlack, IsAskedOfTheMethodThatTheAnswerNames) {
  // gcaps.suspend leaves 36 % there, but tactus runs gang.wc, which leaves 13 %.
  const std::string robot = source_path("examples/robot.system.json");
  const Ran ran = run_tactus({"analyze", robot, "--min-slack", "20%"});
  EXPECT_TRUE(contains(ran.out, "proved by gang.wc (safe)")) << ran.out;
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_TRUE(contains(ran.err, "gang.wc (safe): task `camera` has 13")) << ran.err;
}

TEST(MinSlack, IsAPercentage) {
  for (const auto& [value, hint] : {std::pair<std::string, std::string>("120%", ""),
                                    {"-5%", ""},
                                    {"1e1%", ""},
                                    {"%", ""},
                                    {"5.%", ""},
                                    {"20", "; did you mean `20%`?"},
                                    {"0.05", "; did you mean `5%`?"},
                                    {"0.5", "; did you mean `50%`?"},
                                    {"0.125", "; did you mean `12.5%`?"},
                                    {"0.005", "; did you mean `0.5%`?"},
                                    {"0.0", "; did you mean `0%`?"},
                                    {"a lot", ""},
                                    {"0.00001%", ""}}) {
    const Ran ran = analyze({"--min-slack=" + value});
    EXPECT_EQ(ran.exit_code, 2) << value;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, "tactus: --min-slack must be from 0% to 100% of the deadline, got `" +
                           value + "`" + hint + "\n");
  }
}

TEST(Baseline, OfTheSameSystemIsNotWorse) {
  const TemporaryFolder folder;
  const std::string old = folder.file("old.json", analyze({"--json"}).out);
  const Ran same = analyze({"--baseline", old});
  EXPECT_EQ(same.exit_code, 0);
  EXPECT_EQ(same.err, "");
  EXPECT_TRUE(contains(same.out, "Compared with " + old + ": no difference")) << same.out;
}

TEST(Baseline, SaysWhatIsWorsePerMethodAndTask) {
  const TemporaryFolder folder;
  const std::string old = folder.file("old.json", analyze({"--json"}).out);
  const Ran worse =
      analyze({"-m", "gcaps.*", "--set", "camera.detect.wcet=9.5", "--baseline", old});
  EXPECT_EQ(worse.exit_code, 1);
  EXPECT_TRUE(contains(worse.out, "planner  bound 183.9 -> 186.9 ms, slack 8.05 -> 6.55 %"))
      << worse.out;
  EXPECT_TRUE(contains(worse.out, "verdict schedulable -> unschedulable")) << worse.out;
  // Methods that were not asked are not gone.
  EXPECT_FALSE(contains(worse.out, "gone")) << worse.out;
  const Ran json = analyze(
      {"-m", "gcaps.suspend", "--set", "camera.detect.wcet=9.5", "--baseline", old, "--json"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_TRUE(contains(json.out, R"("what": "bound",
        "was": 183.9,
        "now": 186.9)"))
      << json.out;
  // The other way round it is better, and that is no failure.
  const std::string slow =
      folder.file("slow.json", analyze({"--set", "camera.detect.wcet=9.5", "--json"}).out);
  const Ran better = analyze({"--baseline", slow});
  EXPECT_EQ(better.exit_code, 0) << better.out;
  EXPECT_TRUE(contains(better.out, "Compared with " + slow + ": not worse")) << better.out;
}

/// What the heading says is true of the rows right below it.
TEST(Baseline, KeepsMethodsThatDoNotCountApart) {
  const TemporaryFolder folder;
  const std::string old = folder.file("old.json", analyze({"--json"}).out);
  const std::string sarif = folder.file("worse.sarif");
  const Ran ran = analyze({"--set", "gpu.preempt_cost=1", "--baseline", old, "--sarif", sarif});
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  const std::size_t heading = ran.out.find("Compared with " + old + ": not worse\n");
  const std::size_t apart = ran.out.find("Methods that do not count here:\n");
  ASSERT_NE(heading, std::string::npos) << ran.out;
  ASSERT_NE(apart, std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.substr(heading, apart - heading).find("  worse "), std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("worse  gcaps.boost.suspend (safe)", apart), std::string::npos) << ran.out;
  EXPECT_FALSE(contains(slurp(sarif), "bound is worse than")) << "nothing that counts is";
  const Ran json = analyze({"--set", "gpu.preempt_cost=1", "--baseline", old, "--json"});
  EXPECT_TRUE(contains(json.out, "\"counts\": false")) << json.out;
  EXPECT_FALSE(contains(json.out, "\"counts\": true")) << json.out;
}

TEST(Baseline, TellsTasksThatAreNewOrGone) {
  const TemporaryFolder folder;
  const std::string extra = folder.file("extra.system.json", R"({"tactus":1,"name":"extra",
    "time_unit":"ms","platform":{"elements":[{"name":"cpu","kind":"cpu","units":4}]},"tasks":[
    {"name":"blink","period":1000,"core":4,"priority":1,
     "nodes":[{"name":"n","on":"cpu","wcet":0.1}]}]})");
  const std::vector<std::string> added = {"--add", extra, "-m", "gcaps.suspend"};
  const std::string before =
      folder.file("before.json", analyze({"-m", "gcaps.suspend", "--json"}).out);
  std::vector<std::string> words = added;
  words.insert(words.end(), {"--baseline", before});
  const Ran more = analyze(words);
  EXPECT_TRUE(contains(more.out, "blink")) << more.out << more.err;
  EXPECT_TRUE(contains(more.out, "  new ")) << more.out;
  words = added;
  words.emplace_back("--json");
  const std::string after = folder.file("after.json", analyze(words).out);
  const Ran fewer = analyze({"-m", "gcaps.suspend", "--baseline", after});
  EXPECT_TRUE(contains(fewer.out, "  gone ")) << fewer.out << fewer.err;
}

TEST(Baseline, MayBeInAnotherTimeUnit) {
  const TemporaryFolder folder;
  const auto system = [&](const std::string& name, const std::string& unit, const char* wcet,
                          const char* period) {
    return folder.file(name,
                       R"({"tactus":1,"name":"s","time_unit":")" + unit +
                           R"(","platform":{"elements":[{"name":"cpu","kind":"cpu","units":1}]},
      "tasks":[{"name":"t","core":1,"priority":1,"period":)" +
                           period + R"(,"nodes":[{"name":"n","on":"cpu","wcet":)" + wcet + "}]}]}");
  };
  const std::string old = folder.file(
      "old.json",
      run_tactus({"analyze", system("ms", "ms", "2", "10"), "-m", "fmlp.busy", "--json"}).out);
  const Ran same = run_tactus(
      {"analyze", system("us", "us", "2000", "10000"), "-m", "fmlp.busy", "--baseline", old});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_TRUE(contains(same.out, "no difference")) << same.out;
  const Ran worse = run_tactus(
      {"analyze", system("us", "us", "2001", "10000"), "-m", "fmlp.busy", "--baseline", old});
  EXPECT_EQ(worse.exit_code, 1);
  EXPECT_TRUE(contains(worse.out, "bound 2000 -> 2001 us, slack 80 -> 79.99 %")) << worse.out;
}

TEST(Baseline, MustBeAnAnalysisOfSuchASystem) {
  const TemporaryFolder folder;
  const auto expect = [&](const std::string& file, const std::string& line) {
    const Ran ran = analyze({"--baseline", file});
    EXPECT_EQ(ran.exit_code, 2) << line;
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(ran.err, line + "\n");
  };
  const std::string cut = folder.file("cut.json", "{\"tactus\": 1"),
                    other = folder.file("other.json", "[]");
  expect("/no/such/file", "tactus: cannot open /no/such/file: No such file or directory");
  expect(cut, cut + ":1:13: expected ',' or '}'");
  expect(other, other + ":1:1: this is no `tactus analyze --json`: `methods` is missing");
  const std::string dag = folder.file(
      "dag.json",
      run_tactus({"analyze", source_path("examples/dag-example.system.json"), "--json"}).out);
  expect(dag, dag + ": has no task of this system; it is an analysis of `dag-example`");
}

TEST(Sarif, HasWhatIsWrongAtItsPlace) {
  const TemporaryFolder folder;
  const std::string file = folder.file("o.sarif");
  analyze({"-m", "gcaps.suspend", "--min-slack", "20%", "--sarif", file});
  const auto parsed = json::Document::parse(slurp(file));
  const auto& root = std::get<json::Document>(parsed).root();
  EXPECT_EQ(root.find("version")->text(), "2.1.0");
  const auto& run = root.find("runs")->items()[0];
  EXPECT_EQ(run.find("tool")->find("driver")->find("name")->text(), "tactus");
  ASSERT_EQ(run.find("results")->items().size(), 1U);
  const auto& result = run.find("results")->items()[0];
  EXPECT_EQ(result.find("ruleId")->text(), "min-slack");
  const auto* place = result.find("locations")->items()[0].find("physicalLocation");
  EXPECT_EQ(place->find("region")->find("startLine")->text(), "26");
  EXPECT_EQ(place->find("region")->find("startColumn")->text(), "5");
  EXPECT_EQ(place->find("artifactLocation")->find("uri")->text(), "file://" + kForklift);
  // Nothing wrong, no results; a file that cannot be read has its own.
  analyze({"-m", "gcaps.suspend", "--sarif", file});
  EXPECT_TRUE(contains(slurp(file), "\"results\": []")) << slurp(file);
  EXPECT_EQ(run_tactus({"analyze", source_path("examples/broken.system.json"), "--sarif", file})
                .exit_code,
            2);
  EXPECT_GE(count(slurp(file), "\"ruleId\": \"system-file\""), 6U) << slurp(file);
}

TEST(Junit, HasOneCasePerTaskOfTheMethodThatCounts) {
  const TemporaryFolder folder;
  const std::string file = folder.file("o.xml");
  EXPECT_EQ(analyze({"--junit", file}).exit_code, 0);
  EXPECT_EQ(count(slurp(file), "<testsuite "), 1U) << slurp(file);
  EXPECT_EQ(count(slurp(file), "<testcase "), 6U) << slurp(file);
  EXPECT_EQ(count(slurp(file), "<failure "), 0U) << slurp(file);
  EXPECT_EQ(
      analyze({"-m", "gcaps.suspend", "--set", "camera.detect.wcet=29", "--junit", file}).exit_code,
      1);
  EXPECT_TRUE(contains(slurp(file),
                       "<failure type=\"deadline\" message=\"it needs 33.9, more than "
                       "its deadline 33.3\">"))
      << slurp(file);
  EXPECT_EQ(analyze({"-m", "rtgpu", "--junit", file}).exit_code, 3);
  EXPECT_TRUE(contains(slurp(file), "<skipped message=\"not-applicable: ")) << slurp(file);
  for (const char* option : {"--junit", "--sarif"}) {
    EXPECT_EQ(analyze({option, "-"}).err,
              std::string("tactus: ") + option + " needs the name of a file\n");
    EXPECT_EQ(analyze({option, "/no/such/folder/x"}).exit_code, 2);
  }
}

}  // namespace
}  // namespace tactus::cli
