#include "tactus/methods/gcaps/gcaps.hpp"

#include "tactus/methods/gcaps/in_order.hpp"
#include "tactus/methods/gcaps/methods.hpp"
#include "tactus/methods/gcaps/plan.hpp"
#include "tactus/methods/gcaps/quick_test.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "tactus/base/diagnostic.hpp"

namespace tactus::gcaps {
namespace {

constexpr std::string_view kTwoPerSegment = "2 per own GPU segment";

}  // namespace

/// Can another task be on the GPU when Begin(i) takes it: a GPU user that is not above i there?
bool GcapsTest::can_find_others_there(std::size_t i,
                                      std::span<const std::int64_t> gpu_level) const {
  // Best-effort tasks and the least urgent ones are the last.
  return std::any_of(set_.gpu_users.rbegin(), set_.gpu_users.rend(), [&](std::size_t k) {
    return k != i && (set_.tasks[k].best_effort || gpu_level[k] <= gpu_level[i]);
  });
}

GcapsTest::Waits GcapsTest::waits_of(const GpuTask& task) const {
  const std::int64_t eta = task.eta();
  // Eq. 9: one wait for the lock per segment, and one more. Too little: every segment makes two
  // requests (F3), and local lower tasks can have updates queued each time i comes back to its core
  // (F4). With an arbiter no update runs on i's core, so only the two requests are left.
  const Waits published = {eta + 1, "1 per own GPU segment, and 1"};
  if (variant_ == Variant::kSafeArbiter) return {2 * eta, kTwoPerSegment};
  if (is_printed(variant_)) return published;
  const bool suspends = mode_ == Mode::kSuspend;
  if (variant_ == Variant::kSafeInherit) {
    if (local_updaters(task) == 0) return {2 * eta, kTwoPerSegment};
    return {2 * eta + (suspends ? 1 + eta : 1),
            suspends ? "2 per own GPU segment; of a boosted task below 1, and 1 per segment"
                     : "2 per own GPU segment; 1 of a boosted task below"};
  }
  const std::int64_t returns = suspends ? 1 + 3 * eta : 1;
  const std::int64_t repaired_waits = 2 * eta + returns * task.lower_gpu_users;
  if (repaired_waits < published.count) return published;
  if (task.lower_gpu_users == 0) return {repaired_waits, kTwoPerSegment};
  return {repaired_waits,
          suspends ? "2 per own segment; per GPU user below on the core 1 + 3 per segment"
                   : "2 per own segment; 1 per GPU user below on the core"};
}

bool GcapsTest::closes_window(const GpuTask& task) const {
  // F11: a last End that takes no time must still be granted, and the job must be on its core for it.
  return task.ends_on_gpu && set_.epsilon == Time() && repaired();
}

std::int64_t GcapsTest::waits_for_leavers(std::size_t i,
                                          std::span<const std::int64_t> gpu_level) const {
  const std::int64_t eta = set_.tasks[i].eta();
  const bool leavers = eta > 0 && leave_ != Time() && can_find_others_there(i, gpu_level);
  return leavers ? kappa() * eta : 0;
}

Time GcapsTest::own_copy_wait(std::size_t i, std::span<const std::int64_t> gpu_level) const {
  if (!repaired()) return Time();
  return levels_ == Levels::kFinal ? set_.tasks[i].copy_wait : copy_wait_at(set_, i, gpu_level);
}

Time GcapsTest::copy_wait(const GpuTask& h) const {
  if (!repaired()) return Time();
  return levels_ == Levels::kFinal ? h.copy_wait : h.copy_wait_for_all;
}

void GcapsTest::set_up_own(Recurrence& r, std::size_t i,
                           std::span<const std::int64_t> gpu_level) const {
  const GpuTask& task = set_.tasks[i];
  r.clear();
  if (closes_window(task)) r.close_window();
  add_own_work(r, task);
  r.add_updates(own_updates(task), set_.epsilon);
  const Waits waits = waits_of(task);
  r.add("blocking by updates", waits.count, set_.epsilon, waits.how);
  r.add("copy blocking", own_copy_wait(i, gpu_level),
        "copies of tasks that are not above it, before each own copy");
  r.add_leaving(kappa() == 2 ? "preemption delay (kappa 2)" : "preemption delay (kappa 1)",
                waits_for_leavers(i, gpu_level), leave_);
}

GcapsTest::Own GcapsTest::own_of(std::size_t i, std::span<const std::int64_t> gpu_level) const {
  const GpuTask& task = set_.tasks[i];
  const Time work = task.cpu + task.launch + task.exec;
  const Time updates = eps(own_updates(task) + waits_of(task).count);
  return {work + updates + own_copy_wait(i, gpu_level) + waits_for_leavers(i, gpu_level) * leave_,
          closes_window(task) ? Time::from_ns(1) : Time()};
}

Recurrence::Demand GcapsTest::local_demand(const GpuTask& h, Time response) const {
  const std::int64_t eta = h.eta();
  const Time period = *h.period;
  if (mode_ == Mode::kBusy) {
    // Eq. 12 and the first sum of Eq. 10: a busy-waiting job occupies its core from start to end.
    return {.work = h.cpu + h.gpu() + copy_wait(h),
            .updates = eps(repaired() ? 4 * eta : 2 * eta),
            .leaving = kappa() * eta * leave_,
            .period = period,
            .jitter = h.jitter};
  }
  if (!h.uses_gpu()) return {.work = h.cpu, .period = period, .jitter = h.jitter};
  // Eq. 14: the parts on the CPU.
  return {.work = h.cpu + h.launch,
          .updates = eps(2 * eta),
          .period = period,
          .jitter = response - h.cpu - h.launch};
}

std::optional<Recurrence::Demand> GcapsTest::local_gpu_demand(const GpuTask& h,
                                                              Time response) const {
  if (mode_ == Mode::kBusy || !h.uses_gpu()) return std::nullopt;
  // Eq. 13: the parts on the GPU, apart from those on the CPU because their jitter is another one.
  const std::int64_t eta = h.eta();
  const std::int64_t waits = repaired() ? eta * (1 + returns_as_owner() * local_updaters(h)) : 0;
  // It keeps the GPU while its copies wait for others.
  return Recurrence::Demand{.work = h.exec + copy_wait(h),
                            .updates = eps(waits),
                            .leaving = eta * leave_,
                            .period = *h.period,
                            .jitter = response - h.exec};
}

Recurrence::Demand GcapsTest::remote_demand(const GpuTask& h, Time response) const {
  const std::int64_t eta = h.eta();
  Time work = h.exec;
  std::int64_t updates = 2 * eta;
  if (repaired()) {
    // F1: the owner keeps the GPU while it launches. b_h: and while updates keep it off its core.
    const std::int64_t l = local_updaters(h);
    work += h.launch + copy_wait(h);
    updates += mode_ == Mode::kSuspend ? eta * (1 + returns_as_owner() * l) : 2 * eta + l;
  }
  return {.work = work,
          .updates = eps(updates),
          .leaving = eta * leave_,
          .period = *h.period,
          .jitter = response - h.exec};
}

Recurrence::Demand GcapsTest::kept_off_demand(const GpuTask& h, Time response) {
  return {.work = h.cpu, .period = *h.period, .jitter = response - h.cpu};
}

std::optional<Recurrence::Demand> GcapsTest::lock_demand(const GpuTask& h, Time response) const {
  if (variant_ != Variant::kSafeInherit || h.lower_gpu_users == 0) return std::nullopt;
  // Once it asks for the lock itself, the holder inherits from it: it is in the way only before.
  const Time work = h.uses_gpu() ? h.segments.front().cpu_before : h.cpu;
  if (work == Time()) return std::nullopt;
  return Recurrence::Demand{.work = work, .period = *h.period, .jitter = response - work};
}

std::int64_t GcapsTest::local_updaters(const GpuTask& k) const {
  if (variant_ == Variant::kSafe) return k.lower_gpu_users;
  if (variant_ != Variant::kSafeInherit || k.lower_gpu_users == 0) return 0;
  const auto place = static_cast<std::size_t>(&k - set_.tasks.data());
  return set_.gpu_users.front() < place ? 1 : 0;
}

/// Remote tasks count for i from this GPU level on (exclusively); nothing: none of them does.
std::optional<std::int64_t> GcapsTest::least_level_ahead(std::size_t i,
                                                         std::span<const std::int64_t> gpu_level,
                                                         Levels levels) const {
  // Eqs. 10 and 11 (busy) charge remote owners to every task, Eq. 13 (suspend) to tasks on the GPU.
  if (set_.tasks[i].uses_gpu()) return gpu_level[i];
  if (mode_ == Mode::kSuspend) return std::nullopt;
  if (variant_ != Variant::kSafeArbiter) return gpu_level[i];
  // rem'(i): i needs no GPU; it waits while a task above it on its core spins for the GPU, so only
  // for owners for which such a task waits. (With updates on the core, all of rem(i) matter.)
  std::optional<std::int64_t> least;
  for (std::size_t h : set_.hpp(i)) {
    if (!set_.tasks[h].uses_gpu()) continue;
    least = std::min(least.value_or(gpu_level[h]), gpu_level[h]);
  }
  // Nobody spins there, whatever the levels will be. Else those above i are not known yet: rem(i)
  // stands for rem'(i).
  return least && levels == Levels::kStillChosen ? gpu_level[i] : least;
}

TaskBound GcapsTest::bound_of(std::size_t i, std::span<const std::int64_t> gpu_level,
                              std::span<const Time> responses, Levels levels) {
  const GpuTask& task = set_.tasks[i];
  set_up_own(r_, i, gpu_level);
  for (std::size_t h : set_.hpp(i)) {
    const GpuTask& above = set_.tasks[h];
    r_.add_demand("CPU preemption", above.index, local_demand(above, responses[h]));
    const auto on_gpu = local_gpu_demand(above, responses[h]);
    if (on_gpu && task.uses_gpu()) r_.add_demand("GPU preemption", above.index, *on_gpu);
  }
  if (const auto least = least_level_ahead(i, gpu_level, levels)) {
    // From the lowest priority upwards: a task above a remote owner h on h's core, hpp(h), can keep
    // h off the core while h owns the GPU (F2). Each such task counts once.
    std::fill(owner_below_.begin(), owner_below_.end(), false);
    for (std::size_t h = set_.real_time; h-- > 0;) {
      const GpuTask& other = set_.tasks[h];
      if (other.core == task.core) continue;
      if (owner_below_[other.core] && repaired()) {
        r_.add_demand("owner kept off its core", other.index, kept_off_demand(other, responses[h]));
      } else if (h < i) {
        const auto demand = lock_demand(other, responses[h]);
        if (demand) r_.add_demand("update kept off its core", other.index, *demand);
      }
      if (other.uses_gpu() && gpu_level[h] > *least) {
        r_.add_demand("GPU preemption", other.index, remote_demand(other, responses[h]));
        owner_below_[other.core] = true;
      }
    }
  }
  TaskBound bound = bound_from(task, r_.solve(task.limit()));
  if (terms_) {
    bound.terms =
        r_.terms(bound.response.window, explain_ == task.index ? Recurrence::Updates::kApart
                                                               : Recurrence::Updates::kTogether);
  }
  return bound;
}

namespace {

/// From so many tasks on, what they have in common is worth keeping for all of them.
constexpr std::size_t kWorthSharing = 32;

struct InOrderMemory {
  std::vector<std::int64_t> gpu_level;  ///< by task
  std::vector<Time> responses;          ///< by task
  QuickTest::Memory quick;
};

/// The responses of the real-time tasks, most urgent first, with the file's GPU priorities.
/// @pre !set.gpu_order_differs
class ResponsesInOrder {
 public:
  ResponsesInOrder(const TaskSet& set, GcapsTest& test, InOrderMemory& memory)
      : set_(set), test_(test), gpu_level_(memory.gpu_level), quick_(set, test, memory.quick) {
    if (set.real_time >= kWorthSharing && test.only_grows()) {
      shared_.emplace(set, test, gpu_level_);
    }
  }

