#include <fmt/core.h>

#include "tactus/methods/described.hpp"
#include "tactus/methods/gang/bound/explain.hpp"
#include "tactus/methods/gang/bound/theorem1.hpp"
#include "tactus/methods/gang/gang_methods.hpp"
#include "tactus/methods/gang/gang_plan.hpp"
#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/options.hpp"
#include "tactus/methods/gang/shares/solver.hpp"
#include "tactus/methods/releases.hpp"
#include "tactus/methods/views.hpp"

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
  Analysis(const System& system, const Options& options, Scheduler scheduler,
           const std::vector<GangTask>& tasks)
      : system_(system),
        options_(options),
        scheduler_(scheduler),
        settings_(settings_of(options)),
        tasks_(tasks),
        widths_(system.tasks.size()) {}

  Verdict run() {
    const bool shares = tasks_.size() > 1 || options_.plan;
    for (const GangTask& task : tasks_) candidates_.push_back(candidate(task, shares));
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      if (!settings_.delta.exact || has_exact_delta(k)) continue;
      verdict_.warnings.push_back(
          fmt::format("task {}: exact Delta needs more than {} sets for a node; the safe Eq. 4 is "
                      "used instead",
                      quote(system_.tasks[tasks_[k].task].name), settings_.delta.budget));
    }
    verdict_.notes = notes_on(system_, tasks_);
    if (tasks_.size() == 1) {
      own_the_platform();
    } else {
      share_the_platform();
    }
    note_widths(verdict_, system_, widths_);
    return std::move(verdict_);
  }

 private:
  Candidate candidate(const GangTask& task, bool shares) const {
    DeltaChoice delta = settings_.delta;
    std::optional<EntryTable> table;
    if (task.moldable()) {
      table = make_entry_table(system_, task, scheduler_, delta, settings_.plan_budget,
                               shares ? Shares::kAll : Shares::kWholePlatform);
      delta.exact = table->exact_delta;
    }
    PreparedDag dag =
        prepare(system_, make_dag(task), delta, shares ? Serves::kAllPools : Serves::kOnePool);
    if (table && dag.fell_back_to_dp) {  // one kind of Delta for all elements
      delta.exact = false;
      table = make_entry_table(system_, task, scheduler_, delta, settings_.plan_budget,
                               shares ? Shares::kAll : Shares::kWholePlatform);
    }
    return {std::move(dag), std::move(table)};
  }

  bool has_exact_delta(std::size_t k) const {
    const Candidate& candidate = candidates_[k];
    return settings_.delta.exact && !candidate.dag.fell_back_to_dp &&
           (!candidate.table || candidate.table->exact_delta);
  }

  /// The entries of moldable gangs on this share.
  Entries entries_on(std::size_t k, std::span<const std::int64_t> units) const {
    const auto& table = candidates_[k].table;
    return table ? table->row(units).entries : Entries();
  }

  /// The DAG with these entries, made in `made` where there are any. Delta is of the same kind as in
  /// the table.
  const PreparedDag& prepared_with(std::size_t k, const Entries& entries, PreparedDag& made) const {
    if (entries.empty()) return candidates_[k].dag;
    DeltaChoice delta = settings_.delta;
    delta.exact = has_exact_delta(k);
    return made = prepare(system_, make_dag(tasks_[k], entries), delta);
  }

  /// The verdict on one DAG with this many units of every element.
  TaskVerdict bound_on(std::size_t k, std::span<const std::int64_t> units) {
    const Entries entries = entries_on(k, units);
    PreparedDag made;
    const PreparedDag& dag = prepared_with(k, entries, made);
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
    if (!entries.empty()) widths_[tasks_[k].task] = widths_of(tasks_[k], entries);
    if (!options_.terms) return verdict;
    std::vector<Fraction> amounts;
    for (const auto& part : bound.parts) amounts.push_back(part.term.amount);
    verdict.terms =
        terms_of(dag, tight ? tight->length : dag.length, tight ? tight->amounts : amounts);
    std::optional<Fraction> exact_path;
    if (settings_.theorem1) {
      exact_path = theorem1(dag, bound, settings_.path_budget, options_.stop);
    }
    verdict.details = details_of(system_, tasks_[k], dag, bound, tight ? &tight->total : nullptr,
                                 settings_.theorem1 ? &exact_path : nullptr);
    return verdict;
  }

  /// A task of which not all combinations of entries were tried; null where there is none.
  const GangTask* searched_in_part() const {
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      const auto& table = candidates_[k].table;
      if (table && !table->complete) return &tasks_[k];
    }
    return nullptr;
  }
  /// Does a task fail alone on the whole platform, with any entries?
  bool one_surely_fails(const AllocationProblem* problem) const {
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      const auto& [dag, table] = candidates_[k];
      if (candidates_[k].least_length() > tasks_[k].deadline) return true;
      if (problem == nullptr || (table && !table->complete)) continue;
      const Demand& demand = problem->demands[k];
      if (demand.least_amount() > demand.slack) return true;
    }
    return false;
  }
  /// "Unschedulable" becomes "undecided" if it is not proved, because other entries might work.
  void reconsider(const AllocationProblem* problem) {
    const GangTask* in_part = searched_in_part();
    if (in_part == nullptr || one_surely_fails(problem)) return;
    verdict_.status = Status::kUndecided;
    if (verdict_.reason.empty()) {
      verdict_.reason = "no entries were found that meet the deadline";
    }
    verdict_.reason +=
        fmt::format("; but not all combinations of the `times` of task {} were tried",
                    quote(system_.tasks[in_part->task].name));
  }

  void own_the_platform() {
    verdict_.tasks.push_back(bound_on(0, whole_platform(system_)));
    const bool schedulable = verdict_.tasks.front().schedulable;
    verdict_.status = schedulable ? Status::kSchedulable : Status::kUnschedulable;
    if (options_.plan) {
      // The plan is the fewest units; shares always use Theorem 2, which `tight` may have improved
      // on.
      AllocationProblem problem = make_problem(system_, candidates_, scheduler_, options_.stop);
      if (drop_useless_choices(problem)) {
        set_plan(solve(settings_.solver, problem, settings_.plan_budget, options_.stop));
      } else {
        verdict_.reason =
            what_binds(system_, candidates_, problem, settings_.plan_budget, options_.stop);
        if (schedulable) verdict_.reason = "no plan by Theorem 2: " + verdict_.reason;
      }
    }
    if (!schedulable) reconsider(nullptr);
  }

  void share_the_platform() {
    AllocationProblem problem = make_problem(system_, candidates_, scheduler_, options_.stop);
    Solution solution{Outcome::kInfeasible};
    if (drop_useless_choices(problem)) {
      solution = solve(settings_.solver, problem, settings_.plan_budget, options_.stop);
    }
    if (solution.outcome == Outcome::kFound) {
      verdict_.status = Status::kSchedulable;
      for (std::size_t k = 0; k < tasks_.size(); ++k) {
        verdict_.tasks.push_back(bound_on(k, solution.allocation[k]));
      }
      set_plan(solution);
      return;
    }
    for (const GangTask& task : tasks_) {
      verdict_.tasks.push_back({task.task, std::nullopt, task.deadline, false, {}});
    }
    if (solution.outcome == Outcome::kBudget) {
      verdict_.status = Status::kUndecided;
      verdict_.reason = fmt::format(
          "no allocation was found within the budget of {} steps, nor proved impossible",
          settings_.plan_budget);
      return;
    }
    verdict_.status = Status::kUnschedulable;
    verdict_.reason =
        what_binds(system_, candidates_, problem, settings_.plan_budget, options_.stop);
    reconsider(&problem);
  }

  void set_plan(const Solution& solution) {
    if (solution.outcome != Outcome::kFound) return;
    auto plan = std::make_shared<SharePlan>();
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      const auto& units = solution.allocation[k];
      const Entries entries = entries_on(k, units);
      PreparedDag made;
      const Fraction total =
          theorem2(system_, prepared_with(k, entries, made), scheduler_, units).total;
      plan->shares.push_back({tasks_[k].task, units, round_up(total), has_exact_delta(k), {}});
      if (!entries.empty()) plan->shares.back().widths = widths_of(tasks_[k], entries);
    }
    verdict_.plan = std::move(plan);
  }

  const System& system_;
  const Options& options_;
  Scheduler scheduler_;
  Settings settings_;
  const std::vector<GangTask>& tasks_;
  std::vector<Candidate> candidates_;  ///< as `tasks_`
  Widths widths_;                      ///< that the bounds count on
  Verdict verdict_;
};

