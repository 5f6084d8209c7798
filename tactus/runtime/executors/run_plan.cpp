#include "tactus/runtime/executors/run_plan.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/end_to_end.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/methods/releases.hpp"
#include "tactus/model/paths.hpp"
#include "tactus/runtime/executors/loop.hpp"
#include "tactus/runtime/executors/registry.hpp"

namespace tactus::runtime {
namespace {

Result<const ExecutorEntry*> entry_of(const PlanToRun& source) {
  const Method* method = find_method(source.method);
  if (method == nullptr) return Error{fmt::format("there is no method {}", quote(source.method))};
  if (source.plan == nullptr) return Error{fmt::format("there is no plan of {}", source.method)};
  return find_executor(*method);
}

/// The bounds of this run count from arrivals, those of the executor from the latest releases.
void add_jitter(const System& system, const OnTime& on_time, trace::Observed& observed) {
  for (trace::ObservedTask& task : observed.tasks) {
    const Time released = on_time.system().tasks[task.task].offset;
    if (task.bound) *task.bound += released - nominal_offset(system, task.task);
  }
}

/// What the bounds of this run say about its chains.
void bound_chains(const System& system, trace::Observed& observed) {
  Verdict verdict;
  verdict.status = Status::kSchedulable;
  for (const trace::ObservedTask& seen : observed.tasks) {
    if (system.tasks[seen.task].best_effort) continue;
    TaskVerdict& task = verdict.tasks.emplace_back();
    task.task = seen.task;
    task.bound = seen.bound;
    task.deadline = seen.deadline;
    task.schedulable = seen.bound && (!seen.deadline || *seen.bound <= *seen.deadline);
    if (!task.schedulable) verdict.status = Status::kUnschedulable;
  }
  add_end_to_end(system, verdict);
  hold_chains_to(verdict, observed);
}

/// Why a task of this plan cannot be released when its input is there.
std::optional<Error> refuse_arrivals(const System& system, const ExecutorEntry& entry,
                                     const Arrivals& arrivals) {
  for (const Task& task : system.tasks) {
    if (!arrivals.expects(task.name)) continue;
    const std::string_view why = entry.plays_table ? "this plan is a table of times"
                                 : task.after      ? "the end of another task releases it"
                                                   : "";
    if (!why.empty()) {
      return Error{fmt::format("task {} cannot be released on arrival: {}", quote(task.name), why)};
    }
  }
  return std::nullopt;
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
  try {
    const auto entry = entry_of(plan);
    if (!entry) return entry.error();
    if (options.arrivals != nullptr) {
      if (auto problem = refuse_arrivals(system, **entry, *options.arrivals)) return *problem;
    }
    // Executors, and the plans that they follow, know of no late releases: for them a job arrives when
    // it is released at the latest.
    const std::optional<OnTime> on_time = where_late(system, Instead::kTable);
    if (on_time && on_time->hopeless()) return Error{on_time->hopeless()->reason};
    const MadeExecutor executor =
        (*entry)->make(on_time ? on_time->system() : system, *plan.plan, options);
    if (!executor) return executor.error();
    Loop loop(system, **executor, device, options);
    if (auto problem = (*executor)->prepare(device, loop.observed())) return *problem;
    if (on_time) add_jitter(system, *on_time, loop.observed());
    auto observed = loop.run();
    if (!observed) return observed;
    bound_chains(system, *observed);
    note_short_nodes(system, device.capabilities().operation_cost, *observed);
    observed->method = plan.method;
    observed->variant = plan.variant;
    return observed;
  } catch (const OverflowError& overflow) {
    return Error{overflow.what()};
  }
}

}  // namespace tactus::runtime
