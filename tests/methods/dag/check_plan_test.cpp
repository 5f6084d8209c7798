#include "tactus/methods/dag/check_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/methods/dag/sample.hpp"

/// The checker accepts every safe plan, and notices everything that is done to one.
namespace tactus::dag {
namespace {

std::string written(const System& system, std::string_view method, std::string_view variant,
                    const Plan& plan) {
  json::Writer out;
  write_plan(out, system, method, variant, plan);
  return out.take();
}

std::vector<std::string> check(const System& system, std::string_view method,
                               const std::string& text) {
  const auto parsed = json::Document::parse(text);
  return find_method(method)->check_plan(system, std::get<json::Document>(parsed).root());
}

constexpr std::string_view kMethods[] = {"dag.balanced", "dag.greedy", "dag.greedy-unaware",
                                         "dag.graham"};

TEST(PlanCheck, AcceptsEverySafePlan) {
  for (std::uint64_t index = 0; index < sweep(3'000); ++index) {
    const Sample sample = random_sample(index);
    const System system = system_of(sample);
    for (std::string_view method : kMethods) {
      const Verdict verdict = analyze_sample(sample, method, kSafe, index % 2 ? "normal" : "high");
      const auto complaints = check(system, method, written(system, method, kSafe, *verdict.plan));
      ASSERT_TRUE(complaints.empty()) << method << ": " << complaints[0] << describe(sample);
    }
  }
}

/// The worked example (Figures 1 to 3), with a deadline.
System example() {
  System system = system_of(
      sample_of(6, {3, 4, 2, 2, 4, 4, 3},
                {{0, 1}, {0, 2}, {0, 3}, {2, 4}, {3, 4}, {3, 5}, {1, 6}, {4, 6}, {5, 6}}));
  system.tasks[0].deadline = system.tasks[0].period = Time::from_ms(5);
  return system;
}

/// The complaints about the example's plan after `change`.
template <typename Change>
std::vector<std::string> complaints_after(Change change) {
  const System system = example();
  const Verdict verdict = analyze(*find_method("dag.balanced"), system);
  DagPlan plan = plan_of(verdict);
  change(plan);
  return check(system, "dag.balanced", written(system, "dag.balanced", kSafe, plan));
}

/// The first of them.
template <typename Change>
std::string complaint_after(Change change) {
  const auto complaints = complaints_after(change);
  return complaints.empty() ? "" : complaints[0];
}

TEST(PlanCheck, NamesTheConditionThatFails) {
  const Time unit = Time::from_ms(1);
  EXPECT_EQ(complaint_after([](DagPlan&) {}), "");
  EXPECT_EQ(complaint_after([&](DagPlan& plan) { plan.schedule.kernels[0].load -= unit; }),
            "segments: the loads of node `v1` do not add up to 3");
  EXPECT_EQ(complaint_after([](DagPlan& plan) {
              plan.schedule.kernels[4].m += 2;
              plan.schedule.steps[2].spare = -1;
            }),
            "width: step 3 needs 7 SMs, the gpu has 6");
  EXPECT_EQ(complaint_after([](DagPlan& plan) { plan.schedule.steps[0].spare = 2; }),
            "width: step 1 does not have 2 spare SMs");
  EXPECT_EQ(complaint_after([&](DagPlan& plan) { plan.schedule.kernels[4].c -= unit; }),
            "time: `v5` segment 1 cannot be sure to end within c = 1");
  EXPECT_EQ(complaint_after([&](DagPlan& plan) { plan.schedule.kernels[4].c += unit; }),
            "time: `v5` segment 1 takes c = 3, longer than r = 2 of step 3");
  EXPECT_EQ(complaint_after([](DagPlan& plan) { plan.ordering = Ordering::kPrinted; }),
            "barrier: nothing keeps `v6` segment 1 of step 3 behind `v3` segment 1 of step 2");
  EXPECT_EQ(complaint_after([&](DagPlan& plan) { plan.schedule.bound -= unit; }),
            "makespan: the bound is 4, but the steps do not add up to it");
  EXPECT_EQ(complaint_after([&](DagPlan& plan) { plan.deadline = 6 * unit; }),
            "deadline: `deadline` is not that of the task");
}

TEST(PlanCheck, RefusesKernelsInTheWrongOrder) {
  // v1 and v7 are alike, load 3 on 3 SMs, but one is the source and the other the sink.
  EXPECT_EQ(complaint_after([](DagPlan& plan) {
              std::swap(plan.schedule.kernels[0], plan.schedule.kernels[7]);
            }),
            "order: `v1` segment 1 must precede `v2` segment 1, but is not in an earlier step");
}

TEST(PlanCheck, RefusesAnEdgeInsideOfAStep) {
  // v3 depends on v1, and is put into the same step.
  const auto complaints = complaints_after([](DagPlan& plan) {
    auto& steps = plan.schedule.steps;
    steps[0].end = steps[1].begin + 1;
    steps[1].begin = steps[0].end;
  });
  const std::string order =
      "order: `v1` segment 1 must precede `v3` segment 1, but is not in an earlier step";
  EXPECT_NE(std::find(complaints.begin(), complaints.end(), order), complaints.end())
      << testing::PrintToString(complaints);
}

/// Raises or lowers every number of a plan in turn. The checker must notice, but for a `c` that
/// still lies between the kernel's time and the step's.
TEST(PlanCheck, NoticesEveryChangedNumber) {
  const System system = example();
  for (std::string_view method : kMethods) {
    const Verdict verdict = analyze(*find_method(method), system);
    const std::string text = written(system, method, kSafe, *verdict.plan);
    int changed = 0;
    for (std::size_t at = text.find("\"bound\""); at < text.size(); ++at) {
      const bool starts = std::isdigit(static_cast<unsigned char>(text[at])) != 0 &&
                          (text[at - 1] == ' ' || text[at - 1] == '-');
      if (!starts) continue;
      const std::size_t line = text.rfind('\n', at);
      const std::string_view key = std::string_view(text).substr(line, at - line);
      for (int change : {-1, +1}) {
        std::size_t end = at;
        while (std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
        const int value = std::stoi(text.substr(at, end - at)) + change;
        const std::string other = text.substr(0, at) + std::to_string(value) + text.substr(end);
        const bool harmless =
            key.find("\"c\"") != key.npos && change > 0 && check(system, method, other).empty();
        if (harmless) continue;
        EXPECT_FALSE(check(system, method, other).empty()) << method << key << value;
        ++changed;
      }
    }
    EXPECT_GT(changed, 40);
  }
}

TEST(PlanCheck, NoticesAMissingEdgeAndAMissingBarrier) {
  const System system = example();
  const Verdict verdict = analyze(*find_method("dag.balanced"), system);
  const std::string text = written(system, "dag.balanced", kSafe, *verdict.plan);

  std::string no_edges = text;
  const std::size_t edges = no_edges.find("\"edges\": ["), barriers = no_edges.find("\"barriers\"");
  no_edges.replace(edges, barriers - edges, "\"edges\": [],");
  ASSERT_FALSE(check(system, "dag.balanced", no_edges).empty());
  EXPECT_EQ(check(system, "dag.balanced", no_edges)[0].substr(0, 8), "barrier:");

  // Barriers alone are enough, and so are edges alone; neither is not.
  std::string null_edges = text;
  null_edges.replace(edges, barriers - edges, "\"edges\": null,");
  EXPECT_TRUE(check(system, "dag.balanced", null_edges).empty());
  const std::string no_barriers = text.substr(0, barriers) + "\"barriers\": [] }";
  EXPECT_TRUE(check(system, "dag.balanced", no_barriers).empty());
  const std::string neither =
      null_edges.substr(0, null_edges.find("\"barriers\"")) + "\"barriers\": [] }";
  EXPECT_FALSE(check(system, "dag.balanced", neither).empty());
}

TEST(PlanCheck, SaysWhatIsNotAPlan) {
  const System system = example();
  EXPECT_EQ(check(system, "dag.balanced", "{}")[0], "form: `task` is missing");
  EXPECT_EQ(check(system, "dag.graham", "[]")[0], "form: expected an object that has `task`");
  EXPECT_EQ(check(system, "dag.balanced", R"({"task": "other"})")[0],
            "form: `task` names no task of the system");
  EXPECT_EQ(check(system, "dag.balanced", R"({"task": "dag", "bound": "5"})")[0],
            "form: `bound` must be a time in whole nanoseconds");
}

TEST(PlanCheck, RefusesThePrintedPlansOfTheCounterexamples) {
  const std::pair<Sample, std::string> cases[] = {
      {sample_of(3, {1, 2, 2, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}), "width:"},
      {sample_of(7, {1, 3, 3, 3, 1, 1, 1, 1},
                 {{0, 1},
                  {0, 2},
                  {0, 3},
                  {0, 4},
                  {0, 5},
                  {1, 6},
                  {2, 6},
                  {3, 6},
                  {6, 7},
                  {4, 7},
                  {5, 7}}),
       "width:"},
      {sample_of(3, {1, 1, 2, 1, 1, 1, 2, 1},
                 {{0, 1}, {1, 2}, {2, 3}, {3, 7}, {0, 4}, {4, 5}, {5, 6}, {6, 7}}),
       "barrier:"},
  };
  for (const auto& [sample, condition] : cases) {
    const System system = system_of(sample);
    const Verdict verdict = analyze_sample(sample, "dag.balanced", "paper");
    const auto complaints =
        check(system, "dag.balanced", written(system, "dag.balanced", "paper", *verdict.plan));
    ASSERT_FALSE(complaints.empty());
    EXPECT_EQ(complaints[0].substr(0, condition.size()), condition);
  }
}

}  // namespace
}  // namespace tactus::dag
