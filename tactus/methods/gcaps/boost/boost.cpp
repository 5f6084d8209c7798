#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "tactus/methods/gcaps/boost/boost_methods.hpp"
#include "tactus/methods/gcaps/boost/boost_plan.hpp"
#include "tactus/methods/gcaps/boost/choose_thresholds.hpp"
#include "tactus/methods/gcaps/family.hpp"

/// The four methods: from a system file to a verdict.
namespace tactus::gcaps::boost {
namespace {

/// Why thresholds are not searched, where a method would.
void refuse_thresholds(const System& system, Obstacles& obstacles) {
  for (const Task& task : system.tasks) {
    for (const Node& node : task.nodes) {
      if (task.best_effort || !node.gpu_threshold) continue;
      obstacles.refuse(task, node,
                       "has a gpu_threshold; with thresholds given nothing is searched: ask the "
                       "method without `.prio`, or say --thresholds");
      return;
    }
  }
}

/// The GPU priorities by task of the file: its own, or levels from n down to 1.
std::vector<std::int64_t> levels_of(const System& system, const View& view, const Choice& choice) {
  const TaskSet& set = *view.set;
  std::vector<std::int64_t> levels(system.tasks.size());
  auto next = static_cast<std::int64_t>(set.real_time);
  if (choice.own_order) {
    for (const std::size_t i : choice.arrangement.by_rank) levels[set.tasks[i].index] = next--;
  }
  for (std::size_t i = 0; i < set.real_time; ++i) {
    const GpuTask& task = set.tasks[i];
    if (!choice.own_order) levels[task.index] = task.gpu_priority;
    if (choice.own_order && !task.uses_gpu()) levels[task.index] = next--;
  }
  return levels;
}

/// By task of the file and segment: the GPU priority of the least urgent task that does not take it
/// off.
std::vector<std::vector<std::int64_t>> thresholds_of(const System& system, const View& view,
                                                     const Arrangement& arrangement,
                                                     const std::vector<std::int64_t>& levels) {
  std::vector<std::vector<std::int64_t>> thresholds(system.tasks.size());
  for (std::size_t s = 0; s < view.sections.size(); ++s) {
    const TaskIndex task = view.task(view.sections[s].task).index;
    const std::size_t highest_spared = arrangement.by_rank[arrangement.limit[s]];
    thresholds[task].push_back(levels[view.task(highest_spared).index]);
  }
  return thresholds;
}

std::string text_of(json::Writer& out) {
  std::string text = out.take();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// When each GPU segment is done, at the latest; null for a task without a bound.
std::string completions_text(const System& system, const View& view, const Bounds& bounds,
                             const Verdict& verdict) {
  json::Writer out(json::Layout::kOneLine);
  out.begin_object();
  std::vector<std::size_t> place(system.tasks.size());
  for (std::size_t i = 0; i < view.set->real_time; ++i) place[view.task(i).index] = i;
  for (const TaskVerdict& task : verdict.tasks) {
    const std::size_t i = place[task.task];
    if (view.eta(i) == 0) continue;
    out.key(system.tasks[task.task].name);
    if (!task.bound) {
      out.null();
      continue;
    }
    out.begin_array();
    for (std::size_t s = view.first[i]; s < view.first[i + 1]; ++s) {
      write_time(out, bounds.completion(s), system.time_unit);
    }
    out.end_array();
  }
  out.end_object();
  return text_of(out);
}

std::vector<TaskBound> bounds_of(const View& view, const Bounds& bounds) {
  std::vector<TaskBound> all(view.set->real_time);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Bounds::Found& found = bounds.found()[i];
    all[i] = {found.response, found.terms, view.task(i).jitter};
    if (!found.reached) {
      all[i].response.outcome = FixedPoint::Outcome::kExceeded;
      all[i].conditional = true;
      all[i].reached = false;
    }
  }
  return all;
}

void add_figures(const System& system, const View& view, const Bounds& bounds,
                 const std::vector<std::vector<std::int64_t>>& thresholds, Verdict& verdict) {
  if (view.gpu_tasks.empty()) return;
  verdict.figures.push_back({"gpu_completion", completions_text(system, view, bounds, verdict)});
  json::Writer out(json::Layout::kOneLine);
  write_thresholds(out, system, thresholds);
  verdict.figures.push_back({"gpu_thresholds", text_of(out)});
}

/// Without an `arbiter_core` the bounds assume a core that no analysed task shares.
void warn_of_the_arbiters_core(const System& system, const View& view, Verdict& verdict) {
  std::int64_t cores = 0;
  std::set<std::int64_t> used;
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kCpu) cores = element.units;
    if (element.kind == ElementKind::kGpu && element.arbiter_core) return;
  }
  for (const Task& task : system.tasks) {
    if (!task.best_effort) used.insert(*task.core);
  }
  if (view.sections.empty() || static_cast<std::int64_t>(used.size()) < cores) return;
  verdict.warnings.push_back(
      fmt::format("tasks with deadlines use {} of the cpu, so the arbiter has no core of its own; "
                  "these bounds assume that it has one: give `arbiter_core` to share one",
                  cores == 1 ? "the only core" : fmt::format("all {} cores", cores)));
}

