#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tests/methods/gcaps/naive.hpp"
#include "tests/methods/gcaps/random_systems.hpp"
#include "tests/methods/gcaps/support.hpp"

/// The product against a second implementation from the same equations, to the nanosecond.
namespace tactus::gcaps::tests {
namespace {

std::string describe(const naive::Bounds& bounds) {
  std::string text;
  for (const auto& [name, bound] : bounds) {
    text += name + "=" + (bound ? std::to_string(*bound) : "null") + " ";
  }
  return text;
}

naive::Bounds bounds_of(const Verdict& verdict, const System& system) {
  naive::Bounds bounds;
  for (const TaskVerdict& task : verdict.tasks) {
    std::optional<naive::Ns>& bound = bounds[system.tasks[task.task].name];
    if (task.bound) bound = task.bound->ns();
  }
  return bounds;
}

std::optional<std::map<std::string, std::int64_t>> gpu_priorities_of(const Verdict& verdict,
                                                                     const System& system) {
  const auto* plan = dynamic_cast<const PriorityPlan*>(verdict.plan.get());
  if (plan == nullptr) return std::nullopt;
  std::map<std::string, std::int64_t> priorities;
  for (const PriorityPlan::Entry& entry : plan->entries) {
    priorities[system.tasks[entry.task].name] = entry.gpu_priority;
  }
  return priorities;
}

struct Count {
  int schedulable = 0;
  int partly = 0;      ///< unschedulable, but some task has a bound
  int reassigned = 0;  ///< made schedulable by GPU priorities other than the file's
};

bool keeps_the_files_order(const std::map<std::string, std::int64_t>& priorities,
                           const System& system) {
  return std::all_of(system.tasks.begin(), system.tasks.end(), [&](const Task& task) {
    return task.best_effort ||
           priorities.at(task.name) == task.gpu_priority.value_or(*task.priority);
  });
}

void compare(std::string_view method, std::string_view variant, const System& system,
             Count& count) {
  const Verdict verdict = run(method, system, variant);
  if (variant == "safe-inherit" && naive::orders_differ(naive::make_set(system))) {
    ASSERT_EQ(verdict.status, Status::kNotApplicable);
    return;
  }
  const naive::Answer expected = naive::analyze(system, method, variant);
  const naive::Bounds bounds = bounds_of(verdict, system);
  ASSERT_EQ(verdict.status, expected.schedulable ? Status::kSchedulable : Status::kUnschedulable);
  ASSERT_EQ(bounds, expected.bounds)
      << "product " << describe(bounds) << "\nnaive   " << describe(expected.bounds);
  const auto priorities = gpu_priorities_of(verdict, system);
  if (expected.gpu_priorities || verdict.status != Status::kSchedulable) {
    ASSERT_EQ(priorities, expected.gpu_priorities);
  }
  for (const TaskVerdict& task : verdict.tasks) {
    ASSERT_EQ(task.schedulable, task.bound.has_value());
    ASSERT_EQ(task.deadline, system.tasks[task.task].deadline);
  }
  const bool some_bound = std::any_of(bounds.begin(), bounds.end(),
                                      [](const auto& entry) { return entry.second.has_value(); });
  count.schedulable += expected.schedulable ? 1 : 0;
  count.partly += !expected.schedulable && some_bound ? 1 : 0;
  count.reassigned += priorities && !keeps_the_files_order(*priorities, system) ? 1 : 0;
}

TEST(Agreement, WithASecondImplementationOnRandomSystems) {
  const int systems = scaled(10'000);
  std::map<std::string, Count> counts;
  for (int index = 0; index < systems; ++index) {
    Random random(20'241, static_cast<std::uint64_t>(index));
    System system = random_system(random);
    if (index % 3 == 0) set_overlaps(system, random);
    for (const std::string_view method : kMethods) {
      for (const std::string_view variant : variants_of(method)) {
        const std::string name = std::string(variant) + " " + std::string(method);
        SCOPED_TRACE("system " + std::to_string(index) + ", " + name);
        compare(method, variant, system, counts[name]);
        if (HasFatalFailure()) return;
      }
    }
  }
  // The comparison would be empty if nearly all systems passed, or failed, or failed at once.
  for (const auto& [name, count] : counts) {
    SCOPED_TRACE(name);
    EXPECT_GE(count.schedulable, systems * 3 / 10);
    EXPECT_LE(count.schedulable, systems * 4 / 5);
    EXPECT_GE(count.partly, systems / 10);
    const bool assigns = name.ends_with(".prio") && !name.starts_with("safe-inherit");
    EXPECT_GE(count.reassigned, assigns ? systems / 100 : 0);
  }
}

}  // namespace
}  // namespace tactus::gcaps::tests