constexpr std::string_view kAssumes =
    "graphs of gangs, rigid (wcet on parallelism units) or measured (times); D <= T; one cpu "
    "element "
    "for launch times";

constexpr OptionSpec kOptions[] = {
    {"delta", "dp|exact", "idle processors by Eq. 4 (polynomial, safe) or by Eq. 3 (exact)"},
    {"delta-budget", "N", "exact Delta: most intermediate sets per node (200000)"},
    {"tight", "", "bound length and interference by one path: never above Theorem 2"},
    {"theorem1", "", "report the bound of Theorem 1 too (exponential)"},
    {"path-budget", "N", "Theorem 1: most paths (20000)"},
    {"solver", "auto|pareto|cbc", "how shares of several graphs are found; all are exact"},
    {"plan-budget", "N", "most steps of the search for shares (20000000)"},
};

template <Scheduler kScheduler>
Verdict analyze_with(const System& system, const Options& options) {
  const auto tasks = view_of<TasksOrRefusal>(system, options, [&] { return make_tasks(system); });
  if (const auto* refusal = std::get_if<Refusal>(tasks.get())) {
    return Verdict::not_applicable(*refusal);
  }
  return Analysis(system, options, kScheduler, std::get<std::vector<GangTask>>(*tasks)).run();
}

template <Scheduler kScheduler>
constexpr Method federated(std::string_view id, std::string_view title, std::string_view needs,
                           std::string_view behaviour, Part part) {
  Method method = described(id, title, kPaperTitle, kAssumes);
  method.needs = needs;
  method.variants = kVariants;
  method.makes_plan = true;
  method.analyze = analyze_on_time<analyze_with<kScheduler>, Instead::kSporadic>;
  method.options = kOptions;
  constexpr auto kCheck = kScheduler == Scheduler::kWorkConserving ? check_wc_plan : check_swc_plan;
  method.check_plan = check_on_time<kCheck, Instead::kSporadic>;
  method.read_plan = read_on_time<read_share_plan, Instead::kSporadic>;
  method.behaviour = {.name = behaviour, .recipe = "gang-small", .may_preempt = true};
  method.look = {.part = part};
  return method;
}

}  // namespace

const Method kWc = federated<Scheduler::kWorkConserving>(
    "gang.wc", "gang graphs under any work-conserving scheduler, federated shares",
    "a ready gang that fits starts; every graph has its share of the units to itself",
    "gangs-any-order", Part::kSimpler);
const Method kSwc = federated<Scheduler::kSemiWorkConserving>(
    "gang.swc", "gang graphs under any semi-work-conserving scheduler (NVIDIA), federated shares",
    "blocks placed in order, none held back while the first fits (NVIDIA, one context); "
    "every graph has its share of the units to itself",
    "gangs-in-order", Part::kProposed);

}  // namespace tactus::gang
