#include "tactus/runtime/run.hpp"

#include <fmt/core.h>

#include "tactus/model/diagnostic.hpp"
#include "tactus/runtime/loop.hpp"
#include "tactus/runtime/registry.hpp"

namespace tactus::runtime {
namespace {

MadeExecutor make_executor(const System& system, const PlanToRun& source,
                           const RunOptions& options) {
  const Method* method = find_method(source.method);
  if (method == nullptr) return Error{fmt::format("there is no method {}", quote(source.method))};
  if (source.plan == nullptr) return Error{fmt::format("there is no plan of {}", source.method)};
  const auto entry = find_executor(*method);
  if (!entry) return entry.error();
  return (*entry)->make(system, *source.plan, options);
}

/// Nodes that are shorter than what it takes to run them as an operation of their own.
void note_short_nodes(const System& system, RunReport& report) {
  const Time cost = report.machine.operation_cost;
  for (const Piece& piece : report.pieces) {
    const auto& wcet = system.tasks[piece.task].nodes[piece.node].wcet;
    if (!wcet || *wcet >= 2 * cost) continue;
    report.notes.push_back(fmt::format(
        "{} of task {} takes {} ns, which is little beside the {} ns of any operation here",
        quote(piece.label), quote(system.tasks[piece.task].name), wcet->ns(), cost.ns()));
  }
}

}  // namespace

Result<RunReport> run_plan(const System& system, const PlanToRun& plan, Device& device,
                           const RunOptions& options) {
  const MadeExecutor executor = make_executor(system, plan, options);
  if (!executor) return executor.error();
  try {
    auto report = Loop(system, **executor, device, options).run();
    if (report) note_short_nodes(system, *report);
    return report;
  } catch (const OverflowError& overflow) {
    return Error{overflow.what()};
  }
}

}  // namespace tactus::runtime
