#pragma once

#include "tactus/methods/gcaps/boost/boost_plan.hpp"
#include "tactus/methods/method.hpp"
#include "tests/methods/gcaps/boost/naive.hpp"

/// Methods of gcaps.boost that forget a term: what a search for violations must find.
namespace tactus::simulate {

/// The plan and the bounds of the slow version, which forgets something.
template <gcaps::boost::naive::Forget kForget, bool kBusy>
Verdict mutant(const System& system, const Options&) {
  const auto answer = gcaps::boost::naive::analyze(system, kBusy, false, kForget);
  Verdict verdict;
  verdict.status = answer.schedulable ? Status::kSchedulable : Status::kUnschedulable;
  auto plan = std::make_shared<gcaps::boost::BoostPlan>();
  plan->thresholds.resize(system.tasks.size());
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    if (task.best_effort) continue;
    TaskVerdict& own = verdict.tasks.emplace_back();
    own.task = i;
    own.deadline = task.deadline;
    if (const auto bound = answer.responses.at(task.name)) own.bound = Time::from_ns(*bound);
    plan->priorities.entries.push_back({i, *task.priority, answer.gpu_priorities.at(task.name)});
    const auto thresholds = answer.thresholds.find(task.name);
    if (thresholds != answer.thresholds.end()) plan->thresholds[i] = thresholds->second;
  }
  verdict.hold_only_together = true;
  if (answer.schedulable) verdict.plan = std::move(plan);
  return verdict;
}

template <gcaps::boost::naive::Forget kForget, bool kBusy>
Method mutated() {
  Method method = *find_method(kBusy ? "gcaps.boost.busy" : "gcaps.boost.suspend");
  method.analyze = mutant<kForget, kBusy>;
  return method;
}

}  // namespace tactus::simulate