  /// @pre `responses` has those of all tasks before i; asked of all tasks in their order
  FixedPoint operator()(std::size_t i, std::span<const Time> responses) {
    if (shared_) {
      const auto found = shared_->response_of(i, responses);
      return found ? *found : slow(i, responses);
    }
    if (i > 0) quick_.set_response(i - 1, responses[i - 1]);
    QuickTest::State state = quick_.begin(i, test_.own_of(i, gpu_level_), Time());
    quick_.add_remote(i, gpu_level_, GcapsTest::Levels::kFinal, state);
    const GpuTask& task = set_.tasks[i];
    const FixedPoint found = quick_.search(state, task.limit());
    if (found.outcome == FixedPoint::Outcome::kLimit) return slow(i, responses);
    return bound_from(task, found).response;
  }

 private:
  FixedPoint slow(std::size_t i, std::span<const Time> responses) {
    return test_.bound_of(i, gpu_level_, responses).response;
  }

  const TaskSet& set_;
  GcapsTest& test_;
  std::span<const std::int64_t> gpu_level_;
  QuickTest quick_;
  std::optional<GcapsInOrder> shared_;
};

void take_gpu_levels(const TaskSet& set, std::vector<std::int64_t>& levels) {
  levels.clear();
  for (std::size_t i = 0; i < set.real_time; ++i) levels.push_back(set.tasks[i].gpu_priority);
}

}  // namespace

FirstFailure first_gcaps_failure(const Inquiry& inquiry) {
  const Reused<InOrderMemory> memory(worth_keeping(inquiry.set));
  take_gpu_levels(inquiry.set, memory->gpu_level);
  GcapsTest test(inquiry, /*terms=*/false);
  ResponsesInOrder response_of(inquiry.set, test, *memory);
  return first_failure(inquiry.set, inquiry.options, memory->responses, response_of);
}

namespace {

void find_gcaps_bounds_once(const Inquiry& inquiry, BoundsMemory& memory) {
  const TaskSet& set = inquiry.set;
  const Reused<InOrderMemory> in_order(worth_keeping(set));
  take_gpu_levels(set, in_order->gpu_level);
  const bool terms = inquiry.options.terms;
  GcapsTest test(inquiry, terms);
  const auto explained = [&](std::size_t i, std::span<const Time> responses) {
    return test.bound_of(i, in_order->gpu_level, responses);
  };
  if (!set.gpu_order_differs && terms) {
    return find_bounds_in_priority_order(set, inquiry.options, memory, explained);
  }
  if (!set.gpu_order_differs) {
    ResponsesInOrder response_of(set, test, *in_order);
    return find_bounds_in_priority_order(
        set, inquiry.options, memory, [&](std::size_t i, std::span<const Time> responses) {
          return TaskBound{response_of(i, responses), {}, set.tasks[i].jitter};
        });
  }
  // A task with higher GPU priority may not have been analysed yet: its deadline stands in, and
  // every task is tested on its own.
  memory.responses.clear();
  for (std::size_t i = 0; i < set.real_time; ++i) {
    memory.responses.push_back(set.tasks[i].deadline);
  }
  memory.bounds.clear();
  for (std::size_t i = 0; i < set.real_time; ++i) {
    Stopped::check(inquiry.options.stop);
    memory.bounds.push_back(explained(i, memory.responses));
  }
}

}  // namespace

void find_gcaps_bounds(const Inquiry& inquiry, BoundsMemory& memory) {
  const Together together =
      inquiry.set.gpu_order_differs ? Together::kAll : Together::kFromTheFirstFailure;
  settle_releases(inquiry, memory.bounds, together,
                  [&] { find_gcaps_bounds_once(inquiry, memory); });
}

namespace {

/// The bounds of `safe-arbiter` assume that no task of the file shares the arbiter's core.
void warn_of_the_arbiters_core(const System& system, Verdict& verdict) {
  std::optional<std::int64_t> named;
  std::int64_t cores = 0;
  for (const Element& element : system.platform.elements) {
    if (element.kind == ElementKind::kCpu) cores = element.units;
    if (element.kind == ElementKind::kGpu) named = element.arbiter_core;
  }
  std::set<std::int64_t> used;
  std::vector<std::string> beside;
  for (const Task& task : system.tasks) {
    used.insert(*task.core);
    if (task.core == named) beside.push_back(quote(task.name));
  }
  if (!beside.empty()) {
    verdict.warnings.push_back(
        fmt::format("core {} is the arbiter's, but {} {} on it; these bounds assume that no task "
                    "of the file is",
                    *named, fmt::join(beside, ", "), beside.size() == 1 ? "is" : "are"));
  } else if (static_cast<std::int64_t>(used.size()) == cores) {
    verdict.warnings.push_back(
        fmt::format("the tasks use {} of the cpu, so the arbiter has no core of its own; these "
                    "bounds assume that it has one",
                    cores == 1 ? "the only core" : fmt::format("all {} cores", cores)));
  }
}

}  // namespace

std::optional<Refusal> refuse_gpu_order(const Inquiry& inquiry) {
  if (inquiry.variant != Variant::kSafeInherit || !inquiry.set.gpu_order_differs) {
    return std::nullopt;
  }
  return Refusal{
      "safe-inherit needs GPU priorities in the order of the CPU priorities: an rt_mutex "
      "serves and lends CPU priorities, and with another order spinning tasks can wait "
      "for each other for ever",
      {}};
}

void add_gcaps_warnings(const Inquiry& inquiry, Verdict& verdict) {
  if (!inquiry.set.uses_gpu) return;
  if (is_printed(inquiry.variant) && inquiry.set.preemption_delay > Time()) {
    verdict.warnings.emplace_back("the published equations ignore preemption_delay");
  }
  if (is_printed(inquiry.variant) && !inquiry.set.copies.uses.empty()) {
    verdict.warnings.emplace_back("the published equations ignore that copies wait for each other");
  }
  if (inquiry.variant == Variant::kSafeArbiter) warn_of_the_arbiters_core(inquiry.system, verdict);
}

namespace {

template <Mode kMode>
Verdict analyze_gcaps(const System& system, const Options& options) {
  return analyze_view(system, options, kMode, Overheads::kRunlistUpdate,
                      [](const Inquiry& inquiry) {
                        if (auto refusal = refuse_gpu_order(inquiry)) {
                          return Verdict::not_applicable(std::move(*refusal));
                        }
                        const Reused<BoundsMemory> memory(worth_keeping(inquiry.set));
                        find_gcaps_bounds(inquiry, *memory);
                        Verdict verdict = to_verdict(inquiry, memory->bounds);
                        if (inquiry.set.gpu_order_differs) mark_hold_only_together(verdict);
                        add_gcaps_warnings(inquiry, verdict);
                        add_plan(inquiry, verdict);
                        return verdict;
                      });
}

template <Mode kMode>
std::optional<Status> decide_gcaps(const System& system, const Options& options) {
  return decide_view(system, options, kMode, Overheads::kRunlistUpdate, [](const Inquiry& inquiry) {
    // Else every task is tested, whatever becomes of the others.
    if (inquiry.set.gpu_order_differs) return FixedPoint::Outcome::kLimit;
    return first_gcaps_failure(inquiry).outcome;
  });
}

template <Mode kMode>
constexpr Ways kWays = {analyze_gcaps<kMode>, decide_gcaps<kMode>};

constexpr std::string_view kAssumes =
    "chains of cpu and gpu/copy nodes; cores, unique priorities, D <= T, runlist_update";

/// A longer C_h lengthens R_h by at least as much, so that no jitter R_h - C_h gets shorter. Not
/// where deadlines stand in for responses, because GPU and CPU order differ: D_h - C_h does get
/// shorter. Such bounds hold only together, and then these claims are not taken (decide/knob.cpp).
constexpr Monotone kKept = {.times = true, .periods = true, .deadlines = true, .costs = true};
constexpr Protocol kGcaps = {kAssumes, kGcapsNeeds, Part::kSimpler, kKept, kGcapsVariants};

}  // namespace

const Method kGcapsSuspend = in_mode<kGcapsSuspend, Mode::kSuspend>(
    kGcaps, "gcaps.suspend", "preemptive GPU priorities, tasks suspend while the GPU works",
    "gpu-priorities-suspend", kWays<Mode::kSuspend>);
const Method kGcapsBusy = in_mode<kGcapsBusy, Mode::kBusy>(
    kGcaps, "gcaps.busy", "preemptive GPU priorities, tasks spin while the GPU works",
    "gpu-priorities-busy", kWays<Mode::kBusy>);

}  // namespace tactus::gcaps
