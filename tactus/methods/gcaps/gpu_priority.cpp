#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "tactus/methods/gcaps/gcaps.hpp"
#include "tactus/methods/gcaps/methods.hpp"
#include "tactus/methods/gcaps/plan.hpp"

/// GPU priority assignment by Audsley's algorithm (Section 5.3 of the paper).
namespace tactus::gcaps {
namespace {

using Levels = std::vector<std::int64_t>;
constexpr std::int64_t kUnassigned = std::numeric_limits<std::int64_t>::max();

/// The unassigned tasks that may take the next level: of each core the lowest, because same-core
/// GPU order must follow the CPU order, else a busy-waiting task can spin for ever on a GPU whose
/// owner it keeps off the core. The paper admits all of them.
class Candidates {
 public:
  Candidates(const TaskSet& set, Variant variant)
      : set_(set), paper_(variant == Variant::kPaper), left_(set.cores) {
    for (std::size_t i = 0; i < set.real_time; ++i) {
      ++left_[set.tasks[i].core];
      if (paper_) waiting_.push_back(i);
    }
    std::reverse(waiting_.begin(), waiting_.end());
    for (std::size_t core = 0; core < set.cores && !paper_; ++core) admit_lowest(core);
  }

  /// From lowest to highest CPU priority.
  const std::vector<std::size_t>& waiting() const { return waiting_; }

  void take(std::size_t i) {
    waiting_.erase(std::lower_bound(waiting_.begin(), waiting_.end(), i, std::greater<>()));
    const std::size_t core = set_.tasks[i].core;
    --left_[core];
    if (!paper_) admit_lowest(core);
  }

 private:
  void admit_lowest(std::size_t core) {
    if (left_[core] == 0) return;
    const std::size_t lowest = set_.on_core(core)[left_[core] - 1];
    waiting_.insert(std::lower_bound(waiting_.begin(), waiting_.end(), lowest, std::greater<>()),
                    lowest);
  }

  const TaskSet& set_;
  bool paper_;
  std::vector<std::size_t> left_;     ///< how many of each core are unassigned
  std::vector<std::size_t> waiting_;  ///< falling
};

bool follows_cpu_order(const TaskSet& set, const Levels& levels) {
  for (std::size_t i = 0; i < set.real_time; ++i) {
    const auto above = set.hpp(i);
    if (!above.empty() && levels[above.back()] < levels[i]) return false;
  }
  return true;
}

/// ceil((t + jitter) / period) * each.
struct Packed {
  Time period, jitter, each;
};
/// What a task demands of others: of those below on its core, of those below that use the GPU, too, of
/// those on other cores as owner of the GPU, and as one that keeps an owner off its core.
struct Demands {
  Packed local, local_gpu, remote, kept_off;
};

struct Assignment {
  Levels levels;  ///< empty when none was found
  std::vector<TaskBound> bounds;
  /// A task whose test reached the limit of steps: then "none found" proves nothing.
  std::optional<std::size_t> undecided;
};

/// What does not depend on the window.
struct Own {
  Time constants, closing;
};

struct LevelMemory {
  std::vector<Demands> demands;       ///< by task
  std::vector<Own> own;               ///< by task
  std::vector<Time> least;            ///< by task: no response is shorter, whatever the levels
  std::vector<const Packed*> active;  ///< those that delay the task under test
  std::vector<Time> deadlines;        ///< by task
};

/// `GcapsTest::bound_of` without terms for many levels of the same tasks, with deadlines in the place
/// of responses: what a task demands of others then stays the same, and is computed once.
class LevelTest {
 public:
  LevelTest(const Inquiry& inquiry, GcapsTest& test, LevelMemory& memory)
      : set_(inquiry.set), test_(test), memory_(memory) {
    memory.demands.clear();
    memory.own.clear();
    memory.deadlines.clear();
    memory.least.assign(set_.real_time, Time::from_ns(1));
    for (std::size_t h = 0; h < set_.real_time; ++h) {
      const GpuTask& task = set_.tasks[h];
      const Time deadline = task.deadline;
      memory.deadlines.push_back(deadline);
      Demands& own = memory.demands.emplace_back();
      own.local = packed(test.local_demand(task, deadline));
      if (const auto gpu = test.local_gpu_demand(task, deadline)) own.local_gpu = packed(*gpu);
      if (task.uses_gpu()) own.remote = packed(test.remote_demand(task, deadline));
      if (test.repaired()) own.kept_off = packed(GcapsTest::kept_off_demand(task, deadline));
    }
  }

