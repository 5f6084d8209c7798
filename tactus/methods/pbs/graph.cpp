#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/pbs/pbs_methods.hpp"
#include "tactus/methods/pbs/search/full_graph.hpp"
#include "tactus/methods/pbs/search/gpusched.hpp"
#include "tactus/methods/pbs/search/race.hpp"
#include "tactus/methods/pbs/settings.hpp"

/// The method pbs.graph: settings in, verdict out. The work is done in search.cpp.
namespace tactus::pbs {
namespace {

Budget budget_of(const Settings& settings, const Options& options) {
  Budget budget;
  budget.time_ms = settings.time_limit_ms;
  budget.memory = settings.memory_limit;
  budget.states = settings.state_limit;
  budget.stop = options.stop;
  budget.progress = options.progress;
  return budget;
}

/// The overload of the demand bound as terms, the largest first: which jobs are due by one deadline
/// and what they need at least. They go to the tasks whose deadline it is.
void explain_overload(const TaskSet& set, const SearchResult& result, Verdict& verdict) {
  const DemandBound::Overload& overload = *result.overload;
  std::vector<Term> terms;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (overload.jobs[i] == 0) continue;
    // Rounded up for show only; the comparison was made with the exact weights.
    const Time each = mul_div_up(set.tick, overload.weights[i], std::int64_t{1} << result.shift);
    Term term{"demand", set.kernels[i].index, overload.jobs[i] * each};
    term.jobs = overload.jobs[i];
    term.each = each;
    term.period = set.time(set.kernels[i].period);
    terms.push_back(term);
  }
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.amount > b.amount; });
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Kernel& kernel = set.kernels[i];
    const Ticks since = overload.deadline - kernel.offset - kernel.deadline;
    if (since >= 0 && since % kernel.period == 0) verdict.tasks[i].terms = terms;
  }
}

std::string overload_text(const System& system, const TaskSet& set, const SearchResult& result) {
  const DemandBound::Overload& overload = *result.overload;
  std::vector<std::size_t> kernels(set.size());
  std::iota(kernels.begin(), kernels.end(), std::size_t{0});
  const auto demand = [&](std::size_t i) {
    return mul_div_up(set.tick * overload.jobs[i], overload.weights[i],
                      std::int64_t{1} << result.shift);
  };
  std::stable_sort(kernels.begin(), kernels.end(),
                   [&](std::size_t a, std::size_t b) { return demand(a) > demand(b); });
  Time sum;
  std::string largest;
  constexpr std::size_t kShown = 3;
  for (std::size_t r = 0; r < kernels.size(); ++r) {
    const std::size_t i = kernels[r];
    sum += demand(i);
    if (r >= kShown || overload.jobs[i] == 0) continue;
    largest +=
        fmt::format("{}{} job(s) of {} need {}", largest.empty() ? "" : ", ", overload.jobs[i],
                    quote(set.kernels[i].name), format_time(demand(i), system.time_unit));
  }
  return fmt::format("demand bound: the jobs due by {} need at least {} ({}{})",
                     format_time(set.time(overload.deadline), system.time_unit),
                     format_time(sum, system.time_unit), largest,
                     set.size() > kShown ? ", ..." : "");
}

/// Which tasks have no table already, if the proof needs only a part of them.
std::string core_text(const TaskSet& set, const std::vector<std::size_t>& core) {
  if (core.empty()) return {};
  std::string names;
  for (const std::size_t i : core) {
    if (!names.empty()) names += ", ";
    names += quote(set.kernels[i].name);
  }
  return fmt::format("; {} of the {} tasks alone have no table: {}", core.size(), set.size(),
                     names);
}

std::string reason_of(const System& system, const TaskSet& set, const SearchResult& result) {
  if (result.answer == Answer::kStopped) {
    return fmt::format("{}; {}", to_string(result.stop),
                       result.feasible_with_idling
                           ? "a table exists if idling is allowed (--idle)"
                           : "not even known whether a table with idling exists");
  }
  switch (result.proof) {
    case Proof::kTooLong: {
      const auto kernel = std::find_if(set.kernels.begin(), set.kernels.end(),
                                       [](const Kernel& k) { return k.wcet > k.deadline; });
      return fmt::format("task {}: wcet exceeds deadline", quote(kernel->name));
    }
    case Proof::kDemand:
      return overload_text(system, set, result);
    case Proof::kRelaxed:
      return "infeasible even if idling were allowed" + core_text(set, result.core);
    case Proof::kExhausted:
      return "search exhausted";
    default:
      return {};
  }
}

Status status_of(Answer answer) {
  switch (answer) {
    case Answer::kYes:
      return Status::kSchedulable;
    case Answer::kNo:
      return Status::kUnschedulable;
    case Answer::kStopped:
      break;
  }
  return Status::kUndecided;
}

/// A negative verdict is about the set: every task fails.
void fail_all(const TaskSet& set, Verdict& verdict) {
  for (const Kernel& kernel : set.kernels) {
    TaskVerdict task;
    task.task = kernel.index;
    task.deadline = set.time(kernel.deadline);
    verdict.tasks.push_back(task);
  }
}

void add_graph_figures(const FullGraph& graph, const Settings& settings, Verdict& verdict) {
  verdict.figures.push_back({"vertices", std::to_string(graph.merged(settings.up_to_job))});
  verdict.figures.push_back({"edges", std::to_string(graph.edges())});
  verdict.figures.push_back({"tables", std::to_string(graph.tables())});
  if (settings.no_merge) {
    verdict.figures.push_back({"unmerged", std::to_string(graph.unmerged(settings.up_to_job))});
  }
}

