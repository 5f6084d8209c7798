#include "tactus/decide/never_run.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/decide/deployment.hpp"
#include "tactus/methods/dag/dag_plan.hpp"
#include "tactus/methods/gang/gang_plan.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"

namespace tactus::decide {
namespace {

std::int64_t sms_of(const System& system) {
  for (const Element& element : system.platform.elements)
    if (element.kind == ElementKind::kGpu) return element.units;
  return 0;
}

/// Why a plan has no SMs for others; empty where it has, or where others get their turns.
std::string why_no_sms(const System& system, const Verdict& verdict) {
  const Plan* const plan = verdict.plan.get();
  constexpr std::string_view kNone = "it leaves no SMs";
  if (const auto* shares = dynamic_cast<const gang::SharePlan*>(plan)) {
    std::int64_t used = 0;
    for (const auto& share : shares->shares) {
      for (std::size_t e = 0; e < share.units.size(); ++e)
        if (system.platform.elements[e].kind == ElementKind::kGpu) used += share.units[e];
    }
    return used >= sms_of(system) ? std::string(kNone) : std::string();
  }
  if (const auto* allocation = dynamic_cast<const rtgpu::AllocationPlan*>(plan))
    return allocation->spare_sms <= 0 ? std::string(kNone) : std::string();
  if (const auto* graph = dynamic_cast<const dag::DagPlan*>(plan))
    return graph->sms >= sms_of(system) ? std::string(kNone) : std::string();
  const Method* const method = find_method(verdict.method);
  const auto deployment = method != nullptr ? deployment_of(*method) : Error{"there is none"};
  if (plan == nullptr || !deployment || deployment->way != Way::kTables) return {};
  return "its table has the whole GPU; with --share-gpu it runs beside batches that were measured "
         "like this";
}

}  // namespace

std::vector<NeverRun> never_run(const System& system, const Verdict& plan) {
  std::vector<NeverRun> all;
  const auto uses_sms = [&](const Task& task) {
    return std::any_of(task.nodes.begin(), task.nodes.end(), [&](const Node& node) {
      return system.platform.elements[node.on].kind == ElementKind::kGpu;
    });
  };
  std::string why;
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    if (!system.tasks[i].best_effort || !uses_sms(system.tasks[i])) continue;
    if (why.empty()) why = why_no_sms(system, plan);
    if (!why.empty()) all.push_back({i, why});
  }
  return all;
}

std::string to_string(const NeverRun& one, const System& system) {
  return fmt::format("best-effort task {} never runs beside this plan: {}",
                     quote(system.tasks[one.task].name), one.why);
}

}  // namespace tactus::decide
