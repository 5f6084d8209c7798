#include "tactus/arbiter/tasks/held.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "tactus/arbiter/tasks/pieces.hpp"
#include "tactus/methods/gcaps/boost/view.hpp"
#include "tactus/model/format.hpp"

namespace tactus::arbiter::tasks {
namespace {

Element* gpu_of(System& system) {
  for (Element& element : system.platform.elements)
    if (element.kind == ElementKind::kGpu) return &element;
  return nullptr;
}

/// The longest GPU segment of a best-effort task.
Time longest_best_effort(const System& system) {
  constexpr int kAll = 100;  // percent
  std::int64_t longest = 0;
  for (const Task& task : system.tasks) {
    if (!task.best_effort) continue;
    const auto pieces = pieces_of(system, task, kAll);
    if (!pieces) continue;  // the run itself says why
    for (const Piece& piece : *pieces) longest = std::max(longest, piece.gpu_ns);
  }
  return Time::from_ns(longest);
}

}  // namespace

void charge_what_stays(System& system) {
  Element* const gpu = gpu_of(system);
  if (gpu == nullptr) return;
  // Defaults depend on each other: all three are fixed before one is changed.
  const gcaps::boost::Costs costs = gcaps::boost::costs_of(*gpu);
  gpu->preempt_cost = std::max(costs.off, longest_best_effort(system));
  gpu->resume_cost = costs.on;
  gpu->start_cost = costs.start;
}

std::optional<std::string> what_blocks_longer(const System& system) {
  System copy = system;
  const Element* const gpu = gpu_of(copy);
  if (gpu == nullptr) return std::nullopt;
  const Time longest = longest_best_effort(system), off = gcaps::boost::costs_of(*gpu).off;
  if (longest <= off) return std::nullopt;
  return fmt::format(
      "a best-effort segment takes {} and is not taken off, which the file's preempt_cost {} does "
      "not cover: no bound holds beside it",
      format_time(longest, system.time_unit), format_time(off, system.time_unit));
}

std::optional<TaskIndex> first_preemptable(
    const System& system, const std::vector<std::vector<std::int64_t>>& thresholds) {
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
  for (TaskIndex i = 0; i < thresholds.size(); ++i)
    if (!thresholds[i].empty()) highest = std::max(highest, *system.tasks[i].gpu_priority);
  for (TaskIndex i = 0; i < thresholds.size(); ++i) {
    const auto& own = thresholds[i];
    if (std::any_of(own.begin(), own.end(), [&](std::int64_t t) { return t < highest; })) return i;
  }
  return std::nullopt;
}

}  // namespace tactus::arbiter::tasks
