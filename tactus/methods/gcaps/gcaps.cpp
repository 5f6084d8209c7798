#include "tactus/methods/gcaps/gcaps.hpp"

#include "tactus/methods/gcaps/methods.hpp"

#include <algorithm>

namespace tactus::gcaps {

void GcapsTest::add_own(const GpuTask& task) {
  const std::int64_t eta = task.eta();
  add_own_work(r_, task);
  r_.add_updates(eps(2 * eta));
  // Eq. 9: one lock wait a segment, and one more. Too little: every segment makes two requests
  // (F3), and local lower tasks can have updates queued each time i comes back to its core (F4).
  Time blocking = eps(eta + 1);
  if (variant_ != Variant::kPaper) {
    const std::int64_t returns = mode_ == Mode::kSuspend ? 1 + 3 * eta : 1;
    blocking = std::max(blocking, eps(2 * eta + returns * local_updaters(task)));
  }
  r_.add("blocking by updates", blocking);
}

void GcapsTest::add_local_preemption(const GpuTask& task, const GpuTask& h, Time response) {
  const std::int64_t eta = h.eta();
  const Time period = *h.period;
  if (mode_ == Mode::kBusy) {
    // Eq. 12 and the first sum of Eq. 10: a busy-waiting job occupies its core from start to end.
    const std::int64_t updates = variant_ == Variant::kPaper ? 2 * eta : 4 * eta;
    r_.add_demand("CPU preemption", h.index,
                  {.work = h.cpu + h.gpu(), .updates = eps(updates), .period = period});
    return;
  }
  if (!h.uses_gpu()) {
    r_.add_demand("CPU preemption", h.index, {.work = h.cpu, .period = period});
    return;
  }
  // Eqs. 14 and 13: the parts on the CPU, and apart from them (another jitter) those on the GPU.
  r_.add_demand("CPU preemption", h.index,
                {.work = h.cpu + h.launch,
                 .updates = eps(2 * eta),
                 .period = period,
                 .jitter = response - h.cpu - h.launch});
  if (!task.uses_gpu()) return;
  const std::int64_t waits = variant_ == Variant::kPaper ? 0 : eta * (1 + 2 * local_updaters(h));
  r_.add_demand(
      "GPU preemption", h.index,
      {.work = h.exec, .updates = eps(waits), .period = period, .jitter = response - h.exec});
}

void GcapsTest::add_remote_owner(const GpuTask& h, Time response) {
  const std::int64_t eta = h.eta();
  Time work = h.exec;
  std::int64_t updates = 2 * eta;
  if (variant_ != Variant::kPaper) {
    // F1: the owner keeps the GPU while it launches. b_h: and while updates keep it off its core.
    const std::int64_t l = local_updaters(h);
    work += h.launch;
    updates += mode_ == Mode::kSuspend ? eta * (1 + 2 * l) : 2 * eta + l;
  }
  r_.add_demand(
      "GPU preemption", h.index,
      {.work = work, .updates = eps(updates), .period = *h.period, .jitter = response - h.exec});
}

TaskBound GcapsTest::bound_of(std::size_t i, std::span<const std::int64_t> gpu_level,
                              std::span<const Time> responses) {
  const GpuTask& task = set_.tasks[i];
  r_.clear();
  add_own(task);
  for (std::size_t h : set_.hpp(i)) add_local_preemption(task, set_.tasks[h], responses[h]);
  // Eqs. 10 and 11 (busy) charge remote owners to every task, Eq. 13 (suspend) to tasks on the GPU.
  if (mode_ == Mode::kBusy || task.uses_gpu()) {
    // From the lowest priority upwards: a task above a remote owner h on h's core, hpp(h), can keep
    // h off the core while h owns the GPU (F2). Each such task counts once.
    std::fill(owner_below_.begin(), owner_below_.end(), false);
    for (std::size_t h = set_.real_time; h-- > 0;) {
      const GpuTask& other = set_.tasks[h];
      if (other.core == task.core) continue;
      if (owner_below_[other.core] && variant_ != Variant::kPaper) {
        r_.add_demand(
            "owner kept off its core", other.index,
            {.work = other.cpu, .period = *other.period, .jitter = responses[h] - other.cpu});
      }
      if (other.uses_gpu() && gpu_level[h] > gpu_level[i]) {
        add_remote_owner(other, responses[h]);
        owner_below_[other.core] = true;
      }
    }
  }
  const FixedPoint response = r_.solve(task.deadline);
  return {response, r_.terms(response.window)};
}

std::vector<TaskBound> gcaps_bounds(const TaskSet& set, Mode mode, Variant variant,
                                    const std::stop_token& stop) {
  std::vector<std::int64_t> gpu_level(set.real_time);
  std::vector<Time> deadlines(set.real_time);
  for (std::size_t i = 0; i < set.real_time; ++i) {
    gpu_level[i] = set.tasks[i].gpu_priority;
    deadlines[i] = set.tasks[i].deadline;
  }
  GcapsTest test(set, mode, variant);
  if (!set.gpu_order_differs) {
    return bounds_in_priority_order(set, stop, [&](std::size_t i, std::span<const Time> responses) {
      return test.bound_of(i, gpu_level, responses);
    });
  }
  // A task with higher GPU priority may not have been analysed yet: its deadline stands in, and
  // every task is tested on its own.
  std::vector<TaskBound> bounds;
  for (std::size_t i = 0; i < set.real_time; ++i) {
    Stopped::check(stop);
    bounds.push_back(test.bound_of(i, gpu_level, deadlines));
  }
  return bounds;
}

namespace {

template <Mode kMode>
Verdict analyze_gcaps(const System& system, const Options& options) {
  const auto made = make_task_set(system, Overheads::kRunlistUpdate);
  if (const auto* refusal = std::get_if<Refusal>(&made)) return Verdict::not_applicable(*refusal);
  const auto& set = std::get<TaskSet>(made);
  const Variant variant = variant_of(options);
  Verdict verdict =
      to_verdict(system, set, kMode, variant, gcaps_bounds(set, kMode, variant, options.stop));
  if (set.gpu_order_differs) mark_hold_only_together(verdict);
  return verdict;
}

constexpr std::string_view kAssumes =
    "chains of cpu and gpu/copy nodes; cores, unique priorities, D <= T, runlist_update";
constexpr std::string_view kNeeds =
    "GPU contexts preempted by priority: a patched driver or an arbiter that serves Begin/End";

}  // namespace

const Method kGcapsSuspend = {
    .id = "gcaps.suspend",
    .title = "preemptive GPU priorities, tasks suspend while the GPU works",
    .paper = kPaperTitle,
    .assumes = kAssumes,
    .needs = kNeeds,
    .variants = kVariants,
    .analyze = analyze_gcaps<Mode::kSuspend>,
    .behaviour = {.name = "gpu-priorities-suspend", .recipe = "gcaps-small"},
    .look = {.part = Part::kSimpler},
};
const Method kGcapsBusy = {
    .id = "gcaps.busy",
    .title = "preemptive GPU priorities, tasks spin while the GPU works",
    .paper = kPaperTitle,
    .assumes = kAssumes,
    .needs = kNeeds,
    .variants = kVariants,
    .analyze = analyze_gcaps<Mode::kBusy>,
    .behaviour = {.name = "gpu-priorities-busy", .recipe = "gcaps-small"},
    .look = {.part = Part::kSimpler, .second = true},
};

}  // namespace tactus::gcaps
