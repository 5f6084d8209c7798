#include "tactus/methods/dag/dag_methods.hpp"
#include "tactus/methods/described.hpp"

#include <fmt/core.h>

#include <array>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/dag/balanced.hpp"
#include "tactus/methods/dag/baselines.hpp"
#include "tactus/methods/dag/check_plan.hpp"
#include "tactus/methods/dag/dag_plan.hpp"
#include "tactus/methods/dag/read_plan.hpp"
#include "tactus/methods/releases.hpp"
#include "tactus/methods/views.hpp"

namespace tactus::dag {
namespace {

constexpr std::array<std::string_view, 2> kVariants = {kSafe, kPaper};

constexpr std::size_t kMostSteps = 50;

/// One term per step; if there are too many to read, the last is the sum of the rest.
std::vector<Term> step_terms(const Schedule& schedule) {
  static const std::vector<std::string> kLabels = [] {
    std::vector<std::string> labels;
    for (std::size_t j = 1; j <= kMostSteps; ++j) labels.push_back(fmt::format("step {}", j));
    return labels;
  }();
  std::vector<Term> terms;
  const auto& steps = schedule.steps;
  const std::size_t shown = steps.size() <= kMostSteps ? steps.size() : kMostSteps - 1;
  for (std::size_t j = 0; j < shown; ++j) {
    terms.push_back({.label = kLabels[j], .amount = steps[j].r, .how = "its longest kernel"});
  }
  Time others;
  for (std::size_t j = shown; j < steps.size(); ++j) others += steps[j].r;
  if (shown < steps.size())
    terms.push_back({.label = "all later steps", .amount = others, .how = "summed"});
  return terms;
}

/// From kernels to nodes of the task, with its copies: each is a step.
Schedule with_copies(const KernelGraph& kernels, const Schedule& inner, std::vector<Term>& terms) {
  Schedule all;
  const auto add = [&](const std::vector<CopyNode>& copies) {
    Time sum;
    for (const CopyNode& copy : copies) {
      const auto place = static_cast<std::uint32_t>(all.kernels.size());
      all.kernels.push_back({copy.node, 1, copy.wcet, 0, copy.wcet});
      all.steps.push_back({copy.wcet, place, place + 1, place + 1, kernels.sms});
      sum += copy.wcet;
    }
    all.bound += sum;
    return Term{.label = "copies", .amount = sum, .how = "one after another"};
  };
  const Term before = add(kernels.before);
  const auto shift = static_cast<std::uint32_t>(all.kernels.size());
  for (Kernel kernel : inner.kernels) {
    kernel.node = kernels.node_of(kernel.node);
    all.kernels.push_back(kernel);
  }
  for (Step step : inner.steps) {
    for (std::uint32_t* place : {&step.begin, &step.launched, &step.end}) *place += shift;
    all.steps.push_back(step);
  }
  all.bound += inner.bound;
  const Term after = add(kernels.after);
  if (before.amount > Time()) terms.insert(terms.begin(), before);
  if (after.amount > Time()) terms.push_back(after);
  return all;
}

Verdict to_verdict(const System& system, const KernelGraph& kernels, Schedule schedule,
                   Ordering ordering, std::vector<Term> terms) {
  if (kernels.between) schedule = with_copies(kernels, schedule, terms);
  Verdict verdict;
  TaskVerdict task;
  task.task = kernels.task;
  task.bound = schedule.bound;
  task.deadline = kernels.deadline;
  task.schedulable = !kernels.deadline || schedule.bound <= *kernels.deadline;
  task.terms = std::move(terms);
  verdict.status = task.schedulable ? Status::kSchedulable : Status::kUnschedulable;
  verdict.tasks.push_back(std::move(task));
  verdict.warnings = kernels.remarks;
  if (!kernels.deadline) {
    verdict.warnings.push_back(
        fmt::format("task {} has neither deadline nor period: there was nothing to check",
                    quote(system.tasks[kernels.task].name)));
  }
  auto plan = std::make_shared<DagPlan>();
  plan->schedule = std::move(schedule);
  plan->ordering = ordering;
  plan->task = kernels.task;
  plan->sms = kernels.sms;
  plan->deadline = kernels.deadline;
  verdict.plan = std::move(plan);
  return verdict;
}

/// In steps, kept apart by barriers: what most of the methods make.
Verdict in_steps(const System& system, const KernelGraph& kernels, Schedule schedule,
                 Ordering ordering = Ordering::kBarriers) {
  std::vector<Term> terms = step_terms(schedule);
  return to_verdict(system, kernels, std::move(schedule), ordering, std::move(terms));
}

Verdict balanced(const System& system, const KernelGraph& kernels, const Options& options) {
  const Ancestry ancestry = make_ancestry(kernels, options.stop);
  const bool search = options.get("effort", "normal") == "high";
  if (options.variant == kPaper) {
    Verdict verdict =
        in_steps(system, kernels, schedule_printed(kernels, ancestry), Ordering::kPrinted);
    verdict.warnings.emplace_back(kPrintedWarning);
    if (search) verdict.warnings.emplace_back("effort has no effect on the printed variant");
    return verdict;
  }
  return in_steps(system, kernels,
                  search ? schedule_balanced_best_cap(kernels, ancestry, options.stop)
                         : schedule_balanced(kernels, ancestry, kernels.sms, options.stop));
}

Verdict greedy(const System& system, const KernelGraph& kernels, const Options&) {
  return in_steps(system, kernels, schedule_greedy(kernels));
}

Verdict greedy_unaware(const System& system, const KernelGraph& kernels, const Options&) {
  return in_steps(system, kernels, schedule_greedy_unaware(kernels));
}

Verdict graham_bound(const System& system, const KernelGraph& kernels, const Options&) {
  Graham result = graham(kernels);
  return to_verdict(system, kernels, std::move(result.plan), Ordering::kNone,
                    {{.label = "longest path", .amount = result.path, .how = "nodes * t_min"},
                     {.label = "other work on all SMs",
                      .amount = result.sharing,
                      .how = "(all work - path) / SMs"}});
}

template <Verdict (*kMethod)(const System&, const KernelGraph&, const Options&)>
Verdict analyze_on_time_kernels(const System& system, const Options& options) {
  using Made = Result<KernelGraph, Refusal>;
  const auto made = view_of<Made>(system, options, [&] { return make_kernel_graph(system); });
  if (const auto* refusal = std::get_if<Refusal>(made.get())) {
    return Verdict::not_applicable(*refusal);
  }
  return kMethod(system, std::get<KernelGraph>(*made), options);
}

template <Verdict (*kMethod)(const System&, const KernelGraph&, const Options&)>
constexpr auto analyze_kernels =
    analyze_on_time<analyze_on_time_kernels<kMethod>, Instead::kOneGraph>;

constexpr std::string_view kPaperTitle =
    "Exploiting Dependency and Parallelism: Real-Time Scheduling and Analysis for GPU Tasks, "
    "DAC 2026";
constexpr std::string_view kAssumes =
    "one gpu, used by one task whose nodes have a load there, or are copies around all of these; "
    "launch and dependency latency are inside the loads";
constexpr std::string_view kNeedsPlan =
    "the plan's cuts, widths and extra edges; one block fills an SM; blocks are dispatched without "
    "idling or preemption and none exceeds its bound";
constexpr std::string_view kNeedsBlocks =
    "kernels launched as unit blocks; one block fills an SM; blocks are dispatched without idling "
    "or preemption and none exceeds its bound";

constexpr OptionSpec kBalancedOptions[] = {
    {"effort", "normal|high",
     "high: also try groups of at most 1, 2, 3, 4, 6, 8, 12, 16 nodes and keep the best bound"},
};

/// A method of the family: what all share, and its own.
constexpr Method family_member(std::string_view id, std::string_view title, std::string_view needs,
                               Verdict (*analyze)(const System&, const Options&),
                               decltype(Method::check_plan) check_plan, Part part) {
  Method method = described(id, title, kPaperTitle, kAssumes);
  method.needs = needs;
  method.variants = kVariants;
  method.makes_plan = true;
  method.analyze = analyze;
  method.check_plan = check_plan;
  method.read_plan = read_on_time<read_plan, Instead::kOneGraph>;
  method.behaviour = {.name = "kernel-graph", .recipe = "dag-small"};
  method.look = {.part = part};
  return method;
}

}  // namespace

const Method kBalanced = [] {
  Method method = family_member(
      "dag.balanced",
      "groups of kernels balanced over the SMs, spare SMs filled, barriers between groups",
      kNeedsPlan, analyze_kernels<balanced>, check_on_time<check_step_plan, Instead::kOneGraph>,
      Part::kProposed);
  method.options = kBalancedOptions;
  return method;
}();
const Method kGreedy = family_member(
    "dag.greedy", "every kernel as wide as useful, one after another", kNeedsPlan,
    analyze_kernels<greedy>, check_on_time<check_step_plan, Instead::kOneGraph>, Part::kFirstRival);
const Method kGreedyUnaware =
    family_member("dag.greedy-unaware",
                  "as dag.greedy, but without knowing the number of SMs: blocks run in waves",
                  kNeedsPlan, analyze_kernels<greedy_unaware>,
                  check_on_time<check_step_plan, Instead::kOneGraph>, Part::kThirdRival);
const Method kGraham = [] {
  Method method =
      family_member("dag.graham", "Graham's bound on unit blocks, any work-conserving dispatcher",
                    kNeedsBlocks, analyze_kernels<graham_bound>,
                    check_on_time<check_graham_plan, Instead::kOneGraph>, Part::kSecondRival);
  method.monotone = {.times = true, .deadlines = true};
  return method;
}();

}  // namespace tactus::dag
