#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/exchange/export.hpp"
#include "tests/exchange/importing.hpp"
#include "tests/support/read.hpp"

namespace tactus::exchange {
namespace {

constexpr const char* kTitles =
    "Task ID, Job ID, Arrival min, Arrival max, Cost min, Cost max, Deadline, Priority\n";

ImportResult import_jobs(const std::string& rows, const std::string& edges = {}) {
  ImportOptions options;
  options.name = "set";
  options.edges = edges;
  return import_text(kTitles + rows, "", options);
}

TEST(Sag, JobsInARegularRhythmAreAPeriodicTask) {
  const Imported imported =
      good(import_jobs("1, 1, 0, 0, 1, 2, 10, 1\n"
                       "1, 2, 10, 10, 1, 2, 20, 1\n"
                       "2, 1, 5, 5, 3, 4, 25, 2\n"));
  ASSERT_EQ(imported.system.tasks.size(), 2U);
  const Task& first = imported.system.tasks[0];
  EXPECT_EQ(first.period, Time::from_ms(10));
  EXPECT_EQ(first.deadline, Time::from_ms(10));
  EXPECT_EQ(first.nodes[0].wcet, Time::from_ms(2));
  EXPECT_EQ(first.nodes[0].bcet, Time::from_ms(1));
  const Task& second = imported.system.tasks[1];
  EXPECT_FALSE(second.period.has_value());
  EXPECT_EQ(second.offset, Time::from_ms(5));
  EXPECT_EQ(second.deadline, Time::from_ms(20));
  EXPECT_GT(*first.priority, *second.priority) << "a smaller number is more urgent there";
  EXPECT_EQ(imported.system.platform.elements[0].kind, ElementKind::kCopy);
}

TEST(Sag, JobsOutOfRhythmAreTasksOfTheirOwn) {
  const Imported imported =
      good(import_jobs("1, 1, 0, 0, 1, 2, 10, 1\n"
                       "1, 2, 10, 10, 1, 2, 20, 1\n"
                       "1, 3, 25, 25, 1, 2, 35, 1\n"));
  ASSERT_EQ(imported.system.tasks.size(), 3U);
  EXPECT_EQ(imported.system.tasks[2].name, "T1.J3");
  EXPECT_EQ(imported.system.tasks[2].offset, Time::from_ms(25));
}

TEST(Sag, EdgesJoinJobsToOneTask) {
  const Imported imported =
      good(import_jobs("1, 1, 0, 0, 1, 2, 10, 1\n1, 2, 0, 0, 3, 3, 9, 1\n",
                       "Predecessor TID, Predecessor JID, Successor TID, Successor JID\n"
                       "1, 1, 1, 2\n"));
  ASSERT_EQ(imported.system.tasks.size(), 1U);
  EXPECT_EQ(imported.system.tasks[0].nodes.size(), 2U);
  EXPECT_EQ(imported.system.tasks[0].graph, Graph::chain(2));
  EXPECT_EQ(imported.system.tasks[0].deadline, Time::from_ms(9)) << "the earlier one";
}

TEST(Sag, TakesReleaseJitterThereAndBack) {
  const auto imported = good(import_jobs("1, 1, 0, 3, 1, 2, 10, 1\n1, 2, 20, 23, 1, 2, 30, 1\n"));
  ASSERT_EQ(imported.system.tasks.size(), 1U);
  EXPECT_EQ(imported.system.tasks[0].jitter, Time::from_ms(3));
  EXPECT_EQ(imported.system.tasks[0].period, Time::from_ms(20));
  const auto exported = export_sag(imported.system);
  ASSERT_TRUE(exported);
  EXPECT_NE(exported->text.find("1, 1, 0, 3, 1, 2, 10, 1"), std::string::npos) << exported->text;
}

TEST(Sag, RefusesWhatASystemFileCannotSay) {
  const auto refuse = [](const ImportResult& result, const std::string& reason) {
    const std::string lines = bad(result);
    EXPECT_NE(lines.find(reason), std::string::npos) << lines;
  };
  refuse(import_jobs("1, 1, 3, 0, 1, 2, 10, 1\n"), "do not fit together");
  refuse(import_text("Task ID, Job ID, Trigger min, Trigger max, Cleanup min, Cleanup max\n", "sag",
                     {}),
         "these are aborts");
  refuse(
      import_jobs("1, 1, 0, 0, 1, 2, 10, 1\n1, 2, 0, 0, 1, 2, 10, 1\n", "from\n1, 1, 1, 2, 5, 6\n"),
      "this edge has a delay");
  refuse(import_jobs("1, 1, 0, 0, 1, 2, 10, 1\n1, 2, 4, 4, 1, 2, 10, 1\n", "from\n1, 1, 1, 2\n"),
         "arrives at another time");
  refuse(import_jobs("1, 1, 0, 0, 1, 2, 10, 1\n", "from\n1, 1, 7, 2\n"), "no job 2 of task 7");
  refuse(import_jobs("1, 1, 0, 0, 5, 2, 10, 1\n"), "do not fit together");
  refuse(import_jobs("1, 1, 0, 0\n"), "a job has 8 fields");
  refuse(import_jobs("1, 1, x, 0, 1, 2, 10, 1\n"), "must be a number, got `x`");
  refuse(import_jobs("1, 1, 0, 0, 1, 2, 10, 1\n1, 1, 0, 0, 1, 2, 10, 1\n"), "listed twice");
  refuse(import_jobs("1, 1, 0, 0, 1, 2, 10, 1\n1, 2, 0, 0, 1, 2, 10, 1\n",
                     "from\n1, 1, 1, 2\n1, 2, 1, 1\n"),
         "cycle");
  refuse(import_jobs(""), "there are no jobs");
}

TEST(Sag, ComplainsInOneLineAboutAFieldOfSeveral) {
  const std::string of_jobs = bad(import_jobs("1, 1, \"0\n0\", 3, 1, 2, 10, 1\n"));
  EXPECT_EQ(std::count(of_jobs.begin(), of_jobs.end(), '\n'), 1) << of_jobs;
  const std::string of_edges =
      bad(import_jobs("1, 1, 0, 0, 1, 2, 10, 1\n", "from, job, to, job\n1, 1, 1, \"1\n2\"\n"));
  EXPECT_EQ(std::count(of_edges.begin(), of_edges.end(), '\n'), 1) << of_edges;
}

TEST(Sag, ExportedAndImportedAgainIsTheSameTaskSet) {
  const System system = support::read(R"({"tactus": 1, "time_unit": "unit", "name": "set",
    "platform": {"elements": [{"name": "processors", "kind": "copy", "units": 2}]},
    "tasks": [
      {"name": "T1", "period": 10, "deadline": 8, "priority": 2,
       "nodes": [{"name": "J1", "on": "processors", "wcet": 2.5, "bcet": 1}]},
      {"name": "T2", "period": 15, "offset": 3, "priority": 1,
       "nodes": [{"name": "J1", "on": "processors", "wcet": 4},
                 {"name": "J2", "on": "processors", "wcet": 1}]}]})");
  const auto exported = export_system(system, "sag");
  ASSERT_TRUE(exported) << exported.error().message;
  // Over a hyperperiod of 30 behind the last offset: four releases of T1, two of T2 with two nodes.
  EXPECT_EQ(std::count(exported->text.begin(), exported->text.end(), '\n'), 1 + 4 + 2 * 2);
  EXPECT_NE(exported->text.find("1, 2, 10, 10, 1, 2.5, 18, 1\n"), std::string::npos)
      << exported->text;
  EXPECT_NE(exported->edges.find("2, 1, 2, 2\n"), std::string::npos) << exported->edges;
  ImportOptions options;
  options.name = "set";
  options.edges = exported->edges;
  options.cores = 2;
  System again = good(import_text(exported->text, "", options)).system;
  EXPECT_EQ(again, system);
}

TEST(Sag, RefusesToExportWhatAJobSetCannotSay) {
  const auto refuse = [](const std::string& node, const std::string& reason) {
    const System system = support::read(
        R"({"tactus": 1, "platform": {"elements": [{"name": "cpu", "kind": "cpu", "units": 1},
        {"name": "gpu", "kind": "gpu", "units": 4}]}, "tasks": [{"name": "a", "period": 10,
        "nodes": [{"name": "x", "on": "cpu", "wcet": 1}, )" +
        node + "]}]}");
    const auto exported = export_system(system, "sag");
    ASSERT_FALSE(exported);
    EXPECT_NE(exported.error().message.find(reason), std::string::npos) << exported.error().message;
  };
  refuse(R"({"name": "y", "on": "gpu", "wcet": 1})", "is on another element");
  refuse(R"({"name": "y", "on": "cpu"})", "has no wcet");
}

}  // namespace
}  // namespace tactus::exchange
