#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/gcaps/boost/boost_plan.hpp"
#include "tests/methods/gcaps/boost/naive.hpp"
#include "tests/methods/gcaps/boost/support.hpp"

/// The product and the slow version, written twice from the same equations, say the same to the
/// nanosecond.
namespace tactus::gcaps::boost::tests {
namespace {

std::string figure(const Verdict& verdict, std::string_view name) {
  for (const Figure& one : verdict.figures) {
    if (one.name == name) return one.value;
  }
  return {};
}

/// As the product writes it.
std::string text_of(const std::map<std::string, std::vector<std::int64_t>>& lists,
                    const System& system, bool times, const naive::Answer& answer) {
  std::string text;
  for (const Task& task : system.tasks) {
    const auto thresholds = answer.thresholds.find(task.name);
    if (thresholds == answer.thresholds.end()) continue;
    text += fmt::format("{}\"{}\":", text.empty() ? "" : ",", task.name);
    const auto own = lists.find(task.name);
    if (own == lists.end()) {
      text += "null";
      continue;
    }
    std::string numbers;
    for (const std::int64_t number : own->second) {
      numbers += numbers.empty() ? "" : ",";
      numbers +=
          times ? format_time(Time::from_ns(number), system.time_unit) : std::to_string(number);
    }
    text += fmt::format("[{}]", numbers);
  }
  return text.empty() ? text : fmt::format("{{{}}}", text);
}

std::string packed(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

void expect_agreement(const System& system, bool busy, bool search_order) {
  const std::string_view method = kMethods[(busy ? 1 : 0) + (search_order ? 2 : 0)];
  const Verdict verdict = run(method, system);
  ASSERT_NE(verdict.status, Status::kNotApplicable) << verdict.reason;
  const naive::Answer answer = naive::analyze(system, busy, search_order);
  ASSERT_EQ(verdict.status == Status::kSchedulable, answer.schedulable) << method;
  for (const TaskVerdict& task : verdict.tasks) {
    const std::string& name = system.tasks[task.task].name;
    const std::optional<naive::Ns> expected = answer.responses.at(name);
    ASSERT_EQ(task.bound.has_value(), expected.has_value()) << method << " " << name;
    if (!task.bound) continue;
    EXPECT_EQ(task.bound->ns(), *expected) << method << " " << name;
    EXPECT_EQ(sum(task.terms), *task.bound) << method << " " << name;
  }
  EXPECT_EQ(packed(figure(verdict, "gpu_completion")),
            text_of(answer.completions, system, true, answer));
  EXPECT_EQ(packed(figure(verdict, "gpu_thresholds")),
            text_of(answer.thresholds, system, false, answer));
  if (const auto* plan = dynamic_cast<const BoostPlan*>(verdict.plan.get())) {
    for (const PriorityPlan::Entry& entry : plan->priorities.entries) {
      EXPECT_EQ(entry.gpu_priority, answer.gpu_priorities.at(system.tasks[entry.task].name));
    }
  }
}

/// Of what a hundred systems must hold, so that the agreement means something.
struct Tally {
  int schedulable = 0, unschedulable = 0, own_order = 0;
};

TEST(BoostAgreement, OfTheProductWithTheSlowVersionOnRandomSystems) {
  const int systems = scaled(10'000, 3);
  Tally tally;
  for (int index = 0; index < systems && !testing::Test::HasFailure(); ++index) {
    Random random(2024, static_cast<std::uint64_t>(index));
    const System system = random_system(random);
    SCOPED_TRACE(fmt::format("system {}", index));
    const bool given = run("gcaps.boost.suspend.prio", system).status == Status::kNotApplicable;
    for (const bool busy : {false, true}) {
      expect_agreement(system, busy, false);
      if (!given) expect_agreement(system, busy, true);
    }
    const bool passes = run("gcaps.boost.suspend", system).status == Status::kSchedulable;
    ++(passes ? tally.schedulable : tally.unschedulable);
    if (!given && !passes &&
        run("gcaps.boost.suspend.prio", system).status == Status::kSchedulable) {
      ++tally.own_order;
    }
  }
  EXPECT_GT(tally.schedulable, systems / 10);
  EXPECT_GT(tally.unschedulable, systems / 10);
  EXPECT_GT(tally.own_order, systems / 500);
}

}  // namespace
}  // namespace tactus::gcaps::boost::tests
