#include "tactus/methods/gcaps/boost/boost_plan.hpp"

#include <fmt/core.h>

#include "tactus/methods/plan_file.hpp"
#include "tests/methods/gcaps/boost/naive.hpp"
#include "tests/methods/gcaps/boost/support.hpp"

/// Plans: GPU priorities and thresholds, written, read and checked.
namespace tactus::gcaps::boost::tests {
namespace {

std::string text_of(std::string_view method, const System& system, const Plan& plan) {
  json::Writer out(json::Layout::kOneLine);
  write_plan(out, system, method, kSafe, plan);
  return out.take();
}

std::vector<std::string> failures(const System& system, const std::string& text) {
  const auto file = read_plan_file(text, "plan", system);
  if (!file) return {file.error().message};
  return file->failures;
}

TEST(BoostPlan, OfAVerdictSatisfiesTheChecker) {
  int plans = 0;
  for (int index = 0; index < scaled(500); ++index) {
    Random random(41, static_cast<std::uint64_t>(index));
    const System system = random_system(random);
    for (const std::string_view method : kMethods) {
      const Verdict verdict = run(method, system);
      if (!verdict.plan) continue;
      const std::string text = text_of(method, system, *verdict.plan);
      const auto file = read_plan_file(text, "plan", system);
      ASSERT_TRUE(file) << file.error().message;
      EXPECT_TRUE(file->failures.empty()) << index << " " << file->failures.front();
      for (std::size_t i = 0; i < verdict.tasks.size(); ++i) {
        EXPECT_EQ(file->plan.verdict.tasks[i].bound, verdict.tasks[i].bound) << "as promised";
      }
      ++plans;
    }
  }
  EXPECT_GE(plans, 500);
}

/// Whatever thresholds a person writes, the checker says what the slow version says about them.
TEST(BoostPlan, WithOtherThresholdsIsAcceptedExactlyWhenTheyProveEveryDeadline) {
  int accepted = 0, refused = 0;
  for (int index = 0; index < scaled(1'000); ++index) {
    Random random(42, static_cast<std::uint64_t>(index));
    System system = random_system(random, {});
    for (const std::string_view method : {"gcaps.boost.suspend", "gcaps.boost.busy"}) {
      const Verdict verdict = run(method, system);
      const auto* made = dynamic_cast<const BoostPlan*>(verdict.plan.get());
      if (made == nullptr) continue;
      BoostPlan plan = *made;
      System changed = system;
      for (PriorityPlan::Entry& entry : plan.priorities.entries) {
        entry.bound.reset();
        auto& own = plan.thresholds[entry.task];
        for (std::int64_t& threshold : own) {
          if (random.chance(0.5)) threshold = random.chance(0.5) ? entry.gpu_priority : 1'000'000;
        }
        std::size_t segment = 0;
        bool inside = false;
        const auto& chain = changed.tasks[entry.task].nodes;
        if (!changed.tasks[entry.task].graph.is_listed_chain()) own.clear();
        for (std::size_t k = 0; k < chain.size() && !own.empty(); ++k) {
          const bool gpu = changed.platform.elements[chain[k].on].kind != ElementKind::kCpu;
          if (gpu && !inside) changed.tasks[entry.task].nodes[k].gpu_threshold = own[segment++];
          inside = gpu;
        }
        if (own.empty()) own = made->thresholds[entry.task];
      }
      bool listed = true;
      for (const Task& task : changed.tasks) listed = listed && task.graph.is_listed_chain();
      if (!listed) continue;
      const bool proved = naive::analyze(changed, method == "gcaps.boost.busy", false).schedulable;
      const auto text = json::Document::parse(text_of(method, system, plan));
      const auto complaints =
          find_method(method)->check_plan(system, std::get<json::Document>(text).root());
      EXPECT_EQ(complaints.empty(), proved) << index << (complaints.empty() ? "" : complaints[0]);
      ++(proved ? accepted : refused);
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 3);
}

class BrokenPlan : public testing::Test {
 protected:
  BrokenPlan()
      : system_(Sketch(2)
                    .runlist_update("1")
                    .task("a", 1, "40", "2, 1+3, 1")
                    .task("b", 2, "60", "3, 1+8, 2")
                    .system()),
        verdict_(run("gcaps.boost.suspend", system_)),
        plan_(dynamic_cast<const BoostPlan&>(*verdict_.plan)) {}

  std::string first_failure(const BoostPlan& plan) {
    const auto found = failures(system_, text_of("gcaps.boost.suspend", system_, plan));
    return found.empty() ? "" : found.front();
  }

  System system_;
  Verdict verdict_;
  BoostPlan plan_;
};

TEST_F(BrokenPlan, IsRefusedWhenASegmentHasNoThreshold) {
  EXPECT_EQ(first_failure(plan_), "");
  plan_.thresholds[1].clear();
  EXPECT_EQ(first_failure(plan_),
            "task `b`: `gpu_thresholds` does not give one number for each of its GPU segments");
}

TEST_F(BrokenPlan, IsRefusedWhenAThresholdIsBelowThePriorityOfItsTask) {
  plan_.thresholds[0][0] = 99;
  EXPECT_EQ(first_failure(plan_),
            "task `a`: `gpu_thresholds` gives a number below its GPU priority");
}

TEST_F(BrokenPlan, IsRefusedWhenABoundIsTooShort) {
  plan_.priorities.entries[0].bound = *plan_.priorities.entries[0].bound - Time::from_ns(1);
  EXPECT_NE(first_failure(plan_).find("`bounds` promises"), std::string::npos);
}

TEST_F(BrokenPlan, IsRefusedWhenItNamesATaskThatIsNotThere) {
  std::string text = text_of("gcaps.boost.suspend", system_, plan_);
  const std::string key = "\"gpu_thresholds\":{";
  const std::size_t place = text.find(key);
  ASSERT_NE(place, std::string::npos) << text;
  text.insert(place + key.size(), "\"ghost\":[1],");
  const auto found = failures(system_, text);
  ASSERT_FALSE(found.empty());
  EXPECT_NE(found[0].find("does not name every real-time task"), std::string::npos) << found[0];
}

}  // namespace
}  // namespace tactus::gcaps::boost::tests
