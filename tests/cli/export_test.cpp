#include <gtest/gtest.h>

#include <filesystem>

#include "tactus/model/reader.hpp"
#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kRobot = source_path("examples/robot.system.json");

TEST(Export, OfYamlIsTheSameSystemForEveryVerb) {
  const TemporaryFolder folder;
  const std::string yaml = folder.file("robot.yaml");
  ASSERT_EQ(run_tactus({"export", kRobot, "--to", "yaml", "-o", yaml}).exit_code, 0);
  EXPECT_EQ(run_tactus({"check", "--canonical", yaml}).out,
            run_tactus({"check", "--canonical", kRobot}).out);
  EXPECT_EQ(run_tactus({"analyze", "-", "--csv"}, slurp(yaml)).out,
            run_tactus({"analyze", "-", "--csv"}, slurp(kRobot)).out);
}

TEST(Yaml, InFlowStyleIsTheSameSystemForEveryVerb) {
  const TemporaryFolder folder;
  const std::string text =
      "{tactus: 1, platform: {elements: [{name: cpu, kind: cpu, units: 1}]},\n"
      " tasks: [{name: a, period: 10, priority: 1, core: 1,\n"
      "  nodes: [{name: x, on: cpu, wcet: 1}]}]}\n";
  const std::string json = run_tactus({"check", "--canonical", folder.file("a.yaml", text)}).out;
  ASSERT_TRUE(contains(json, "\"period\": 10")) << json;
  for (const char* const name : {"b.yaml", "b.yml"}) {
    const std::string file = folder.file(name, text), plain = folder.file("b.system.json", json);
    for (const std::vector<std::string>& verb :
         std::vector<std::vector<std::string>>{{"analyze", "--csv"},
                                               {"slack", "--csv"},
                                               {"advise", "--json"},
                                               {"check", "--canonical"}}) {
      std::vector<std::string> one = verb, other = verb;
      one.insert(one.begin() + 1, file);
      other.insert(other.begin() + 1, plain);
      const Ran ran = run_tactus(one);
      EXPECT_NE(ran.exit_code, 2) << verb.front() << ran.err;
      EXPECT_EQ(ran.exit_code, run_tactus(other).exit_code) << verb.front();
    }
  }
  EXPECT_EQ(run_tactus({"analyze", folder.file("b.yaml"), "--csv"}).out,
            run_tactus({"analyze", folder.file("b.system.json"), "--csv"}).out);
  const Ran imported = run_tactus(
      {"import", folder.file("b.yaml"), "--from", "yaml", "-o", folder.file("c.system.json")});
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
}

TEST(Export, OfAJobSetWritesItsEdgesBesideIt) {
  const TemporaryFolder folder;
  const std::string system = folder.file("s.system.json", R"({"tactus": 1,
    "platform": {"elements": [{"name": "p", "kind": "copy", "units": 1}]},
    "tasks": [{"name": "a", "period": 10, "nodes": [{"name": "x", "on": "p", "wcet": 1},
                                                  {"name": "y", "on": "p", "wcet": 2}]}]})");
  const std::string jobs = folder.file("jobs.csv");
  const Ran ran = run_tactus({"export", system, "--to", "sag", "-o", jobs, "--report"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_TRUE(contains(ran.err, "the analysis must be told of 1 processors")) << ran.err;
  const Ran again = run_tactus({"import", jobs, "--edges", folder.file("jobs.edges.csv"), "-o",
                                folder.file("again.system.json")});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  const Ran alone = run_tactus({"export", system, "--to", "sag"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_TRUE(contains(alone.err, "the edges need a second file")) << alone.err;
}

TEST(Export, RefusesWhatTheFormatCannotSayAndWritesNothing) {
  const TemporaryFolder folder;
  const std::string out = folder.file("jobs.csv");
  const Ran ran = run_tactus({"export", kRobot, "--to", "sag", "-o", out});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(Export, OfATraceAndBackGivesObservedTimes) {
  const TemporaryFolder folder;
  const std::string trace = folder.file("robot.trace.json"), out = folder.file("x.system.json");
  ASSERT_EQ(
      run_tactus({"simulate", kRobot, "--policy", "gcaps.suspend", "--trace", trace}).exit_code, 0);
  const Ran ran = run_tactus({"import", trace, "--margin", "0", "-o", out});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const auto read = load_system(out), original = load_system(kRobot);
  ASSERT_TRUE(read && read->system && original && original->system);
  std::size_t compared = 0;
  for (const Task& task : original->system->tasks) {
    for (const Task& seen : read->system->tasks) {
      if (seen.name != task.name) continue;
      for (const Node& node : task.nodes) {
        for (const Node& observed : seen.nodes) {
          if (observed.name != node.name || !node.wcet) continue;
          EXPECT_EQ(observed.wcet, node.wcet) << task.name << "." << node.name;
          ++compared;
        }
      }
    }
  }
  EXPECT_GE(compared, 5U);
}

}  // namespace
}  // namespace tactus::cli
