#include <gtest/gtest.h>

#include "systems.hpp"
#include "tactus/generate/pbs_slowdown.hpp"
#include "tactus/methods/pbs/search/full_graph.hpp"
#include "tactus/methods/pbs/search/race.hpp"
#include "tactus/model/writer.hpp"

/// The search as a whole: limits, explanations, threads, and sets of the paper's experiments.
namespace tactus::pbs::testing {
namespace {

TaskSet set_of(const System& system) { return std::get<TaskSet>(make_task_set(system)); }

System generated(int n, double u, std::uint64_t index, const char* model = "slowdown",
                 const char* lo = "1.1", const char* hi = "1.9") {
  const tactus::Settings settings(kSlowdown.parameters, {{"n", std::to_string(n)},
                                                         {"u", std::to_string(u)},
                                                         {"lo", lo},
                                                         {"hi", hi},
                                                         {"model", model}});
  auto system = generate(kSlowdown, settings, 2024, index);
  if (!system) throw std::runtime_error(system.error().message);
  return std::move(*system);
}

/// A set that takes thousands of states: the first of its kind that does.
const System& long_search() {
  static const System kSystem = [] {
    for (std::uint64_t i = 0;; ++i) {
      System system = generated(15, 1.6, i);
      Budget budget;
      budget.states = 3000;
      const TaskSet set = set_of(system);
      if (race(set, Oracle(set), false, {}, budget, 1).answer == Answer::kStopped) return system;
    }
  }();
  return kSystem;
}

TEST(Limits, StatesGiveUndecided) {
  const Verdict verdict = run(kGraph, long_search(), with({{"state-limit", "100"}}));
  EXPECT_EQ(verdict.status, Status::kUndecided);
  EXPECT_NE(verdict.reason.find("state limit"), std::string::npos) << verdict.reason;
  EXPECT_EQ(verdict.plan, nullptr);
}

TEST(Limits, MemoryGivesUndecided) {
  const Verdict verdict = run(kGraph, long_search(), with({{"memory-limit", "0"}}));
  EXPECT_EQ(verdict.status, Status::kUndecided);
  EXPECT_NE(verdict.reason.find("memory limit"), std::string::npos) << verdict.reason;
}

TEST(Limits, TimeGivesUndecided) {
  const Verdict verdict = run(kGraph, long_search(), with({{"time-limit", "0.001"}}));
  EXPECT_EQ(verdict.status, Status::kUndecided);
  EXPECT_NE(verdict.reason.find("time limit"), std::string::npos) << verdict.reason;
}

TEST(Limits, AnInterruptGivesUndecidedWithWhatIsKnown) {
  std::stop_source source;
  source.request_stop();
  Options options;
  options.stop = source.get_token();
  for (const int threads : {1, 3}) {
    options.threads = threads;
    const Verdict verdict = run(kGraph, long_search(), options);
    EXPECT_EQ(verdict.status, Status::kUndecided);
    EXPECT_EQ(verdict.reason.substr(0, 11), "interrupted");
    EXPECT_NE(verdict.reason.find("idling"), std::string::npos) << verdict.reason;
  }
}

TEST(Limits, HoldForTheFullGraphToo) {
  const Verdict verdict = run(kGraph, long_search(), with({{"all", "on"}, {"state-limit", "50"}}));
  EXPECT_EQ(verdict.status, Status::kUndecided);
  EXPECT_NE(verdict.reason.find("state limit"), std::string::npos) << verdict.reason;
}

TEST(Limits, OverflowIsUndecided) {
  const std::string json = to_json({{{"a", 8'000'000'000'000, 8'000'000'000'000, 1},
                                     {"b", 7'999'999'999'999, 7'999'999'999'999, 1}}});
  const System system = read(json);
  EXPECT_EQ(run(kGraph, system).status, Status::kNotApplicable) << "far too many jobs";
  const System large = read(to_json({{{"a", 9'000'000'000'000, 9'000'000'000'000, 1}}}));
  EXPECT_EQ(run(kGraph, large).status, Status::kSchedulable) << "ticks of one unit keep it small";
}

TEST(Progress, IsToldDuringALongSearch) {
  std::string last;
  Options options = with({{"time-limit", "1.2"}});
  options.progress = [&](std::string_view text) { last = text; };
  for (std::uint64_t i = 0; last.empty() && i < 20; ++i) {
    run(kGraph, generated(24, 2.2, i), options);
  }
  EXPECT_NE(last.find("states/s"), std::string::npos) << last;
  EXPECT_NE(last.find("depth"), std::string::npos) << last;
}

TEST(Reasons, TheDemandBoundNamesItsLargestTerms) {
  const System system = make({{{"a", 10, 10, 6}, {"b", 20, 20, 9}, {"c", 20, 20, 1}}});
  const Verdict verdict = run(kGraph, system);
  ASSERT_EQ(verdict.status, Status::kUnschedulable);
  EXPECT_EQ(verdict.reason,
            "demand bound: the jobs due by 20 need at least 22 (2 job(s) of `a` need 12, 1 job(s) "
            "of `b` need 9, 1 job(s) of `c` need 1)");
  ASSERT_EQ(verdict.tasks.size(), 3u);
  for (const TaskVerdict& task : verdict.tasks) {
    EXPECT_FALSE(task.schedulable);
    ASSERT_EQ(task.terms.size(), 3u);
    EXPECT_EQ(task.terms[0].amount, Time::from_ms(12));
    EXPECT_EQ(task.terms[0].jobs, 2);
  }
}

TEST(Reasons, TellTheKindsOfProofApart) {
  EXPECT_EQ(run(kGraph, make(finding(1))).reason, "search exhausted");
  // c cannot be placed between the jobs of a; the sums alone do not show it.
  EXPECT_EQ(run(kGraph, make({{{"a", 4, 2, 1}, {"c", 12, 12, 6}}})).reason,
            "infeasible even if idling were allowed");
}

TEST(Idling, WaitsNoLongerThanAReadyJobCan) {
  // `a` would have to start at 6 - 3 at the latest; waiting for the next `a` would hide the miss.
  const System system = make({{{"a", 6, 6, 3}, {"b", 12, 11, 5}, {"c", 24, 3, 3}}});
  Features none = {false, false, false, true, false, false, false, false};
  const TaskSet set = set_of(system);
  EXPECT_EQ(race(set, Oracle(set), true, none, Budget(), 1).answer, Answer::kNo);
}

TEST(FullGraph, SaysHowManyVerticesMergingSaves) {
  const System system = generated(5, 1.0, 1);
  const TaskSet set = set_of(system);
  const FullGraph graph = explore(set, Oracle(set), Budget());
  EXPECT_GT(graph.unmerged(), 10 * graph.vertices.size());
  const PlanTable counts = graph.counts(true);
  EXPECT_EQ(counts.header.size(), 3u);
  std::size_t sum = 0;
  for (const auto& row : counts.rows) sum += std::stoul(row[1]);
  EXPECT_EQ(sum, graph.vertices.size());
}

TEST(Experiments, TheGraphAcceptsWhateverABaselineAccepts) {
  int graph = 0, serial = 0, parallel = 0;
  for (const auto& [lo, hi] :
       {std::pair("1", "1.4"), std::pair("1.7", "1.9"), std::pair("1.1", "1.9")}) {
    for (int tenths = 2; tenths <= 20; tenths += 2) {
      for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(scaled(6)); ++i) {
        const System system = generated(5, tenths / 10.0, i, "table", lo, hi);
        const Verdict verdict = run(kGraph, system);
        ASSERT_NE(verdict.status, Status::kUndecided);
        const bool yes = verdict.status == Status::kSchedulable;
        const bool a = schedulable(kEdfSerial, system), b = schedulable(kEdfParallel, system);
        EXPECT_TRUE(yes || (!a && !b)) << system.name;
        if (yes) {
          EXPECT_TRUE(check_own_plan(kGraph, system, verdict).empty());
        }
        graph += yes ? 1 : 0;
        serial += a ? 1 : 0;
        parallel += b ? 1 : 0;
      }
    }
  }
  EXPECT_GT(graph, serial);
  EXPECT_GT(graph, parallel);
}

TEST(Experiments, AccelerationsAgreeOnSetsOfSevenTasks) {
  Features plain;
  plain.lp_weights = plain.learned_intervals = plain.symmetry = false;
  Features other;
  other.maximal_packings = other.demand_bound = false;
  for (int tenths = 10; tenths <= 14; tenths += 2) {
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(scaled(4)); ++i) {
      const System system = generated(7, tenths / 10.0, i);
      const TaskSet set = set_of(system);
      const Oracle oracle(set);
      const Answer answer = race(set, oracle, false, {}, Budget(), 1).answer;
      EXPECT_EQ(race(set, oracle, false, plain, Budget(), 1).answer, answer) << system.name;
      EXPECT_EQ(race(set, oracle, false, other, Budget(), 1).answer, answer) << system.name;
      EXPECT_EQ(race(set, oracle, false, {}, Budget(), 3).answer, answer) << system.name;
    }
  }
}

