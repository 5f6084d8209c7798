#include <fmt/core.h>

#include "tactus/methods/gang/bound/explain.hpp"
#include "tactus/methods/gang/bound/theorem1.hpp"
#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/methods.hpp"
#include "tactus/methods/gang/options.hpp"
#include "tactus/methods/gang/plan.hpp"
#include "tactus/methods/gang/shares/solver.hpp"

/// What gang.wc and gang.swc do with a file: one DAG owns the platform,
/// several get exclusive shares of it.
namespace tactus::gang {
namespace {

struct Settings {
  DeltaChoice delta;
  bool tight = false, theorem1 = false;
  std::size_t path_budget = 20'000;
  std::string solver = "auto";
  std::size_t plan_budget = 20'000'000;
};

Settings settings_of(const Options& options) {
  Settings settings;
  settings.delta.exact = options.get("delta") == "exact";
  settings.delta.budget = count_option(options, "delta-budget", settings.delta.budget);
  settings.delta.stop = options.stop;
  settings.tight = flag_option(options, "tight");
  settings.theorem1 = flag_option(options, "theorem1");
  settings.path_budget = count_option(options, "path-budget", settings.path_budget);
  settings.solver = options.get("solver", "auto");
  settings.plan_budget = count_option(options, "plan-budget", settings.plan_budget);
  return settings;
}

class Analysis {
 public:
  Analysis(const System& system, const Options& options, Scheduler scheduler)
      : system_(system),
        options_(options),
        scheduler_(scheduler),
        settings_(settings_of(options)) {}

  Verdict run(std::vector<GangDag> dags) {
    const bool shares = dags.size() > 1 || options_.plan;
    for (GangDag& dag : dags) {
      dags_.push_back(prepare(system_, std::move(dag), settings_.delta,
                              shares ? Serves::kAllPools : Serves::kOnePool));
    }
    for (const PreparedDag& dag : dags_) {
      if (!dag.fell_back_to_dp) continue;
      verdict_.warnings.push_back(
          fmt::format("task {}: exact Delta needs more than {} sets for a node; the safe Eq. 4 is "
                      "used instead",
                      quote(system_.tasks[dag.dag.task].name), settings_.delta.budget));
    }
    if (dags_.size() == 1) {
      own_the_platform();
    } else {
      share_the_platform();
    }
    return std::move(verdict_);
  }

 private:
  /// The verdict on one DAG with so many units of every element.
  TaskVerdict bound_on(const PreparedDag& dag, std::span<const std::int64_t> units) const {
    const DagBound bound = theorem2(system_, dag, scheduler_, units);
    std::optional<TightBound> tight;
    if (settings_.tight) {
      tight = tighten(dag, bound);
      if (scheduler_ == Scheduler::kWorkConserving) {
        // A work-conserving schedule is semi-work-conserving too, and its tangents may lie lower.
        TightBound swc =
            tighten(dag, theorem2(system_, dag, Scheduler::kSemiWorkConserving, units));
        if (swc.total < tight->total) tight = std::move(swc);
      }
    }
    const Fraction& total = tight ? tight->total : bound.total;
    TaskVerdict verdict;
    verdict.task = dag.dag.task;
    verdict.deadline = dag.dag.deadline;
    verdict.bound = round_up(total);
    verdict.schedulable = total <= to_fraction(dag.dag.deadline);
    std::vector<Fraction> amounts;
    for (const auto& part : bound.parts) amounts.push_back(part.term.amount);
    verdict.terms =
        terms_of(dag, tight ? tight->length : dag.length, tight ? tight->amounts : amounts);
    std::optional<Fraction> exact_path;
    if (settings_.theorem1) {
      exact_path = theorem1(dag, bound, settings_.path_budget, options_.stop);
    }
    verdict.details = details_of(system_, dag, bound, tight ? &tight->total : nullptr,
                                 settings_.theorem1 ? &exact_path : nullptr);
    return verdict;
  }

  void own_the_platform() {
    const PreparedDag& dag = dags_.front();
    verdict_.tasks.push_back(bound_on(dag, whole_platform(system_)));
    const bool schedulable = verdict_.tasks.front().schedulable;
    verdict_.status = schedulable ? Status::kSchedulable : Status::kUnschedulable;
    if (!options_.plan) return;
    // The plan is the fewest units; shares always use Theorem 2, which `tight` may have improved
    // on.
    AllocationProblem problem = make_problem(system_, dags_, scheduler_, options_.stop);
    if (!drop_useless_choices(problem)) {
      verdict_.reason = what_binds(system_, dags_, problem, settings_.plan_budget, options_.stop);
      if (schedulable) verdict_.reason = "no plan by Theorem 2: " + verdict_.reason;
      return;
    }
    set_plan(solve(settings_.solver, problem, settings_.plan_budget, options_.stop));
  }

