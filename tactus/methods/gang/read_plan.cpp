#include <fmt/core.h>

#include "tactus/methods/gang/dag.hpp"
#include "tactus/methods/gang/plan.hpp"
#include "tactus/methods/plan_source.hpp"
#include "tactus/model/diagnostic.hpp"

namespace tactus::gang {
namespace {

using namespace plan_source;  // the words every reader of plans speaks

bool is_exact(const json::Value& delta) {
  const std::string_view word = text(delta, "delta");
  if (word != "exact" && word != "dp") {
    throw Malformed(delta, fmt::format("`delta` must be `dp` or `exact`, got {}", quote(word)));
  }
  return word == "exact";
}

}  // namespace

Verdict read_share_plan(const System& system, const json::Value& source) {
  const auto dags = make_dags(system);
  if (const auto* refusal = std::get_if<Refusal>(&dags)) throw Malformed(source, refusal->reason);
  const json::Value& allocation = table(source, "allocation");
  const json::Value& bounds = table(source, "bounds");
  const json::Value& deltas = table(source, "delta");
  auto plan = std::make_shared<SharePlan>();
  Verdict verdict;
  verdict.status = Status::kSchedulable;
  for (const GangDag& dag : std::get<std::vector<GangDag>>(dags)) {
    const std::string& name = system.tasks[dag.task].name;
    SharePlan::Share share{dag.task, {}, {}, is_exact(member(deltas, name))};
    const json::Value& units = table(allocation, name);
    for (const Element& element : system.platform.elements) {
      share.units.push_back(integer(member(units, element.name), element.name));
    }
    share.bound = time(member(bounds, name), "bounds", system.time_unit);
    const bool meets = share.bound <= dag.deadline;
    if (!meets) verdict.status = Status::kUnschedulable;
    verdict.tasks.push_back({dag.task, share.bound, dag.deadline, meets, {}});
    plan->shares.push_back(std::move(share));
  }
  verdict.plan = std::move(plan);
  return verdict;
}

}  // namespace tactus::gang