constexpr std::string_view kThresholds = "thresholds";

/// Who asks for a choice of thresholds gets it, whatever the file says, and is told so.
void note_thresholds_put_aside(const System& system, const Options& options, Verdict& verdict) {
  if (!options.settings.contains(kThresholds)) return;
  for (const Task& task : system.tasks) {
    for (const Node& node : task.nodes) {
      if (task.best_effort || !node.gpu_threshold) continue;
      verdict.notes.push_back(fmt::format(
          "--thresholds {}: the thresholds of the file are put aside", options.get(kThresholds)));
      return;
    }
  }
}

constexpr std::array<OptionSpec, 2> kOptions = {
    {{kThresholds, "search|preemptive|never",
      "which GPU segments are protected: the first choice of a list that passes; only those that "
      "are finished sooner than taken off; all. Given, it counts instead of the file's thresholds"},
     {"windows", "on|off",
      "count the jobs of others in the windows in which they can do harm, or only in the whole "
      "response"}}};

std::span<const Share> shares_of(const Options& options) {
  const std::string_view choice = options.get(kThresholds, "search");
  if (choice == "preemptive") return all_shares().first(1);
  return choice == "never" ? all_shares().last(1) : all_shares();
}

Verdict judge(const Inquiry& inquiry, const View& view, bool search_order) {
  const auto& [system, options, set, mode, variant, releases] = inquiry;
  Bounds bounds(view, mode, options.get("windows", "on") == "on", options.stop, releases);
  const std::span<const Share> shares = shares_of(options);
  const Choice choice =
      search_order ? choose_order(view, bounds, shares) : choose_thresholds(view, bounds, shares);
  // The last one that was tried need not be the choice.
  if (options.terms || !choice.passes) bounds.find(choice.arrangement, options.terms);
  std::vector<TaskBound> found = bounds_of(view, bounds);
  Verdict verdict = to_verdict(inquiry, found);
  for (TaskVerdict& task : verdict.tasks) {
    if (!task.note.empty()) task.note = "not reached: another task fails";
  }
  mark_hold_only_together(verdict);
  warn_of_the_arbiters_core(system, view, verdict);
  note_thresholds_put_aside(system, options, verdict);
  if (!options.terms && !options.plan) return verdict;

  const std::vector<std::int64_t> levels = levels_of(system, view, choice);
  auto thresholds = thresholds_of(system, view, choice.arrangement, levels);
  add_figures(system, view, bounds, thresholds, verdict);
  if (options.plan && verdict.status == Status::kSchedulable) {
    auto plan = std::make_shared<BoostPlan>();
    plan->priorities = plan_of(system, mode, verdict, levels);
    plan->thresholds = std::move(thresholds);
    plan->completions.resize(system.tasks.size());
    for (std::size_t s = 0; s < view.sections.size(); ++s) {
      const TaskIndex task = view.task(view.sections[s].task).index;
      plan->completions[task].push_back(bounds.completion(s));
    }
    verdict.plan = std::move(plan);
  }
  return verdict;
}

