#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gang/gang_plan.hpp"
#include "tactus/methods/plan_source.hpp"

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

std::vector<NodeUnits> read_widths(const System& system, const GangTask& task,
                                   const json::Value& source) {
  std::vector<NodeUnits> widths;
  if (!task.moldable()) return widths;
  const Task& named = system.tasks[task.task];
  const json::Value& units = table(table(source, "widths"), named.name);
  for (const Piece& piece : task.pieces) {
    if (!piece.moldable) continue;
    const std::string& node = named.nodes[piece.node].name;
    widths.push_back({piece.node, count(member(units, node), node)});
    if (std::none_of(piece.choices.begin(), piece.choices.end(), [&](const TimesEntry& choice) {
          return choice.units == widths.back().units;
        })) {
      throw Malformed(member(units, node), fmt::format("node {} has no time for {} units",
                                                       quote(node), widths.back().units));
    }
  }
  return widths;
}

}  // namespace

Verdict read_share_plan(const System& system, const json::Value& source) {
  const auto tasks = make_tasks(system);
  if (!tasks) throw Malformed(source, tasks.error().reason);
  const json::Value& allocation = table(source, "allocation");
  const json::Value& bounds = table(source, "bounds");
  const json::Value& deltas = table(source, "delta");
  auto plan = std::make_shared<SharePlan>();
  Verdict verdict;
  verdict.status = Status::kSchedulable;
  for (const GangTask& task : std::get<std::vector<GangTask>>(tasks)) {
    const std::string& name = system.tasks[task.task].name;
    SharePlan::Share share{task.task, {}, {}, is_exact(member(deltas, name))};
    share.widths = read_widths(system, task, source);
    const json::Value& units = table(allocation, name);
    for (const Element& element : system.platform.elements) {
      share.units.push_back(count(member(units, element.name), element.name));
    }
    share.bound = time(member(bounds, name), "bounds", system.time_unit);
    const bool meets = share.bound <= task.deadline;
    if (!meets) verdict.status = Status::kUnschedulable;
    verdict.tasks.push_back({task.task, share.bound, task.deadline, meets, {}});
    plan->shares.push_back(std::move(share));
  }
  verdict.plan = std::move(plan);
  return verdict;
}

}  // namespace tactus::gang
