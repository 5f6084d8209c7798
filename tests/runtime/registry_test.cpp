#include "tactus/runtime/executors/registry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tactus/methods/dag/dag_methods.hpp"
#include "tests/runtime/support.hpp"

namespace tactus::runtime {
namespace {

TEST(Executors, AreThereOrRefuseWithAReasonForEveryMethodThatMakesPlans) {
  for (const Method* method : registry()) {
    if (!method->makes_plan) continue;
    const auto executor = find_executor(*method);
    const bool listed = std::any_of(
        executors().begin(), executors().end(),
        [&](const ExecutorEntry& each) { return each.behaviour == method->behaviour.name; });
    const bool processes = method->behaviour.processes != GpuBetween::kNobody;
    EXPECT_NE(listed, processes) << method->id << " makes plans that nobody knows";
    if (!executor) {
      EXPECT_TRUE(executor.error().message.starts_with("plans of " + std::string(method->id) +
                                                       " are not run here: "))
          << executor.error().message;
    }
  }
}

TEST(Executors, AreListedOnceEachWithAMakerOrAReason) {
  std::set<std::string_view> listed;
  for (const ExecutorEntry& entry : executors()) {
    EXPECT_TRUE(listed.insert(entry.behaviour).second) << entry.behaviour;
    EXPECT_NE(entry.make == nullptr, entry.why_not.empty()) << entry.behaviour;
  }
}

TEST(Executors, RefuseAPlanOfAnotherType) {
  const System system = drawn("dag.graham", 1);
  const Verdict verdict = analyze(dag::kGraham, system);
  ASSERT_NE(verdict.plan, nullptr);
  for (const ExecutorEntry& entry : executors()) {
    if (entry.make == nullptr || entry.behaviour == dag::kGraham.behaviour.name) continue;
    EXPECT_FALSE(entry.make(system, *verdict.plan, {})) << entry.behaviour;
  }
}

}  // namespace
}  // namespace tactus::runtime