  /// Is there a task that fails even with nobody above it on the GPU? Then no assignment passes, and
  /// none need be tried. @pre `levels` are all equal, so that nobody is above another
  /// @param first to be looked at: one that is likely to fail
  bool fails_at_the_top(const Levels& levels, std::size_t first) {
    // Only the wait until others have left can be longer at the top than below.
    if (test_.leave() != Time()) return false;
    if (response_of(first, levels).outcome == FixedPoint::Outcome::kExceeded) return true;
    for (std::size_t i = 0; i < set_.real_time; ++i) memory_.own.push_back(own_of(i, levels));
    for (std::size_t i = 0; i < set_.real_time; ++i) {
      const FixedPoint response = response_of(i, levels);
      if (response.outcome == FixedPoint::Outcome::kExceeded) return true;
      if (response.found()) memory_.least[i] = response.value;
    }
    return false;
  }

  FixedPoint response_of(std::size_t i, const Levels& levels) {
    const Time deadline = set_.tasks[i].deadline;
    const Own own = memory_.own.empty() ? own_of(i, levels) : memory_.own[i];
    collect(i, levels);
    Time window = std::max(own.constants, memory_.least[i]);
    for (int step = 0; step < kPatience; ++step) {
      const Time end = window + own.closing;
      Time value = own.constants;
      for (const Packed* demand : memory_.active) {
        value += jobs_in(end, demand->period, demand->jitter) * demand->each;
      }
      if (value > deadline) return {FixedPoint::Outcome::kExceeded, value, window};
      if (value == window) return {FixedPoint::Outcome::kFound, value, window};
      window = value;
    }
    return test_.bound_of(i, levels, memory_.deadlines, GcapsTest::Levels::kStillChosen).response;
  }

 private:
  static Packed packed(const Recurrence::Demand& demand) {
    return {demand.period, clamp_at_zero(demand.jitter),
            demand.work + demand.updates + demand.leaving};
  }

  Own own_of(std::size_t i, const Levels& levels) {
    test_.set_up_own(own_, i, levels);
    return {own_.constants(), own_.reach(Time())};
  }

  /// As `GcapsTest::bound_of` chooses them.
  void collect(std::size_t i, const Levels& levels) {
    memory_.active.clear();
    const auto add = [&](const Packed& demand) {
      if (demand.each != Time()) memory_.active.push_back(&demand);
    };
    const std::vector<Demands>& demands = memory_.demands;
    const bool uses_gpu = set_.tasks[i].uses_gpu();
    for (std::size_t h : set_.hpp(i)) {
      add(demands[h].local);
      if (uses_gpu) add(demands[h].local_gpu);
    }
    const auto least = test_.least_level_ahead(i, levels, GcapsTest::Levels::kStillChosen);
    if (!least) return;
    for (std::size_t core = 0; core < set_.cores; ++core) {
      if (core == set_.tasks[i].core) continue;
      bool owner_below = false;
      const auto tasks = set_.on_core(core);
      for (std::size_t k = tasks.size(); k-- > 0;) {
        const std::size_t h = tasks[k];
        if (h >= set_.real_time) continue;
        if (owner_below) add(demands[h].kept_off);
        if (set_.tasks[h].uses_gpu() && levels[h] > *least) {
          add(demands[h].remote);
          owner_below = true;
        }
      }
    }
  }

