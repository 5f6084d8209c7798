#include <gtest/gtest.h>

#include "systems.hpp"

/// The worked examples of docs/use/methods/pbs.md and its findings, to every number.
namespace tactus::pbs::testing {
namespace {

std::string missed_jobs(const System& system, const Verdict& verdict) {
  std::string text;
  for (const MissedJob& miss : verdict.missed) {
    text += (text.empty() ? "" : ", ") + system.tasks[miss.task].name + "#" +
            std::to_string(miss.job) + " at " + format_time(miss.finish, system.time_unit);
  }
  return text;
}

std::string figure(const Verdict& verdict, std::string_view name) {
  for (const Figure& f : verdict.figures) {
    if (f.name == name) return f.value;
  }
  return "none";
}

TEST(Figure1, SerialEdfMissesJ7First) {
  const System system = make(figure_1());
  const Verdict verdict = run(kEdfSerial, system);
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_EQ(verdict.reason,
            "deadline missed: t2#1 at 11 after 10, t2#3 at 22 after 20, t1#4 at 23 after 20");
  EXPECT_EQ(missed_jobs(system, verdict), "t2#1 at 11, t2#3 at 22, t1#4 at 23");
  EXPECT_EQ(verdict.missed[0].deadline, Time::from_ms(10));
  EXPECT_FALSE(verdict.tasks[0].schedulable);
  EXPECT_FALSE(verdict.tasks[1].schedulable);
  EXPECT_TRUE(verdict.tasks[2].schedulable) << "t3 is not among the missed jobs";
  EXPECT_EQ(verdict.tasks[0].note, "misses a deadline");
  EXPECT_EQ(verdict.tasks[2].bound, std::nullopt) << "without a table nothing is promised";
  EXPECT_EQ(verdict.tasks[2].note,
            "in time in this run, but no table is made that would keep it so");
}

TEST(Figure1, ParallelEdfMissesSevenJobs) {
  const System system = make(figure_1());
  const Verdict verdict = run(kEdfParallel, system);
  EXPECT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_EQ(missed_jobs(system, verdict),
            "t1#0 at 6, t2#0 at 6, t1#1 at 10, t1#2 at 16, t2#2 at 16, t1#3 at 20, t1#4 at 21");
}

TEST(Figure1, TheGraphFindsATableOfTheElevenJobs) {
  const System system = make(figure_1());
  const Verdict verdict = run(kGraph, system);
  ASSERT_EQ(verdict.status, Status::kSchedulable);
  EXPECT_EQ(check_own_plan(kGraph, system, verdict), std::vector<std::string>());
  EXPECT_EQ(figure(verdict, "hyperperiod"), "20");
  EXPECT_EQ(figure(verdict, "jobs"), "11");
  for (const TaskVerdict& task : verdict.tasks) {
    ASSERT_EQ(task.terms.size(), 2u);
    EXPECT_EQ(task.terms[0].amount + task.terms[1].amount, *task.bound);
    EXPECT_LE(*task.bound, *task.deadline);
  }
}

TEST(Figure1, HasExactlyTwentyFeasibleTables) {
  const System system = make(figure_1());
  const Verdict verdict = run(kGraph, system, with({{"all", "on"}, {"no-merge", "on"}}));
  ASSERT_EQ(verdict.status, Status::kSchedulable);
  EXPECT_EQ(figure(verdict, "tables"), "20");
  EXPECT_EQ(check_own_plan(kGraph, system, verdict), std::vector<std::string>());
  EXPECT_EQ(verdict.plan->tables(system).size(), 2u);
  EXPECT_EQ(verdict.plan->dot(system).substr(0, 16), "digraph schedule");
}

TEST(Figure1, CountsTheGraphUpToAJob) {
  const System system = make(figure_1());
  // At first three jobs are ready: three batches of one, and what comes of them.
  const auto counted = [&](const char* name, const char* up_to) {
    return std::stoi(
        figure(run(kGraph, system, with({{"all", "on"}, {"no-merge", "on"}, {"up-to-job", up_to}})),
               name));
  };
  EXPECT_EQ(counted("vertices", "0"), 1);
  EXPECT_EQ(counted("unmerged", "0"), 1);
  EXPECT_LE(counted("vertices", "1"), 4);
  for (const char* name : {"vertices", "unmerged"}) {
    EXPECT_LT(counted(name, "1"), counted(name, "5"));
    EXPECT_LT(counted(name, "5"), counted(name, "11"));
    EXPECT_EQ(counted(name, "11"), counted(name, "1000"));
  }
  EXPECT_EQ(run(kGraph, system, with({{"up-to-job", "3"}})).status, Status::kNotApplicable);
}

TEST(Figure1, NeedsTheBatchOfT2AndT3) {
  SystemText text = figure_1();
  const std::string t2t3 = "{\"tasks\": [\"t2\", \"t3\"], \"completion\": 4}, ";
  text.batches.erase(text.batches.find(t2t3), t2t3.size());
  EXPECT_FALSE(schedulable(kGraph, make(text)));
  text.batches.clear();
  const Verdict alone = run(kGraph, make(text));
  EXPECT_EQ(alone.status, Status::kUnschedulable);
  ASSERT_EQ(alone.warnings.size(), 1u);
  EXPECT_NE(alone.warnings[0].find("no parallel batch"), std::string::npos);
}

TEST(Example21, FitsOnlyWithJ2First) {
  for (const bool j1_first : {true, false}) {
    const System system = make(example_21(j1_first));
    const Verdict graph = run(kGraph, system);
    ASSERT_EQ(graph.status, Status::kSchedulable);
    EXPECT_EQ(shown(system, table_of(graph)), "j2+j1 [0,8]");
    EXPECT_EQ(run(kEdfSerial, system).missed[0].finish, Time::from_ms(12));
    EXPECT_EQ(schedulable(kEdfParallel, system), !j1_first);
  }
}

TEST(Example21, IsInfeasibleWithTheOtherOrderOnly) {
  SystemText text = example_21(true);
  text.batches = "{\"tasks\": [\"j1\", \"j2\"], \"completion\": 8, \"ordered\": true}";
  EXPECT_FALSE(schedulable(kGraph, make(text)));
}

TEST(Example312, OnlyTheSplitStateIsFeasible) {
  const System system = make(example_312());
  EXPECT_FALSE(schedulable(kEdfSerial, system));
  EXPECT_FALSE(schedulable(kEdfParallel, system));
  const Verdict all = run(kGraph, system, with({{"all", "on"}}));
  // J1, J2 in either order, J3, J4 in either order, J5+J6 submitted in either order.
  EXPECT_EQ(figure(all, "tables"), "8");
  for (const Verdict& verdict : {run(kGraph, system), all}) {
    ASSERT_EQ(verdict.status, Status::kSchedulable);
    const auto& frames = table_of(verdict).frames();
    ASSERT_EQ(frames.size(), 5u);
    EXPECT_EQ(frames[1].end, 10);
    EXPECT_EQ(frames[3].end, 19);
    EXPECT_EQ(frames[4].start, 19);
    EXPECT_EQ(frames[4].end, 25);
    EXPECT_EQ(frames[4].batch.size(), 2u);
  }
}

TEST(Example312, TheVerdictIsNotSustainable) {
  SystemText text = example_312();
  text.tasks[3].wcet = 1;
  EXPECT_FALSE(schedulable(kGraph, make(text))) << "a shorter J4 leaves no time for J5 and J6";
}

TEST(Findings, HaveTheVerdictsOfTheExhaustiveSearch) {
  const bool truth[] = {false, true, false, true};
  for (int f = 1; f <= 4; ++f) {
    const System system = make(finding(f));
    EXPECT_EQ(schedulable(kGraph, system), truth[f - 1]) << "F" << f;
    const Verdict idle = run(kGraph, system, with({{"idle", "on"}}));
    EXPECT_EQ(idle.status, Status::kSchedulable) << "F" << f;
    EXPECT_EQ(idle.method, "pbs.graph+idle");
    EXPECT_EQ(check_own_plan(kGraph, system, idle), std::vector<std::string>()) << "F" << f;
  }
}

TEST(SlowerOrder, IsTheOnlyFeasibleOne) {
  const System system = make(slower_order_needed());
  const Verdict verdict = run(kGraph, system);
  ASSERT_EQ(verdict.status, Status::kSchedulable);
  EXPECT_EQ(shown(system, table_of(verdict)), "b+a [0,6], u [6,7], c [7,11]");
}

TEST(Edges, OneTaskThatFillsItsPeriodIsSchedulableEverywhere) {
  const System system = make({{{"a", 7, 7, 7}}});
  for (const Method* method : {&kGraph, &kEdfSerial, &kEdfParallel}) {
    EXPECT_TRUE(schedulable(*method, system)) << method->id;
  }
}

TEST(Edges, AWcetBeyondTheDeadlineIsAVerdictAndNoError) {
  const System system = make({{{"a", 9, 4, 5}, {"b", 9, 9, 1}}});
  for (const Method* method : {&kGraph, &kEdfSerial, &kEdfParallel}) {
    EXPECT_EQ(run(*method, system).status, Status::kUnschedulable) << method->id;
  }
  EXPECT_NE(run(kGraph, system).reason.find("`a`"), std::string::npos);
}

TEST(Edges, SlowdownIsRoundedUpToATick) {
  SystemText text{
      {{"a", 10, 4, 3, 0, ", \"slowdown\": 1.1"}, {"b", 10, 4, 3, 0, ", \"slowdown\": 1.1"}}};
  EXPECT_EQ(table_of(run(kGraph, make(text))).frames()[0].end, 4) << "ceil(3.3), by the deadline";
  text.tasks[0].deadline = text.tasks[1].deadline = 3;
  EXPECT_FALSE(schedulable(kGraph, make(text)));
}

TEST(Edges, ATickIsTheFinestDigitOfTheFile) {
  // With a deadline of 3.5 the tick is a tenth, and ceil(3.3) is 3.3.
  const std::string json = to_json(
      {{{"a", 10, 4, 3, 0, ", \"slowdown\": 1.1"}, {"b", 10, 4, 3, 0, ", \"slowdown\": 1.1"}}});
  std::string finer = json;
  finer.replace(finer.find("\"deadline\": 4"), 13, "\"deadline\": 3.5");
  const System system = read(finer);
  const Verdict verdict = run(kGraph, system);
  ASSERT_EQ(verdict.status, Status::kSchedulable);
  EXPECT_EQ(table_of(verdict).frames()[0].end, 33);
  EXPECT_EQ(*verdict.tasks[0].bound, Time::from_us(3300));
}

}  // namespace
}  // namespace tactus::pbs::testing
