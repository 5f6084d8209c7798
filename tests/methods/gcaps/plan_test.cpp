#include "tactus/methods/gcaps/gcaps_plan.hpp"

#include <fmt/core.h>

#include "tactus/methods/plan_file.hpp"
#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/random_systems.hpp"
#include "tests/methods/gcaps/support.hpp"

/// Priority plans and their checker, which must agree with the second implementation of the plain
/// methods on plans of any quality.
namespace tactus::gcaps::tests {
namespace {

std::vector<std::string> complaints(std::string_view method, const System& system,
                                    std::string text) {
  const auto parsed = json::Document::parse(std::move(text));
  EXPECT_TRUE(std::holds_alternative<json::Document>(parsed));
  return find_method(method)->check_plan(system, std::get<json::Document>(parsed).root());
}

std::string text_of(std::string_view method, std::string_view variant, const System& system,
                    const PriorityPlan& plan) {
  json::Writer out(json::Layout::kOneLine);
  write_plan(out, system, method, variant, plan);
  return out.take();
}

std::vector<std::optional<Time>> bounds_in(const Verdict& verdict) {
  std::vector<std::optional<Time>> bounds;
  for (const TaskVerdict& task : verdict.tasks) bounds.push_back(task.bound);
  return bounds;
}

/// A plan with the GPU priorities of the system, as a person would write it: without bounds.
PriorityPlan plan_of(const System& system, Mode waiting) {
  PriorityPlan plan;
  plan.waiting = waiting;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    plan.cores.push_back(*task.core);
    if (task.best_effort) continue;
    plan.entries.push_back({i, *task.priority, task.gpu_priority.value_or(*task.priority)});
  }
  return plan;
}

TEST(PriorityPlan, OfAVerdictSatisfiesTheChecker) {
  int plans = 0;
  for (int index = 0; index < scaled(500); ++index) {
    Random random(31, static_cast<std::uint64_t>(index));
    const System system = random_system(random);
    for (const std::string_view method : kMethods) {
      for (const std::string_view variant : kAllVariants) {
        const Verdict verdict = run(method, system, variant);
        const auto* plan = dynamic_cast<const PriorityPlan*>(verdict.plan.get());
        if (plan == nullptr) continue;
        const std::string text = text_of(method, variant, system, *plan);
        EXPECT_TRUE(complaints(method, system, text).empty()) << index << " " << text;
        const auto file = read_plan_file(text, "plan", system);
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_TRUE(file->failures.empty()) << file->failures.front();
        EXPECT_EQ(bounds_in(file->plan.verdict), bounds_in(verdict)) << "as promised";
        ++plans;
      }
    }
  }
  EXPECT_GE(plans, 2'500);
}

TEST(PriorityPlan, IsMadeByEveryMethodExactlyWhenItProvesEveryDeadline) {
  for (int index = 0; index < scaled(300); ++index) {
    Random random(33, static_cast<std::uint64_t>(index));
    const System system = random_system(random);
    for (const std::string_view method : kMethods) {
      const Verdict verdict = run(method, system, "safe");
      EXPECT_EQ(verdict.plan != nullptr, verdict.status == Status::kSchedulable) << method;
    }
  }
}

TEST(PriorityPlan, SaysHowTasksWaitWhereTheyRunAndWhatIsPromised) {
  const System system = Sketch(2)
                            .runlist_update("1")
                            .task("a", 1, "100", "1, 1+2")
                            .task("b", 2, "100", "1, 1+2")
                            .best_effort("free", 2, "", "1, 1+2")
                            .system();
  const Verdict verdict = run("fmlp.busy", system, "safe");
  ASSERT_NE(verdict.plan, nullptr);
  const auto& plan = dynamic_cast<const PriorityPlan&>(*verdict.plan);
  const std::string good = text_of("fmlp.busy", "safe", system, plan);
  EXPECT_TRUE(complaints("fmlp.busy", system, good).empty());
  const auto refused = [&](const auto& spoil) {
    PriorityPlan bad = plan;
    spoil(bad);
    return !complaints("fmlp.busy", system, text_of("fmlp.busy", "safe", system, bad)).empty();
  };
  EXPECT_TRUE(refused([](PriorityPlan& bad) { bad.waiting = Mode::kSuspend; }));
  EXPECT_TRUE(refused([](PriorityPlan& bad) { bad.cores[2] = 1; }));
  EXPECT_TRUE(refused([](PriorityPlan& bad) { bad.entries[0].priority += 1; }));
  // By finer windows there may be a smaller bound, which a plan may promise.
  const Time least = *find(run("fmlp.busy", system, kWindows), system, "b")->bound;
  EXPECT_FALSE(refused([&](PriorityPlan& bad) { bad.entries[1].bound = least; }));
  EXPECT_TRUE(refused([&](PriorityPlan& bad) { bad.entries[1].bound = least - Time::from_ns(1); }))
      << "promises more than holds";
  EXPECT_FALSE(refused([](PriorityPlan& bad) { *bad.entries[1].bound += Time::from_ns(1); }))
      << "promises less";
  EXPECT_TRUE(refused([](PriorityPlan& bad) { bad.entries[1].bound = Time::from_ms(1000); }))
      << "beyond the deadline";
  EXPECT_TRUE(refused([](PriorityPlan& bad) { bad.entries[1].bound = std::nullopt; }));
}

TEST(PriorityPlan, OfAnyQualityIsJudgedAsTheSecondImplementationDoes) {
  int good = 0, bad = 0;
  for (int index = 0; index < scaled(2'000); ++index) {
    Random random(32, static_cast<std::uint64_t>(index));
    const System system = random_system_with_default_gpu_priorities(random);
    System planned = system;
    assign_gpu_priorities(planned, random);
    for (const std::string plain : {"gcaps.suspend", "gcaps.busy"}) {
      for (const std::string_view variant : kAllVariants) {
        const auto waiting = plain == "gcaps.busy" ? Mode::kBusy : Mode::kSuspend;
        const std::string text =
            text_of(plain + ".prio", variant, system, plan_of(planned, waiting));
        const bool holds = naive::analyze(planned, plain, variant).schedulable;
        EXPECT_EQ(complaints(plain + ".prio", system, text).empty(), holds) << text;
        (holds ? good : bad) += 1;
      }
    }
  }
  EXPECT_GE(good, 2'000);
  EXPECT_GE(bad, 2'000);
}

TEST(PriorityPlan, IsRefusedWhenItDoesNotFitTheSystem) {
  const System system = Sketch(2)
                            .runlist_update("1")
                            .task("a", 1, "100", "1, 1+2")
                            .task("b", 1, "100", "1, 1+2")
                            .best_effort("free", 2, "", "1, 1+2")
                            .system();
  const auto refused = [&](std::string_view priorities, std::string_view levels) {
    const std::string text = fmt::format(
        R"({{"method":"gcaps.busy.prio","variant":"safe","priorities":{},"gpu_priorities":{}}})",
        priorities, levels);
    return !complaints("gcaps.busy.prio", system, text).empty();
  };
  const std::string_view right = R"({"a":100,"b":99})";
  EXPECT_FALSE(refused(right, R"({"a":2,"b":1})"));
  EXPECT_TRUE(refused(right, R"({"a":1,"b":2})")) << "inverts the order on a core";
  EXPECT_TRUE(refused(right, R"({"a":1,"b":1})")) << "equal levels";
  EXPECT_TRUE(refused(right, R"({"a":2})")) << "a task is missing";
  EXPECT_TRUE(refused(right, R"({"a":2,"b":1,"free":3})")) << "a best-effort task has no level";
  EXPECT_TRUE(refused(right, R"({"a":2.5,"b":1})")) << "not an integer";
  EXPECT_TRUE(refused(right, R"({"a":"2","b":1})")) << "not a number";
  EXPECT_TRUE(refused(right, "[]")) << "not a table";
  EXPECT_TRUE(refused(R"({"a":99,"b":100})", R"({"a":2,"b":1})")) << "other CPU priorities";
  EXPECT_TRUE(refused("{}", R"({"a":2,"b":1})")) << "no CPU priorities";
}

}  // namespace
}  // namespace tactus::gcaps::tests