  const TaskSet& set_;
  GcapsTest& test_;
  LevelMemory& memory_;
  Recurrence own_{false};
};

/// Levels 1..n from the bottom; at each the unassigned tasks from lowest to highest CPU priority,
/// every other unassigned task above the candidate. The paper checks the same-core order only at
/// the end; the safe variants never leave it, which loses nothing, because moving the lowest task
/// of a core down only helps the others.
/// @param failed a task that fails with the priorities of the file
Assignment assign(const Inquiry& inquiry, std::size_t failed) {
  const TaskSet& set = inquiry.set;
  GcapsTest test(inquiry, /*terms=*/false);
  Assignment result{Levels(set.real_time, kUnassigned), std::vector<TaskBound>(set.real_time), {}};
  Levels& levels = result.levels;
  const Reused<LevelMemory> memory(worth_keeping(set));
  LevelTest quick(inquiry, test, *memory);
  if (quick.fails_at_the_top(levels, failed)) {
    levels.clear();
    return result;
  }
  Candidates candidates(set, inquiry.variant);
  // Who failed fails again until a user of the GPU on another core is no longer above it.
  std::vector<bool> fails(set.real_time);
  for (std::int64_t level = 1; level <= static_cast<std::int64_t>(set.real_time); ++level) {
    std::optional<std::size_t> taken;
    for (std::size_t i : candidates.waiting()) {
      if (fails[i]) continue;
      Stopped::check(inquiry.options.stop);
      levels[i] = level;
      result.bounds[i].response = quick.response_of(i, levels);
      if (result.bounds[i].response.found()) {
        taken = i;
        break;
      }
      levels[i] = kUnassigned;
      fails[i] = true;
      if (result.bounds[i].response.outcome == FixedPoint::Outcome::kLimit) result.undecided = i;
    }
    if (!taken) {
      levels.clear();
      return result;
    }
    candidates.take(*taken);
    if (!set.tasks[*taken].uses_gpu()) continue;
    for (std::size_t i : candidates.waiting()) {
      if (!set.same_core(i, *taken)) fails[i] = false;
    }
  }
  if (!follows_cpu_order(set, levels)) levels.clear();
  if (inquiry.options.terms && !levels.empty()) {
    // Whoever was still unassigned when a task took its level is above it now: the same bounds.
    GcapsTest explained(inquiry, /*terms=*/true);
    for (std::size_t i = 0; i < set.real_time; ++i) {
      result.bounds[i] =
          explained.bound_of(i, levels, memory->deadlines, GcapsTest::Levels::kStillChosen);
    }
  }
  return result;
}

/// Levels by task of the file.
Levels in_file_order(const System& system, const TaskSet& set, const Levels& levels) {
  Levels by_task(system.tasks.size());
  for (std::size_t i = 0; i < set.real_time; ++i) by_task[set.tasks[i].index] = levels[i];
  return by_task;
}

Verdict judge_with_assignment(const Inquiry& inquiry) {
  const TaskSet& set = inquiry.set;
  const Reused<BoundsMemory> memory(worth_keeping(set));
  find_gcaps_bounds(inquiry, *memory);
  std::vector<TaskBound>& bounds = memory->bounds;
  Assignment assigned;
  if (all_found(bounds)) {
    for (const GpuTask& task : set.tasks) {
      if (!task.best_effort) assigned.levels.push_back(task.gpu_priority);
    }
  } else {
    const auto fails = [](const TaskBound& bound) { return !bound.response.found(); };
    const auto first = std::find_if(bounds.begin(), bounds.end(), fails);
    assigned = assign(inquiry, static_cast<std::size_t>(first - bounds.begin()));
    if (!assigned.levels.empty()) std::swap(bounds, assigned.bounds);
  }
  const Levels& levels = assigned.levels;
  Verdict verdict = to_verdict(inquiry, bounds);
  if (levels.empty() && assigned.undecided) {
    verdict.status = Status::kUndecided;
    verdict.reason = limit_reason(set.tasks[*assigned.undecided]);
  }
  if (!levels.empty() && inquiry.options.plan) {
    verdict.plan = std::make_shared<PriorityPlan>(
        plan_of(inquiry.system, inquiry.mode, verdict, in_file_order(inquiry.system, set, levels)));
  }
  if (set.gpu_order_differs) mark_hold_only_together(verdict);
  add_gcaps_warnings(inquiry, verdict);
  return verdict;
}

template <Mode kMode>
Verdict analyze_with_assignment(const System& system, const Options& options) {
  return analyze_view(system, options, kMode, Overheads::kRunlistUpdate, judge_with_assignment);
}

constexpr std::string_view kAssumes =
    "as gcaps.suspend and gcaps.busy; GPU priorities are chosen where the file's do not pass";

constexpr Protocol kAssigned = {kAssumes, kGcapsNeeds, Part::kProposed};

}  // namespace

const Method kGcapsSuspendPrio = in_mode<kGcapsSuspend, Mode::kSuspend>(
    kAssigned, "gcaps.suspend.prio", "gcaps.suspend with GPU priority assignment",
    "gpu-priorities-suspend", analyze_with_assignment<Mode::kSuspend>);
const Method kGcapsBusyPrio = in_mode<kGcapsBusy, Mode::kBusy>(
    kAssigned, "gcaps.busy.prio", "gcaps.busy with GPU priority assignment", "gpu-priorities-busy",
    analyze_with_assignment<Mode::kBusy>);

}  // namespace tactus::gcaps
