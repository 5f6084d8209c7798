#include <algorithm>
#include <optional>
#include <tuple>

#include "tactus/methods/gcaps/fast/quick_test.hpp"
#include "tactus/methods/gcaps/gcaps.hpp"
#include "tactus/methods/gcaps/gcaps_bounds.hpp"
#include "tactus/methods/gcaps/gcaps_methods.hpp"
#include "tactus/methods/gcaps/gcaps_plan.hpp"
#include "tactus/methods/gcaps/gpu_priority_releases.hpp"
#include "tactus/methods/gcaps/unassigned.hpp"

/// GPU priority assignment by Audsley's algorithm (Section 5.3 of the paper).
namespace tactus::gcaps {
namespace {

using Levels = std::vector<std::int64_t>;

struct SearchMemory {
  Levels levels;
  std::vector<FixedPoint> responses;  ///< by task, with these levels
  std::vector<Time> deadlines;        ///< by task
  std::vector<Time> least;  ///< by task: no window is shorter, whatever the levels; 0: unknown
  std::vector<char> fails;  ///< by task
  std::vector<std::size_t> left;  ///< by core
  QuickTest::Memory quick;
};

/// Audsley's search. Every test has deadlines in the place of responses, so that what a task demands
/// of others does not depend on the levels.
class Search {
 public:
  Search(const Inquiry& inquiry, GcapsTest& test, SearchMemory& memory)
      : inquiry_(inquiry),
        set_(inquiry.set),
        test_(test),
        memory_(memory),
        quick_(set_, test, memory.quick),
        unassigned_(set_, memory.left) {
    memory.levels.assign(set_.real_time, kUnassigned);
    memory.responses.resize(set_.real_time);  // each is written when its level is
    memory.least.assign(set_.real_time, Time());
    memory.fails.assign(set_.real_time, 0);
    memory.deadlines.clear();
    for (std::size_t h = 0; h < set_.real_time; ++h) {
      memory.deadlines.push_back(set_.tasks[h].deadline);
      quick_.set_response(h, set_.tasks[h].deadline);
    }
  }

  /// Is there an assignment by which all pass? Levels 1..n from the bottom; at each the unassigned
  /// tasks from lowest to highest CPU priority, every other unassigned task above the candidate.
  ///
  /// Of each core only the lowest may take the next level, because same-core GPU order must follow the
  /// CPU order, else a busy-waiting task can spin for ever on a GPU whose owner it keeps off the core.
  /// That loses nothing, because moving the lowest task of a core down only helps the others.
  /// @param failed a task that fails with the priorities of the file
  bool operator()(std::size_t failed) {
    response_of(failed);  // nobody has a level, so that nobody is above it
    if (hopeless_) return false;
    for (std::int64_t level = 1; level <= static_cast<std::int64_t>(set_.real_time); ++level) {
      const auto taken = choose(level);
      if (!taken) return false;
      if (inquiry_.variant == Variant::kPaper && leaves_cpu_order(*taken, level)) return false;
      if (hopeless_) return false;
      memory_.levels[*taken] = level;
      unassigned_.take(*taken);
      if (!set_.tasks[*taken].uses_gpu()) continue;
      // Who failed fails again until a user of the GPU on another core is no longer above it.
      for (std::size_t i = 0; i < set_.real_time; ++i) {
        if (!set_.same_core(i, *taken)) memory_.fails[i] = 0;
      }
    }
    return true;
  }

  /// A task whose test reached the limit of steps: then "none found" proves nothing.
  std::optional<std::size_t> undecided() const { return hopeless_ ? std::nullopt : undecided_; }

 private:
  /// The first that passes at this level.
  std::optional<std::size_t> choose(std::int64_t level) {
    std::optional<std::size_t> next;
    while ((next = unassigned_.candidate_above(next))) {
      if (passes_at(*next, level)) return next;
      if (hopeless_) return std::nullopt;
    }
    return next;
  }

