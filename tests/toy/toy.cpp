// Methods that the library does not know: this file and nothing else makes a program of which every
// verb can take them (tests/cli/toy_method_test.cpp). One of them has a plan with keys of its own
// and a behaviour of its own.
#include <array>

#include "tactus/methods/dag/dag_methods.hpp"
#include "tactus/methods/plan_document.hpp"
#include "tactus/methods/plan_source.hpp"
#include "tactus/runtime/executors/registry.hpp"
#include "tactus/simulate/registry.hpp"

namespace tactus::toy {
namespace {

constexpr std::array<std::string_view, 1> kVariants = {kSafe};

/// Graham's bound, doubled: right, and easy to tell from every other.
Verdict analyze_doubled(const System& system, const Options& options) {
  Verdict verdict = dag::kGraham.analyze(system, options);
  for (TaskVerdict& task : verdict.tasks) {
    if (!task.bound) continue;
    task.terms.push_back({.label = "the same again", .amount = *task.bound});
    task.bound = *task.bound * 2;
    task.schedulable = !task.deadline || *task.bound <= *task.deadline;
    if (!task.schedulable) verdict.status = Status::kUnschedulable;
  }
  return verdict;
}

/// A bound below every run: a hunt must catch it.
Verdict analyze_halved(const System& system, const Options& options) {
  Verdict verdict = dag::kGraham.analyze(system, options);
  for (TaskVerdict& task : verdict.tasks) {
    if (task.bound) task.bound = div_up(*task.bound, 2);
    task.terms.clear();
  }
  return verdict;
}

/// How many toys watch a graph that runs as Graham says. Its keys are in no other plan.
class ToyPlan final : public Plan {
 public:
  TaskIndex watched = 0;
  std::int64_t toys = 0;
  std::shared_ptr<const Plan> graham;  ///< follows from the system

  void write_fields(json::Writer& out, const System& system) const override;
  std::vector<PlanTable> tables(const System& system) const override {
    return {{"Toys", {"watched", "toys"}, {{system.tasks[watched].name, std::to_string(toys)}}}};
  }
};

}  // namespace
}  // namespace tactus::toy

namespace tactus {

template <>
std::span<const Field<toy::ToyPlan>> fields<toy::ToyPlan>() {
  using namespace codec;  // the words of the table
  static constexpr auto kTable = std::to_array<Field<toy::ToyPlan>>({
      always<&toy::ToyPlan::watched, TaskName>("watched", "The task they look at"),
      always<&toy::ToyPlan::toys, Number>("toys", "How many there are"),
  });
  return kTable;
}

}  // namespace tactus

namespace tactus::toy {
namespace {

void ToyPlan::write_fields(json::Writer& out, const System& system) const {
  write_members(out, system, *this);
}

Verdict watched(const System& system, const Options& options, std::int64_t toys) {
  Verdict verdict = dag::kGraham.analyze(system, options);
  if (verdict.tasks.empty()) return verdict;
  auto plan = std::make_shared<ToyPlan>();
  plan->watched = verdict.tasks.front().task;
  plan->toys = toys;
  plan->graham = verdict.plan;
  verdict.plan = std::move(plan);
  verdict.figures.push_back({"joy", std::to_string(toys * 2)});
  return verdict;
}

Verdict analyze_watched(const System& system, const Options& options) {
  return watched(system, options, 3);
}

Verdict read_watched(const System& system, const json::Value& plan) {
  using namespace plan_source;
  text(member(plan, "watched"), "watched");
  return watched(system, {}, count(member(plan, "toys"), "toys"));
}

std::vector<std::string> check_watched(const System& /*system*/, const json::Value& plan) {
  if (plan.find("toys")->text() == "0") return {"nobody watches"};
  return {};
}

Verdict as_graham(const System& system, const Plan& plan) {
  Verdict verdict = dag::kGraham.analyze(system, {});
  verdict.plan = dynamic_cast<const ToyPlan&>(plan).graham;
  return verdict;
}

Result<std::unique_ptr<simulate::Policy>> simulated(const System& system, const Verdict& verdict) {
  return simulate::find_policy(dag::kGraham)->make(system, as_graham(system, *verdict.plan));
}

runtime::MadeExecutor executed(const System& system, const Plan& plan,
                               const runtime::RunOptions& options) {
  const auto* const executor = *runtime::find_executor(dag::kGraham);
  return executor->make(system, *as_graham(system, plan).plan, options);
}

constexpr OptionSpec kOptions[] = {{"toys", "N", "how many toys; without effect"}};

Method like_graham(std::string_view id, Behaviour behaviour) {
  Method method = dag::kGraham;
  method.id = id;
  method.title = "a toy";
  method.variants = kVariants;
  method.analyze = analyze_doubled;
  method.options = kOptions;
  method.behaviour = behaviour;
  method.look = {.part = Part::kThirdRival, .second = true};
  return method;
}

Method halved() {
  Method method = like_graham("toy.halved", dag::kGraham.behaviour);
  method.analyze = analyze_halved;
  return method;
}

const Method kDoubled = like_graham("toy.doubled", {.name = "kernel-graph", .recipe = "dag-small"});
const Method kHalved = halved();
const Method kSilent = like_graham("toy.silent", {});
const Method kDancing = like_graham("toy.dancing", {.name = "dance", .recipe = "dag-small"});
const Method kShy = like_graham("toy.shy", {.why_none = "toys do not move while one looks"});
const Method kAtHome = like_graham("toy.at-home", {.name = "kernel-graph"});

Method watched_method() {
  Method method = like_graham("toy.watched", {.name = "watched", .recipe = "dag-small"});
  method.analyze = analyze_watched;
  method.read_plan = read_watched;
  method.check_plan = check_watched;
  return method;
}
const Method kWatched = watched_method();

const bool kAdded = [] {
  add_method(kWatched);
  add_plan_type(described<ToyPlan>);
  simulate::add_policy({"watched", "as Graham says, with toys around", simulated});
  runtime::add_executor({"watched", executed});
  for (const Method* method : {&kDoubled, &kHalved, &kSilent, &kDancing, &kShy, &kAtHome}) {
    add_method(*method);
  }
  return true;
}();

}  // namespace
}  // namespace tactus::toy