TEST(Recipe, GivesTheSameFileForTheSameSeed) {
  for (const char* model : {"slowdown", "table"}) {
    const System once = generated(6, 1.2, 3, model);
    EXPECT_EQ(write_system(once), write_system(generated(6, 1.2, 3, model)));
    EXPECT_NE(write_system(once), write_system(generated(6, 1.2, 4, model)));
    const System back = read(write_system(once));
    EXPECT_EQ(back, once) << "what it makes passes the reader unchanged";
  }
}

TEST(Recipe, ListsOnlyBatchesThatFitAndKeepsItsRanges) {
  const System system = generated(6, 1.5, 5, "table");
  ASSERT_FALSE(system.batches.empty());
  for (const Batch& batch : system.batches) {
    std::int64_t blocks = 0;
    Time longest;
    for (const TaskIndex task : batch.tasks) {
      blocks += *system.tasks[task].nodes[0].blocks;
      longest = std::max(longest, *system.tasks[task].nodes[0].wcet);
    }
    EXPECT_LE(blocks, 256);
    EXPECT_GE(*batch.completion * 10, longest * 11);
    EXPECT_LE(*batch.completion * 10, longest * 19 + Time::from_ms(10));
  }
  double u = 0;
  for (const Task& task : system.tasks) {
    u += static_cast<double>(task.nodes[0].wcet->ns()) / static_cast<double>(task.period->ns());
  }
  EXPECT_NEAR(u, 1.5, 0.01);
}

TEST(Recipe, RefusesParametersOutOfRange) {
  const tactus::Settings settings(kSlowdown.parameters, {{"n", "9"}, {"model", "table"}});
  EXPECT_FALSE(generate(kSlowdown, settings, 1, 1));
  const tactus::Settings wrong(kSlowdown.parameters, {{"model", "magic"}});
  EXPECT_FALSE(generate(kSlowdown, wrong, 1, 1));
}

}  // namespace
}  // namespace tactus::pbs::testing
