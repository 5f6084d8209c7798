#include "tactus/methods/rtgpu/family.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/rtgpu/allocation.hpp"
#include "tactus/methods/rtgpu/fixed_point.hpp"
#include "tactus/methods/views.hpp"

namespace tactus::rtgpu {

std::string not_enough_sms(const TaskSet& set) {
  if (set.least_sms() <= set.sms) return {};
  return fmt::format("not enough SMs: the tasks need at least {}, the gpu has {}", set.least_sms(),
                     set.sms);
}

namespace {

bool all_meet(const std::vector<TaskReport>& reports) {
  return std::all_of(reports.begin(), reports.end(),
                     [](const TaskReport& report) { return report.bound.has_value(); });
}

std::int64_t spare_sms(const TaskSet& set, const Counts& counts) {
  return set.sms - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::shared_ptr<const AllocationPlan> make_plan(const TaskSet& set, const Counts& counts,
                                                PlanKind kind, std::vector<TaskReport>& reports) {
  auto plan = std::make_shared<AllocationPlan>();
  plan->interleaved = kind == PlanKind::kInterleaved;
  plan->spare_sms = spare_sms(set, counts);
  plan->entries.reserve(set.real_time);
  for (std::size_t k = 0; k < set.real_time; ++k) {
    const ChainTask& task = set.tasks[k];
    TaskReport& report = reports[k];
    plan->entries.push_back({task.index, task.priority, counts[k], task.virtual_sms(counts[k]),
                             report.bound, task.deadline, report.per_copy, report.whole_job,
                             std::move(report.segments), task.order, task.kernel_units(counts[k])});
  }
  return plan;
}

/// More SMs for one task can make a less urgent one miss (its competitors come back sooner), so the
/// spare ones are not free.
void warn_of_spare_sms(const TaskSet& set, const Counts& counts, Verdict& verdict) {
  const std::int64_t spare = spare_sms(set, counts);
  const auto has_sms = [](std::int64_t count) { return count > 0; };
  if (spare == 0 || counts.size() < 2 || std::none_of(counts.begin(), counts.end() - 1, has_sms)) {
    return;
  }
  verdict.warnings.push_back(
      fmt::format("{} SMs are spare; handing them out can break a less urgent task's bound, so "
                  "analyse again with --allocation first",
                  spare));
}

void warn_of_conditions(const TaskSet& set, Verdict& verdict,
                        const std::vector<TaskReport>& reports) {
  const auto missed = std::find_if(reports.begin(), reports.end(),
                                   [](const TaskReport& report) { return !report.bound; });
  if (missed == reports.end()) return;
  const auto rank = static_cast<std::size_t>(missed - reports.begin());
  if (rank + 1 == reports.size()) return;
  verdict.warnings.push_back(
      fmt::format("bounds of tasks less urgent than {} hold only if it meets its deadline, which "
                  "is not proved",
                  quote(set.tasks[rank].name)));
}

/// A search that fails shows what the failing task asks for, and nothing of the others: their
/// bounds rely on every more urgent task meeting its deadline.
Verdict to_verdict(const TaskSet& set, SearchResult& result) {
  Verdict verdict;
  std::vector<TaskReport>& reports = result.reports;
  const bool schedulable = !reports.empty() && all_meet(reports);
  verdict.status = schedulable ? Status::kSchedulable : Status::kUnschedulable;
  verdict.tasks.resize(set.real_time);
  for (std::size_t k = 0; k < set.real_time; ++k) {
    TaskVerdict& task = verdict.tasks[k];
    task.task = set.tasks[k].index;
    task.deadline = set.tasks[k].deadline;
    if (result.failing == k) task.terms = std::move(result.demand);
    if (reports.empty()) continue;
    task.bound = reports[k].bound;
    task.schedulable = reports[k].bound.has_value();
    task.terms = std::move(reports[k].terms);
  }
  verdict.sort_tasks();
  return verdict;
}

Verdict analyze_allocation(const Analysis& analysis, const TaskSet& set, const Options& options,
                           std::string_view text) {
  const Result<Counts> counts = parse_allocation(set, text);
  if (!counts) throw BadOption(counts.error().message);
  SearchResult result;
  result.reports = analysis.given(set, *counts, options);
  Verdict verdict = to_verdict(set, result);
  warn_of_conditions(set, verdict, result.reports);
  verdict.hold_only_together = true;
  // Also where a task misses: GR, MR and CR are worth seeing then.
  if (options.plan) verdict.plan = make_plan(set, *counts, analysis.plan, result.reports);
  return verdict;
}

Verdict analyze_searching(const Analysis& analysis, const TaskSet& set, const Options& options) {
  SearchResult result = analysis.search(set, options);
  Verdict verdict = to_verdict(set, result);
  verdict.reason = std::move(result.reason);
  if (verdict.status == Status::kSchedulable) {
    if (!result.warning.empty()) verdict.warnings.push_back(std::move(result.warning));
    warn_of_spare_sms(set, result.counts, verdict);
    if (options.plan) verdict.plan = make_plan(set, result.counts, analysis.plan, result.reports);
  }
  return verdict;
}

}  // namespace

Verdict run(const Analysis& analysis, const System& system, const Options& options) {
  using Made = Result<TaskSet, Refusal>;
  const auto made = view_of<Made>(system, options, [&] { return make_task_set(system); });
  if (const auto* refusal = std::get_if<Refusal>(made.get())) {
    return Verdict::not_applicable(*refusal);
  }
  const auto& set = std::get<TaskSet>(*made);
  if (analysis.refuse != nullptr) {
    if (auto refusal = analysis.refuse(system, set)) return Verdict::not_applicable(*refusal);
  }
  Verdict verdict;
  try {
    const std::string_view given = options.get("allocation");
    verdict = given.empty() ? analyze_searching(analysis, set, options)
                            : analyze_allocation(analysis, set, options, given);
  } catch (const LimitReached& limit) {  // here already, for the warning below
    verdict = Verdict::undecided(limit.what());
  }
  verdict.notes = set.notes;
  if (analysis.plan == PlanKind::kPlain && options.variant == kPaper) {
    verdict.warnings.emplace_back(kPaperWarning);
  }
  return verdict;
}

}  // namespace tactus::rtgpu
