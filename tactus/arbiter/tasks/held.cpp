#include "tactus/arbiter/tasks/held.hpp"

#include <algorithm>

#include "tactus/arbiter/tasks/pieces.hpp"
#include "tactus/methods/gcaps/boost/view.hpp"

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

}  // namespace tactus::arbiter::tasks