  void share_the_platform() {
    AllocationProblem problem = make_problem(system_, dags_, scheduler_, options_.stop);
    Solution solution{Outcome::kInfeasible};
    if (drop_useless_choices(problem)) {
      solution = solve(settings_.solver, problem, settings_.plan_budget, options_.stop);
    }
    if (solution.outcome == Outcome::kFound) {
      verdict_.status = Status::kSchedulable;
      for (std::size_t k = 0; k < dags_.size(); ++k) {
        verdict_.tasks.push_back(bound_on(dags_[k], solution.allocation[k]));
      }
      set_plan(solution);
      return;
    }
    for (const PreparedDag& dag : dags_) {
      verdict_.tasks.push_back({dag.dag.task, std::nullopt, dag.dag.deadline, false, {}});
    }
    if (solution.outcome == Outcome::kBudget) {
      verdict_.status = Status::kUndecided;
      verdict_.reason = fmt::format(
          "no allocation was found within the budget of {} steps, nor proved impossible",
          settings_.plan_budget);
      return;
    }
    verdict_.status = Status::kUnschedulable;
    verdict_.reason = what_binds(system_, dags_, problem, settings_.plan_budget, options_.stop);
  }

  void set_plan(const Solution& solution) {
    if (solution.outcome != Outcome::kFound) return;
    auto plan = std::make_shared<SharePlan>();
    for (std::size_t k = 0; k < dags_.size(); ++k) {
      const Fraction total = theorem2(system_, dags_[k], scheduler_, solution.allocation[k]).total;
      plan->shares.push_back({dags_[k].dag.task, solution.allocation[k], round_up(total),
                              settings_.delta.exact && !dags_[k].fell_back_to_dp});
    }
    verdict_.plan = std::move(plan);
  }

  const System& system_;
  const Options& options_;
  Scheduler scheduler_;
  Settings settings_;
  std::vector<PreparedDag> dags_;
  Verdict verdict_;
};

constexpr std::string_view kAssumes =
    "graphs of rigid gangs with wcet, each node on one element; D <= T; no launch times";

constexpr OptionSpec kOptions[] = {
    {"delta", "dp|exact", "idle processors by Eq. 4 (polynomial, safe) or by Eq. 3 (exact)"},
    {"delta-budget", "N", "exact Delta: most intermediate sets a node (200000)"},
    {"tight", "", "bound length and interference by one path: never above Theorem 2"},
    {"theorem1", "", "report the bound of Theorem 1 too (exponential)"},
    {"path-budget", "N", "Theorem 1: most paths (20000)"},
    {"solver", "auto|pareto|cbc", "how shares of several graphs are found; all are exact"},
    {"plan-budget", "N", "most steps of the search for shares (20000000)"},
};

template <Scheduler kScheduler>
Verdict analyze_with(const System& system, const Options& options) {
  auto dags = make_dags(system);
  if (auto* refusal = std::get_if<Refusal>(&dags)) {
    return Verdict::not_applicable(std::move(*refusal));
  }
  return Analysis(system, options, kScheduler).run(std::get<std::vector<GangDag>>(std::move(dags)));
}

}  // namespace

const Method kWc = {
    .id = "gang.wc",
    .title = "gang graphs under any work-conserving scheduler, federated shares",
    .paper = kPaperTitle,
    .assumes = kAssumes,
    .needs = "a ready gang that fits starts; every graph has its share of the units to itself",
    .variants = kVariants,
    .makes_plan = true,
    .analyze = analyze_with<Scheduler::kWorkConserving>,
    .options = kOptions,
    .check_plan = check_wc_plan,
    .read_plan = read_share_plan,
    .behaviour = {.name = "gangs-any-order", .recipe = "gang-small", .may_preempt = true},
    .look = {.part = Part::kSimpler},
};
const Method kSwc = {
    .id = "gang.swc",
    .title = "gang graphs under any semi-work-conserving scheduler (NVIDIA), federated shares",
    .paper = kPaperTitle,
    .assumes = kAssumes,
    .needs =
        "blocks placed in order, none held back while the first fits (NVIDIA, one context); "
        "every graph has its share of the units to itself",
    .variants = kVariants,
    .makes_plan = true,
    .analyze = analyze_with<Scheduler::kSemiWorkConserving>,
    .options = kOptions,
    .check_plan = check_swc_plan,
    .read_plan = read_share_plan,
    .behaviour = {.name = "gangs-in-order", .recipe = "gang-small", .may_preempt = true},
    .look = {.part = Part::kProposed},
};

}  // namespace tactus::gang