  /// The paper lets every unassigned task take the level, and checks the order of a core only at the
  /// end. So where one that is not the lowest of its core passes before the candidate is asked, the
  /// paper finds no assignment.
  bool leaves_cpu_order(std::size_t candidate, std::int64_t level) {
    for (std::size_t i = set_.real_time; i-- > candidate + 1;) {
      const auto lowest = unassigned_.lowest(set_.tasks[i].core);
      if (lowest && i < *lowest && passes_at(i, level)) return true;
    }
    return false;
  }

  bool passes_at(std::size_t i, std::int64_t level) {
    if (memory_.fails[i] != 0) return false;
    Stopped::check(inquiry_.options.stop);
    memory_.levels[i] = level;
    const bool pass = passes(i);
    memory_.levels[i] = kUnassigned;
    return pass;
  }

  bool passes(std::size_t i) {
    const FixedPoint response = response_of(i);
    memory_.responses[i] = response;
    if (response.found()) return true;
    memory_.fails[i] = 1;
    if (response.outcome == FixedPoint::Outcome::kLimit) undecided_ = i;
    return false;
  }

  FixedPoint response_of(std::size_t i) {
    const GpuTask& task = set_.tasks[i];
    Time& least = memory_.least[i];
    QuickTest::State state = quick_.begin(i, memory_.levels, least);
    if (least == Time() && test_.shortest_at_the_top()) {
      const FixedPoint at_the_top = quick_.search(state, task.limit());
      // Nobody else can be more in its favour: no assignment passes.
      hopeless_ = at_the_top.outcome == FixedPoint::Outcome::kExceeded;
      if (hopeless_) return at_the_top;
      if (at_the_top.found()) least = at_the_top.value;
    }
    quick_.add_remote(i, memory_.levels, GcapsTest::Levels::kStillChosen, state);
    const FixedPoint found = quick_.search(state, task.limit());
    if (found.outcome != FixedPoint::Outcome::kLimit) return bound_from(task, found).response;
    return test_.bound_of(i, memory_.levels, memory_.deadlines, GcapsTest::Levels::kStillChosen)
        .response;
  }