template <Mode kMode, bool kSearchOrder>
Verdict analyze(const System& system, const Options& options) {
  const auto family = family_view(system, options);
  if (auto refusal = family->refusal(Overheads::kOperations)) {
    return Verdict::not_applicable(std::move(*refusal));
  }
  Obstacles obstacles;
  View view = make_view(
      system, *family, obstacles,
      options.settings.contains(kThresholds) ? Thresholds::kChosenNow : Thresholds::kOfFile);
  if (kSearchOrder && view.thresholds_given) refuse_thresholds(system, obstacles);
  if (obstacles.any()) return Verdict::not_applicable(std::move(obstacles).refusal());
  if (family->set.followers.empty()) {
    return judge({system, options, family->set, kMode, Variant::kSafe}, view, kSearchOrder);
  }
  Releases releases(family->set);
  view.set = &releases.set();
  return judge({system, options, releases.set(), kMode, Variant::kSafe, &releases}, view,
               kSearchOrder);
}

constexpr std::string_view kOwn = "Tactus: gcaps.boost, docs/use/methods/boost.md";
constexpr std::array<std::string_view, 1> kOnlySafe = {kSafe};
constexpr std::string_view kNeeds =
    "a fully preemptive fixed-priority CPU; an arbiter that starts a GPU segment when its launches "
    "are complete and takes it off only for GPU priorities above its threshold, on a core of its "
    "own or on arbiter_core; no other GPU client";
constexpr std::string_view kAssumes =
    "chains of cpu and gpu/copy nodes; cores, unique priorities, D <= T; runlist_update, or "
    "preempt_cost and resume_cost; thresholds are chosen where the file gives none";
constexpr std::string_view kAssumesPrio =
    "as gcaps.boost.suspend and gcaps.boost.busy, no thresholds in the file; GPU priorities are "
    "chosen where the file's do not pass";

template <const Method& kPlain, Mode kMode>
std::vector<std::string> check(const System& system, const json::Value& plan) {
  return check_boost_plan(system, plan, kPlain, kMode);
}
template <const Method& kPlain, Mode kMode>
Verdict read(const System& system, const json::Value& plan) {
  return read_boost_plan(system, plan, kPlain, kMode);
}

/// @param kPlain the method that proves a plan without a search
template <const Method& kPlain, Mode kMode, bool kSearchOrder>
constexpr Method method(std::string_view id, std::string_view title) {
  Method made = described(id, title, kOwn, kSearchOrder ? kAssumesPrio : kAssumes);
  made.needs = kNeeds;
  made.variants = kOnlySafe;
  made.makes_plan = true;
  made.options = kOptions;
  made.analyze = analyze<kMode, kSearchOrder>;
  made.check_plan = check<kPlain, kMode>;
  made.read_plan = read<kPlain, kMode>;
  made.behaviour = {.name = kMode == Mode::kBusy ? "gpu-gates-busy" : "gpu-gates-suspend",
                    .recipe = "boost-small",
                    .processes = GpuBetween::kGates,
                    .busy_wait = kMode == Mode::kBusy};
  made.look = {.part = kSearchOrder ? Part::kProposed : Part::kSimpler,
               .second = kMode == Mode::kBusy};
  return made;
}

}  // namespace

const Method kSuspend = method<kSuspend, Mode::kSuspend, false>(
    "gcaps.boost.suspend", "GPU held from start to completion only, tasks suspend meanwhile");
const Method kBusy = method<kBusy, Mode::kBusy, false>(
    "gcaps.boost.busy", "GPU held from start to completion only, tasks spin meanwhile");
const Method kSuspendPrio = method<kSuspend, Mode::kSuspend, true>(
    "gcaps.boost.suspend.prio", "gcaps.boost.suspend with GPU priority assignment");
const Method kBusyPrio = method<kBusy, Mode::kBusy, true>(
    "gcaps.boost.busy.prio", "gcaps.boost.busy with GPU priority assignment");

}  // namespace tactus::gcaps::boost
