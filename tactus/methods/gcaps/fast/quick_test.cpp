#include "tactus/methods/gcaps/fast/quick_test.hpp"

#include <algorithm>

namespace tactus::gcaps {
namespace {

/// The longest window in ns that holds no more than these jobs.
std::int64_t end_of(std::int64_t jobs, Time period, Time jitter) {
  std::int64_t end = 0;
  if (__builtin_mul_overflow(jobs, period.ns(), &end)) return INT64_MAX;  // 292 years
  return end - jitter.ns();
}

}  // namespace

QuickTest::Packed::Packed(const Recurrence::Demand& demand)
    : period(demand.period),
      jitter(clamp_at_zero(demand.jitter)),
      each(demand.work + demand.updates + demand.leaving),
      first_jobs(jobs_in(Time::from_ns(1), period, jitter)),
      until(end_of(first_jobs, period, jitter)) {}

void QuickTest::set_response(std::size_t h, Time response) {
  const GpuTask& task = set_.tasks[h];
  Demands& of = memory_.demands[h];
  of.local = Packed(test_.local_demand(task, response));
  if (test_.repaired()) of.kept_off = Packed(GcapsTest::kept_off_demand(task, response));
  const auto lock = test_.lock_demand(task, response);
  of.lock = lock ? Packed(*lock) : Packed();
  if (!task.uses_gpu()) return;  // and then nobody reads the others
  of.remote = Packed(test_.remote_demand(task, response));
  const auto gpu = test_.local_gpu_demand(task, response);
  of.local_gpu = gpu ? Packed(*gpu) : Packed();
}

QuickTest::State QuickTest::begin(std::size_t i, std::span<const std::int64_t> gpu_level,
                                  Time least) {
  Recurrence& own = memory_.own;
  test_.set_up_own(own, i, gpu_level);
  const Time constants = own.constants();
  State state{own.reach(Time()), std::max({constants, least, Time::from_ns(1)}), constants};
  memory_.active.clear();
  const bool uses_gpu = set_.tasks[i].uses_gpu();
  for (std::size_t h : set_.hpp(i)) {
    const Demands& of = memory_.demands[h];
    add(of.local, state);
    if (uses_gpu && set_.tasks[h].uses_gpu()) add(of.local_gpu, state);
  }
  return state;
}

/// As `GcapsTest::bound_of` chooses them.
void QuickTest::add_remote(std::size_t i, std::span<const std::int64_t> gpu_level,
                           GcapsTest::Levels levels, State& state) {
  const auto least = test_.least_level_ahead(i, gpu_level, levels);
  if (!least) return;
  const std::size_t own_core = set_.tasks[i].core;
  if (!test_.repaired()) {
    for (std::size_t h : set_.gpu_users) {
      if (h >= set_.real_time) break;
      if (gpu_level[h] > *least && set_.tasks[h].core != own_core) {
        add(memory_.demands[h].remote, state);
      }
    }
    return;
  }
  for (std::size_t core = 0; core < set_.cores; ++core) {
    if (core == own_core) continue;
    bool owner_below = false;
    const auto tasks = set_.on_core(core);
    for (std::size_t k = tasks.size(); k-- > 0;) {
      const std::size_t h = tasks[k];
      if (h >= set_.real_time) continue;
      if (owner_below) {
        add(memory_.demands[h].kept_off, state);
      } else if (h < i) {
        add(memory_.demands[h].lock, state);
      }
      if (set_.tasks[h].uses_gpu() && gpu_level[h] > *least) {
        add(memory_.demands[h].remote, state);
        owner_below = true;
      }
    }
  }
}

FixedPoint QuickTest::search(State& state, Time deadline) {
  for (int step = 0; step < kPatience; ++step) {
    const Time end = state.window + state.closing;
    for (Active& active : memory_.active) {
      if (end.ns() <= active.until) continue;
      const Packed& demand = *active.demand;
      const std::int64_t jobs = jobs_in(end, demand.period, demand.jitter);
      state.sum += (jobs - active.jobs) * demand.each;
      active.jobs = jobs;
      active.until = end_of(jobs, demand.period, demand.jitter);
    }
    if (state.sum > deadline) return {FixedPoint::Outcome::kExceeded, state.sum, state.window};
    if (state.sum == state.window) return {FixedPoint::Outcome::kFound, state.sum, state.window};
    state.window = state.sum;
  }
  return {FixedPoint::Outcome::kLimit, state.window, state.window};
}

}  // namespace tactus::gcaps