  const Inquiry& inquiry_;
  const TaskSet& set_;
  GcapsTest& test_;
  SearchMemory& memory_;
  QuickTest quick_;
  Unassigned unassigned_;
  bool hopeless_ = false;  ///< a task fails with nobody above it on the GPU
  std::optional<std::size_t> undecided_;
};

/// The bounds with the levels that were found.
void write_bounds(const Inquiry& inquiry, const SearchMemory& memory,
                  std::vector<TaskBound>& bounds) {
  // Whoever was still unassigned when a task took its level is above it now: the same bounds.
  GcapsTest explained(inquiry, inquiry.options.terms, GcapsTest::Levels::kStillChosen);
  bounds.clear();
  for (std::size_t i = 0; i < inquiry.set.real_time; ++i) {
    if (!inquiry.options.terms) {
      bounds.push_back({memory.responses[i], {}, inquiry.set.tasks[i].jitter});
    } else {
      bounds.push_back(
          explained.bound_of(i, memory.levels, memory.deadlines, GcapsTest::Levels::kStillChosen));
    }
  }
}

/// Levels by task of the file.
Levels in_file_order(const System& system, const TaskSet& set, const Levels& levels) {
  Levels by_task(system.tasks.size());
  for (std::size_t i = 0; i < set.real_time; ++i) by_task[set.tasks[i].index] = levels[i];
  return by_task;
}

/// Under an rt_mutex GPU priorities can have no other order than CPU priorities.
bool may_assign(const Inquiry& inquiry) { return inquiry.variant != Variant::kSafeInherit; }

Verdict judge_with_assignment(const Inquiry& inquiry) {
  if (auto refusal = refuse_gpu_order(inquiry)) {
    return Verdict::not_applicable(std::move(*refusal));
  }
  const TaskSet& set = inquiry.set;
  const bool keep = worth_keeping(set);
  const Reused<BoundsMemory> memory(keep);
  find_gcaps_bounds(inquiry, *memory);
  std::vector<TaskBound>& bounds = memory->bounds;
  const auto fails = [](const TaskBound& bound) { return !bound.response.found(); };
  const auto first = std::find_if(bounds.begin(), bounds.end(), fails);
  const Reused<SearchMemory> found(keep);
  Levels& levels = found->levels;
  levels.clear();
  std::optional<std::size_t> undecided;
  if (first == bounds.end()) {
    for (const GpuTask& task : set.tasks) {
      if (!task.best_effort) levels.push_back(task.gpu_priority);
    }
  } else if (may_assign(inquiry) && inquiry.releases != nullptr) {
    auto assigned = assign_with_releases(inquiry);
    if (assigned) std::tie(levels, bounds) = std::move(*assigned);
  } else if (may_assign(inquiry)) {
    GcapsTest test(inquiry, /*terms=*/false, GcapsTest::Levels::kStillChosen);
    Search search(inquiry, test, *found);
    if (search(static_cast<std::size_t>(first - bounds.begin()))) {
      write_bounds(inquiry, *found, bounds);
    } else {
      levels.clear();
      undecided = search.undecided();
    }
  }
  Verdict verdict = to_verdict(inquiry, bounds);
  if (undecided) {
    verdict.status = Status::kUndecided;
    verdict.reason = limit_reason(set.tasks[*undecided]);
  }
  if (!levels.empty() && inquiry.options.plan) {
    verdict.plan = std::make_shared<PriorityPlan>(
        plan_of(inquiry.system, inquiry.mode, verdict, in_file_order(inquiry.system, set, levels)));
  }
  if (set.gpu_order_differs) mark_hold_only_together(verdict);
  add_gcaps_warnings(inquiry, verdict);
  return verdict;
}

FixedPoint::Outcome outcome_with_assignment(const Inquiry& inquiry) {
  using Outcome = FixedPoint::Outcome;
  // Else the file's priorities are judged task by task.
  if (inquiry.set.gpu_order_differs) return Outcome::kLimit;
  const FirstFailure failure = first_gcaps_failure(inquiry);
  if (failure.outcome != Outcome::kExceeded || !may_assign(inquiry)) return failure.outcome;
  const Reused<SearchMemory> memory(worth_keeping(inquiry.set));
  GcapsTest test(inquiry, /*terms=*/false, GcapsTest::Levels::kStillChosen);
  Search search(inquiry, test, *memory);
  if (search(failure.task)) return Outcome::kFound;
  return search.undecided() ? Outcome::kLimit : Outcome::kExceeded;
}

template <Mode kMode>
Verdict analyze_with_assignment(const System& system, const Options& options) {
  return analyze_view(system, options, kMode, Overheads::kRunlistUpdate, judge_with_assignment);
}
template <Mode kMode>
std::optional<Status> decide_with_assignment(const System& system, const Options& options) {
  return decide_view(system, options, kMode, Overheads::kRunlistUpdate, outcome_with_assignment);
}
template <Mode kMode>
constexpr Ways kAssignedWays = {analyze_with_assignment<kMode>, decide_with_assignment<kMode>};

constexpr std::string_view kAssignedAssumes =
    "as gcaps.suspend and gcaps.busy; GPU priorities are chosen where the file's do not pass";

constexpr Protocol kAssigned = {kAssignedAssumes,     kGcapsNeeds, Part::kProposed,
                                GpuBetween::kArbiter, {},          kGcapsVariants};

}  // namespace

const Method kGcapsSuspendPrio = in_mode<kGcapsSuspend, Mode::kSuspend>(
    kAssigned, "gcaps.suspend.prio", "gcaps.suspend with GPU priority assignment",
    "gpu-priorities-suspend", kAssignedWays<Mode::kSuspend>);
const Method kGcapsBusyPrio = in_mode<kGcapsBusy, Mode::kBusy>(
    kAssigned, "gcaps.busy.prio", "gcaps.busy with GPU priority assignment", "gpu-priorities-busy",
    kAssignedWays<Mode::kBusy>);

}  // namespace tactus::gcaps