/// `--all`: the verdict comes from the whole graph.
Verdict analyze_all(const System& system, const TaskSet& set, const Settings& settings,
                    Verdict verdict, Budget budget) {
  const Oracle oracle(set);
  const FullGraph graph = explore(set, oracle, std::move(budget));
  add_graph_figures(graph, settings, verdict);
  if (graph.stop != Stop::kNone) {
    verdict.status = Status::kUndecided;
    verdict.reason = fmt::format("{}; the scheduling graph is not complete", to_string(graph.stop));
    fail_all(set, verdict);
  } else if (graph.end) {
    std::vector<Frame> frames = graph.first_table(set, oracle);
    verdict.status = Status::kSchedulable;
    verdict.tasks = bounds_of(set, frames);
    auto table = std::make_shared<ScheduleTable>(set, settings.margin, std::move(frames));
    table->attach_graph(graph.dot(system, set), graph.counts(settings.no_merge));
    verdict.plan = std::move(table);
  } else {
    verdict.status = Status::kUnschedulable;
    verdict.reason = "search exhausted";
    fail_all(set, verdict);
  }
  return verdict;
}

/// `--variant paper`.
Verdict analyze_printed(const TaskSet& set, const Settings& settings, const Options& options,
                        Verdict verdict) {
  if (settings.idle || settings.all) {
    throw BadOption("--idle and --all are not for --variant paper, which is GPUSched as printed");
  }
  const std::string_view order = options.get("order", "fifo");
  const Extraction extraction = order == "lifo"   ? Extraction::kLastIn
                                : order == "time" ? Extraction::kEarliest
                                                  : Extraction::kFirstIn;
  GpuSchedResult result = gpusched(set, Oracle(set), extraction, budget_of(settings, options));
  verdict.figures.push_back({"states", std::to_string(result.counters.states)});
  verdict.status = status_of(result.answer);
  verdict.warnings.emplace_back(kPrintedWarning);
  if (result.answer == Answer::kYes) {
    verdict.tasks = bounds_of(set, result.frames);
    verdict.plan = std::make_shared<ScheduleTable>(set, settings.margin, std::move(result.frames));
    return verdict;
  }
  verdict.reason = result.answer == Answer::kNo ? "GPUSched found no table, which is no proof"
                                                : std::string(to_string(result.stop));
  fail_all(set, verdict);
  return verdict;
}

Verdict analyze_graph(const System& system, const Options& options) {
  const auto read = read_settings(system, options);
  if (!read) throw BadOption(read.error().message);
  const Settings& settings = *read;
  const auto made = make_task_set(system, settings.margin);
  if (!made) return Verdict::not_applicable(made.error());
  const auto& set = std::get<TaskSet>(made);
  if (set.size() > kMaxKernels) {
    return Verdict::not_applicable(
        {fmt::format("there are {} real-time tasks; pbs.graph takes at most {}", set.size(),
                     kMaxKernels),
         system.tasks[set.kernels[kMaxKernels].index].at});
  }
  if (settings.all && settings.idle) {
    throw BadOption("--all draws the work-conserving graph; not with --idle");
  }
  Verdict verdict;
  verdict.warnings = set.warnings;
  verdict.notes = set.notes;
  add_set_figures(system, set, verdict);
  if (options.variant == kPaper) {
    return analyze_printed(set, settings, options, std::move(verdict));
  }
  if (!options.get("order").empty()) throw BadOption("--order is for --variant paper");
  Budget budget = budget_of(settings, options);
  if (settings.all)
    return analyze_all(system, set, settings, std::move(verdict), std::move(budget));

  if (settings.idle) {
    verdict.method = kIdling;
    verdict.warnings.emplace_back(
        "the table may idle while jobs are ready: an extension, not a PBS schedule");
  }
  const std::int64_t start = host::now_ns();
  SearchResult result = race(set, Oracle(set), settings.idle, {}, budget, options.threads);
  const double took_ms = static_cast<double>(host::now_ns() - start) / 1e6;
  verdict.figures.push_back({"states", std::to_string(result.counters.states)});
  verdict.figures.push_back({"relaxed_states", std::to_string(result.counters.relaxed_states)});
  verdict.figures.push_back({"time_ms", fmt::format("{:.3f}", took_ms)});
  verdict.status = status_of(result.answer);
  verdict.reason = reason_of(system, set, result);
  if (result.answer == Answer::kYes) {
    verdict.tasks = bounds_of(set, result.frames);
    verdict.plan = std::make_shared<ScheduleTable>(set, settings.margin, std::move(result.frames));
    return verdict;
  }
  fail_all(set, verdict);
  if (result.proof == Proof::kDemand && result.overload) explain_overload(set, result, verdict);
  return verdict;
}

}  // namespace

const Method kGraph = [] {
  Method method = family_member("pbs.graph", "exact synthesis of a table of batches", "batch-table",
                                Part::kProposed);
  method.variants = kGraphVariants;
  method.needs =
      "a player that submits the batches of the table, one stream per task, equal priorities";
  method.analyze = analyze_on_time<analyze_graph, Instead::kTable>;
  method.options = kGraphOptions;
  return method;
}();

}  // namespace tactus::pbs
