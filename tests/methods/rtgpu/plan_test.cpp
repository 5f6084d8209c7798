#include "tactus/methods/rtgpu/rtgpu_plan.hpp"

#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tests/methods/rtgpu/builder.hpp"

/// Plans: what they say, and that the checker believes right ones only.
namespace tactus::rtgpu {
namespace {

using testing::Builder;
using testing::ms;
using testing::with;

json::Document parse(std::string text) {
  return std::move(std::get<json::Document>(json::Document::parse(std::move(text))));
}

std::string text_of(const Plan& plan, const System& system, std::string_view method,
                    std::string_view variant) {
  json::Writer out;
  write_plan(out, system, method, variant, plan);
  return out.take();
}

std::vector<std::string> problems_of(const Plan& plan, const System& system,
                                     std::string_view method, std::string_view variant) {
  const json::Document document = parse(text_of(plan, system, method, variant));
  return find_method(method)->check_plan(system, document.root());
}

struct Planner {
  std::string_view method, variant;
};
constexpr Planner kPlanners[] = {
    {"rtgpu", "safe"},         {"rtgpu", "paper"},          {"rtgpu", "tight"},
    {"rtgpu.greedy", "tight"}, {"self-suspension", "safe"}, {"self-suspension", "paper"},
    {"stgm", "safe"},          {"stgm", "paper"},
};

/// Calls `visit(planner, system, plan)` for plans made of random systems.
template <typename Visit>
int for_each_plan(std::uint64_t seed, int count, Visit visit) {
  Random random(seed, 0);
  int plans = 0;
  for (int set = 0; set < count; ++set) {
    testing::Shape shape{.utilization = 60};
    if (set % 2 == 1) shape = {.cores_most = 2, .buses_most = 2, .odd = true, .utilization = 60};
    if (set % 3 == 2) shape.measured = 0.7;
    const System system = random_system(random, shape);
    for (const Planner& planner : kPlanners) {
      const Verdict verdict = analyze(*find_method(planner.method), system, with(planner.variant));
      if (verdict.status != Status::kSchedulable) continue;
      visit(planner, system, dynamic_cast<const AllocationPlan&>(*verdict.plan));
      if (::testing::Test::HasFatalFailure()) return 0;
      ++plans;
    }
  }
  return plans;
}

TEST(PlanCheck, AcceptsEveryPlanThatIsMade) {
  const int plans = for_each_plan(
      61, testing::sets(400), [](const Planner& planner, const System& system, const auto& plan) {
        const auto problems = problems_of(plan, system, planner.method, planner.variant);
        ASSERT_TRUE(problems.empty())
            << planner.method << " " << planner.variant << ": " << problems.front();
      });
  EXPECT_GT(plans, 500);
}

TEST(PlanCheck, RejectsABoundThatIsANanosecondTooSmall) {
  Random random(62, 1);
  const int plans = for_each_plan(
      62, testing::sets(200), [&](const Planner& planner, const System& system, auto plan) {
        auto& entry = plan.entries[static_cast<std::size_t>(
            random.integer(0, static_cast<std::int64_t>(plan.entries.size()) - 1))];
        *entry.bound -= Time::from_ns(1);
        ASSERT_FALSE(problems_of(plan, system, planner.method, planner.variant).empty());
        *entry.bound += Time::from_ns(1);
        for (SegmentBound& segment : entry.segments) {
          if (!segment.bound || *segment.bound == Time()) continue;
          *segment.bound -= Time::from_ns(1);
          ASSERT_FALSE(problems_of(plan, system, planner.method, planner.variant).empty());
          *segment.bound += Time::from_ns(1);
        }
        for (auto* other : {&entry.per_copy, &entry.whole_job}) {
          if (!*other) continue;
          **other -= Time::from_ns(1);
          ASSERT_FALSE(problems_of(plan, system, planner.method, planner.variant).empty());
          **other += Time::from_ns(1);
        }
        ASSERT_TRUE(problems_of(plan, system, planner.method, planner.variant).empty());
      });
  EXPECT_GT(plans, 200);
}

AllocationPlan plan_of(const System& system, std::string allocation = {}) {
  const Verdict verdict =
      analyze(*find_method("rtgpu"), system, with("safe", std::move(allocation)));
  return dynamic_cast<const AllocationPlan&>(*verdict.plan);
}

TEST(PlanCheck, NamesWhatIsWrong) {
  const System system = testing::spare_sms_hurt();
  const auto first_problem = [&](auto change) {
    AllocationPlan plan = plan_of(system);
    change(plan);
    const auto problems = problems_of(plan, system, "rtgpu", "safe");
    return problems.empty() ? std::string() : problems.front();
  };
  EXPECT_EQ(first_problem([](auto&) {}), "");
  EXPECT_EQ(first_problem([](auto& p) { p.entries[0].sms = 8; }),
            "9 SMs are given, but the gpu has 8");
  EXPECT_EQ(first_problem([](auto& p) { p.entries[0].sms = 0; }),
            "task `hi` has fewer SMs than its kernels need");
  EXPECT_EQ(first_problem([](auto& p) { p.entries[0].priority = 9; }),
            "task `hi` has another priority in the system");
  EXPECT_EQ(first_problem([](auto& p) { p.entries.pop_back(); }),
            "task `lo` is missing in `allocation`");
  EXPECT_EQ(first_problem([](auto& p) { p.entries[1].segments.pop_back(); }),
            "task `lo` has other segments in the system");
  EXPECT_EQ(first_problem([](auto& p) { p.entries[1].bound.reset(); }), "task `lo` has no bound");
  EXPECT_EQ(first_problem([](auto& p) { p.entries[1].bound = ms(40); }),
            "task `lo` has a bound beyond its deadline");
  EXPECT_EQ(first_problem([](auto& p) { p.entries[1].segments[1].bound = ms(3); }),
            "task `lo` node `n1` can take longer than its bound");
  EXPECT_EQ(first_problem([](auto& p) { p.entries[1].bound = ms(32); }),
            "task `lo` can take longer than its bound");
  // Spare SMs for `hi`, with the bounds of the plan as they were: `lo` is not safe any more.
  AllocationPlan generous = plan_of(system);
  generous.entries[0].sms = generous.entries[0].units[0].units = 7;
  const auto problems = problems_of(generous, system, "rtgpu", "safe");
  EXPECT_EQ(problems.front(), "task `hi` node `n1` has a bound that is too large");
  EXPECT_EQ(problems.back(), "task `lo` can take longer than its `tight` bound");
  EXPECT_FALSE(problems_of(plan_of(system, "hi=7,lo=1"), system, "rtgpu", "safe").empty());
}

TEST(PlanCheck, FindsBoundsThatContradictEachOther) {
  const System system = testing::spare_sms_hurt();
  const auto first_problem = [&](std::string_view variant, auto change) {
    const Verdict verdict = analyze(*find_method("rtgpu"), system, with(std::string(variant), {}));
    auto plan = dynamic_cast<const AllocationPlan&>(*verdict.plan);
    change(plan);
    const auto problems = problems_of(plan, system, "rtgpu", std::string(variant));
    return problems.empty() ? std::string() : problems.front();
  };
  EXPECT_EQ(first_problem("safe", [](auto& p) { *p.entries[1].bound += ms(1); }),
            "task `lo` has another bound than its `paper` bound");
  EXPECT_EQ(first_problem("tight", [](auto& p) { *p.entries[1].bound += ms(1); }),
            "task `lo` has another bound than its `tight` bound");
  EXPECT_EQ(first_problem("safe", [](auto& p) { p.entries[0].per_copy.reset(); }),
            "task `hi` has another bound than its `paper` bound");
  EXPECT_EQ(first_problem("safe", [](auto& p) { *p.entries[0].whole_job += ms(1); }),
            "task `hi` has a `tight` bound beyond its `paper` bound");
  EXPECT_EQ(first_problem("safe", [](auto& p) { p.entries[0].whole_job.reset(); }),
            "task `hi` has a `tight` bound beyond its `paper` bound");
  EXPECT_EQ(first_problem("safe", [](auto& p) { *p.entries[0].segments[1].bound += ms(1); }),
            "task `hi` node `n1` has a bound that is too large");
  EXPECT_EQ(first_problem("safe", [](auto& p) { p.entries[0].segments[1].bound.reset(); }),
            "task `hi` node `n1` has no bound");
  EXPECT_EQ(first_problem("safe", [](auto& p) { *p.entries[0].segments[0].bound += ms(15); }),
            "task `hi` node `n0` has a bound that is too large");
  EXPECT_EQ(first_problem("safe", [](auto& p) { p.entries[0].segments[0].bound = Time::max(); }),
            "task `hi` node `n0` has a bound beyond the deadline");
}

TEST(PlanCheck, SurvivesAnyJson) {
  const System system = testing::spare_sms_hurt();
  for (const char* text :
       {"{}", "[]", "7", R"({"allocation":3})", R"({"allocation":{"hi":1,"hi":1,"x":2,"lo":"a"}})",
        R"({"allocation":{"hi":1,"lo":1},"priorities":{"hi":2,"lo":1},"bounds":[7,{"task":"x"}]})",
        R"({"allocation":{"hi":1,"lo":1},"priorities":{"hi":2,"lo":1},"segments":{},"bounds":{}})",
        R"({"allocation":{"hi":-9223372036854775808,"lo":1}})"}) {
    const json::Document document = parse(text);
    EXPECT_FALSE(find_method("rtgpu")->check_plan(system, document.root()).empty()) << text;
  }
}

TEST(Plan, HoldsTheAllocationVirtualSmsPrioritiesAndSegments) {
  const System system = testing::spare_sms_hurt();
  const json::Document document = parse(text_of(plan_of(system), system, "rtgpu", "safe"));
  const json::Value& root = document.root();
  EXPECT_EQ(root.find("method")->text(), "rtgpu");
  EXPECT_EQ(root.find("allocation")->find("lo")->text(), "1");
  EXPECT_EQ(root.find("virtual_sms")->find("lo")->text(), "2");
  EXPECT_EQ(root.find("units")->find("hi")->find("n1")->text(), "1");
  EXPECT_EQ(root.find("priorities")->find("hi")->text(), "2");
  EXPECT_EQ(root.find("spare_sms")->text(), "6");
  const json::Value& bounds = root.find("bounds")->items()[1];
  EXPECT_EQ(bounds.find("task")->text(), "lo");
  EXPECT_EQ(bounds.find("paper")->text(), "32.3");
  EXPECT_EQ(bounds.find("tight")->text(), "32.3");
  const auto segments = root.find("segments")->items();
  ASSERT_EQ(segments.size(), 7U);
  EXPECT_EQ(segments[1].find("node")->text(), "n1");
  EXPECT_EQ(segments[1].find("kind")->text(), "gpu");
  EXPECT_EQ(segments[1].find("bound")->text(), "5.8");
  EXPECT_EQ(segments[1].find("lower")->text(), "4");
}

TEST(Plan, ShowsPaperAndTightBoundsSideBySide) {
  const System system = testing::spare_sms_hurt();
  const auto tables = plan_of(system).tables(system);
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_EQ(tables[0].title, "SMs of each task (6 spare)");
  EXPECT_EQ(tables[0].header, (std::vector<std::string>{"task", "priority", "SMs", "virtual SMs",
                                                        "paper bound", "tight bound", "deadline"}));
  EXPECT_EQ(tables[0].rows[1],
            (std::vector<std::string>{"lo", "1", "1", "2", "32.3", "32.3", "34"}));
  EXPECT_EQ(tables[1].title, "SMs that each kernel runs on");
  EXPECT_EQ(tables[1].rows[0], (std::vector<std::string>{"hi", "n1", "1"}));
  EXPECT_EQ(tables[2].rows[4], (std::vector<std::string>{"lo", "n1", "copy", "4", "4"}));
}

}  // namespace
}  // namespace tactus::rtgpu
