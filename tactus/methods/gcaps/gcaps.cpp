#include "tactus/methods/gcaps/gcaps.hpp"

#include <algorithm>

/// In the order of the paper. Variants, and what the safe ones add (F1 to F11), are in
/// docs/use/methods/gcaps.md.
namespace tactus::gcaps {
namespace {

constexpr std::string_view kTwoPerSegment = "2 per own GPU segment";

}  // namespace

// Lemma 8: blocking time.

std::int64_t GcapsTest::local_updaters(const GpuTask& k) const {
  if (variant_ == Variant::kSafe) return k.lower_gpu_users;
  if (variant_ != Variant::kSafeInherit || k.lower_gpu_users == 0) return 0;
  const auto place = static_cast<std::size_t>(&k - set_.tasks.data());
  return set_.gpu_users.front() < place ? 1 : 0;
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

// Not in the paper: the end of the window, waits until others have left, and for their copies.

bool GcapsTest::closes_window(const GpuTask& task) const {
  // F11: a last End that takes no time must still be granted, and the job must be on its core for it.
  return task.ends_on_gpu && set_.epsilon == Time() && repaired();
}

/// Can another task be on the GPU when Begin(i) takes it: a GPU user that is not above i there?
bool GcapsTest::can_find_others_there(std::size_t i,
                                      std::span<const std::int64_t> gpu_level) const {
  // Best-effort tasks and the least urgent ones are the last.
  return std::any_of(set_.gpu_users.rbegin(), set_.gpu_users.rend(), [&](std::size_t k) {
    return k != i && (set_.tasks[k].best_effort || gpu_level[k] <= gpu_level[i]);
  });
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

// What does not depend on R: G* and Eq. 9.

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

// Lemmas 10 to 15: what one task h adds with each of its jobs. First h in hpp(i).

Recurrence::Demand GcapsTest::local_demand(const GpuTask& h, Time response) const {
  const std::int64_t eta = h.eta();
  const Time period = *h.period;
  if (mode_ == Mode::kBusy) {
    // Eq. 12 and the first sum of Eq. 10: a busy-waiting job occupies its core from start to end, so
    // for G; printed are G^m and G^e.
    return {.work = h.cpu + (repaired() ? h.gpu() : h.launch + h.exec) + copy_wait(h),
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

// h in rem(i): the second sums of Eqs. 10 and 13, and Eq. 11; then what the paper leaves out.

Recurrence::Demand GcapsTest::remote_demand(const GpuTask& h, Time response) const {
  const std::int64_t eta = h.eta();
  Time work = h.exec;
  std::int64_t updates = 2 * eta;
  if (repaired()) {
    // F1: the owner keeps the GPU while it launches. b_h: and while updates keep it off its core.
    const std::int64_t l = local_updaters(h);
    work = h.gpu() + copy_wait(h);
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

// The equation of task i.

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

}  // namespace tactus::gcaps
