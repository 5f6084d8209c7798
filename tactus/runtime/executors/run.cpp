#include "tactus/runtime/executors/run.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/releases.hpp"
#include "tactus/runtime/executors/loop.hpp"
#include "tactus/runtime/executors/registry.hpp"

namespace tactus::runtime {
namespace {

MadeExecutor make_executor(const System& system, const PlanToRun& source,
                           const RunOptions& options) {
  const Method* method = find_method(source.method);
  if (method == nullptr) return Error{fmt::format("there is no method {}", quote(source.method))};
  if (source.plan == nullptr) return Error{fmt::format("there is no plan of {}", source.method)};
  const auto entry = find_executor(*method);
  if (!entry) return entry.error();
  if (std::string why = why_not_started(system); !why.empty()) return Error{std::move(why)};
  return (*entry)->make(system, *source.plan, options);
}

/// Nodes that are shorter than the cost of running them as separate operations.
void note_short_nodes(const System& system, Time cost, trace::Observed& observed) {
  for (const trace::ObservedNode& piece : observed.nodes) {
    const auto& wcet = system.tasks[piece.task].nodes[piece.node].wcet;
    if (!wcet || *wcet >= 2 * cost) continue;
    observed.notes.push_back(fmt::format(
        "{} of task {} takes {} ns, which is little compared with the {} ns of any operation here",
        quote(piece.label), quote(system.tasks[piece.task].name), wcet->ns(), cost.ns()));
  }
}

}  // namespace

Result<trace::Observed> run_plan(const System& system, const PlanToRun& plan, Device& device,
                                 const RunOptions& options) {
  const MadeExecutor executor = make_executor(system, plan, options);
  if (!executor) return executor.error();
  try {
    auto observed = Loop(system, **executor, device, options).run();
    if (!observed) return observed;
    if (std::string note = unwatched_releases(system); !note.empty()) {
      observed->notes.push_back(std::move(note));
    }
    note_short_nodes(system, device.capabilities().operation_cost, *observed);
    observed->method = plan.method;
    observed->variant = plan.variant;
    return observed;
  } catch (const OverflowError& overflow) {
    return Error{overflow.what()};
  }
}

}  // namespace tactus::runtime
