#include "tactus/methods/gcaps/gcaps_bounds.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <set>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gcaps/fast/responses_in_order.hpp"
#include "tactus/methods/gcaps/gcaps.hpp"
#include "tactus/methods/gcaps/gcaps_methods.hpp"
#include "tactus/methods/gcaps/gcaps_plan.hpp"

namespace tactus::gcaps {
namespace {

void take_gpu_levels(const TaskSet& set, std::vector<std::int64_t>& levels) {
  levels.clear();
  for (std::size_t i = 0; i < set.real_time; ++i) levels.push_back(set.tasks[i].gpu_priority);
}

}  // namespace

FirstFailure first_gcaps_failure(const Inquiry& inquiry) {
  const Reused<ResponsesInOrder::Memory> memory(worth_keeping(inquiry.set));
  take_gpu_levels(inquiry.set, memory->gpu_level);
  GcapsTest test(inquiry, /*terms=*/false);
  ResponsesInOrder response_of(inquiry.set, test, *memory);
  return first_failure(inquiry.set, inquiry.options, memory->responses, response_of);
}

namespace {

void find_gcaps_bounds_once(const Inquiry& inquiry, BoundsMemory& memory) {
  const TaskSet& set = inquiry.set;
  const Reused<ResponsesInOrder::Memory> in_order(worth_keeping(set));
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
constexpr Ways kGcapsWays = {analyze_gcaps<kMode>, decide_gcaps<kMode>};

constexpr std::string_view kGcapsAssumes =
    "chains of cpu and gpu/copy nodes; cores, unique priorities, D <= T, runlist_update";

/// A longer C_h lengthens R_h by at least as much, so that no jitter R_h - C_h gets shorter. Not
/// where deadlines stand in for responses, because GPU and CPU order differ: D_h - C_h does get
/// shorter. Such bounds hold only together, and then these claims are not taken (decide/knob.cpp).
constexpr Monotone kGcapsKept = {.times = true, .periods = true, .deadlines = true, .costs = true};
constexpr Protocol kGcaps = {kGcapsAssumes,        kGcapsNeeds, Part::kSimpler,
                             GpuBetween::kArbiter, kGcapsKept,  kGcapsVariants};

}  // namespace

const Method kGcapsSuspend = in_mode<kGcapsSuspend, Mode::kSuspend>(
    kGcaps, "gcaps.suspend", "preemptive GPU priorities, tasks suspend while the GPU works",
    "gpu-priorities-suspend", kGcapsWays<Mode::kSuspend>);
const Method kGcapsBusy = in_mode<kGcapsBusy, Mode::kBusy>(
    kGcaps, "gcaps.busy", "preemptive GPU priorities, tasks spin while the GPU works",
    "gpu-priorities-busy", kGcapsWays<Mode::kBusy>);

}  // namespace tactus::gcaps
