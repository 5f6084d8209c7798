#include <algorithm>

#include "tactus/methods/gcaps/boost/bounds.hpp"

/// What a job waits for, piece after piece: in suspend mode for those who have its core and those who
/// have the GPU, each in their own windows; in busy mode a task above it on its core also keeps the
/// core while it waits for the GPU itself.
namespace tactus::gcaps::boost {

/// A task above i on its core, which leaves the core while the GPU works.
void Bounds::add_cpu_cause(std::size_t h) {
  const GpuTask& task = view_.task(h);
  cpu_.begin(h);
  const Time work = task.cpu + task.launch;
  if (view_.cpu_budget_notice) {
    cpu_.add(work + *view_.cpu_budget_notice, *task.period, response_[h] - work);
  } else if (!task.uses_gpu()) {
    cpu_.add(work, *task.period, task.jitter);
  } else {
    cpu_.add(work, *task.period, response_[h] - work);
    cpu_.other_way();
    const std::span<const Time> phases = view_.phases_of(h);
    cpu_.add(phases.front(), *task.period, task.jitter);
    for (std::size_t k = 1; k < phases.size(); ++k) {
      cpu_.add(phases[k], *task.period, completion_[view_.first[h] + k - 1]);
    }
  }
  cpu_.end();
}

/// The arbiter on the core of task i: every operation for every segment.
void Bounds::add_arbiter(std::size_t i) {
  if (!view_.on_arbiter_core[i]) return;
  const Costs& costs = view_.costs;
  for (const std::size_t x : view_.gpu_tasks) {
    const GpuTask& task = view_.task(x);
    cpu_.begin(x);
    cpu_.add(task.eta() * (costs.start + costs.pair()), *task.period, task.deadline);
    cpu_.end();
  }
}

void Bounds::begin_suspend(std::size_t i) {
  cpu_.clear();
  for (const std::size_t h : view_.set->hpp(i)) add_cpu_cause(h);
  add_arbiter(i);
  if (view_.eta(i) == 0) seen_.clear();
}

void Bounds::begin_busy(std::size_t i) {
  const Costs& costs = view_.costs;
  cpu_.clear();
  add_arbiter(i);
  for (Component& component : cpu_.components) component.most = Component::kNoCap;
  if (view_.on_arbiter_core[i] && view_.best_effort_gpu) {
    own_ += costs.start;
    best_effort_starts_ += costs.start;
  }

  locals_.clear();
  waiters_.clear();
  const bool uses_gpu = view_.eta(i) > 0;
  std::size_t lowest = uses_gpu ? rank_[i] : 0;
  for (const std::size_t h : view_.set->hpp(i)) {
    if (!view_.task(h).uses_gpu()) continue;
    waiters_.push_back(h);
    lowest = std::max(lowest, rank_[h]);
  }
  for (const std::size_t h : view_.set->hpp(i)) {
    const GpuTask& task = view_.task(h);
    Time work = task.cpu + task.launch + task.exec;
    if (task.uses_gpu()) {
      const Time back = preempts(h, lowest) ? costs.on : Time();
      work += task.eta() * (costs.start + block_[h] + back);
      for (std::size_t s = view_.first[h]; s < view_.first[h + 1]; ++s) work += copy_waits_[s];
    }
    locals_.push_back({h, work, *task.period, task.jitter});
  }

  gpu_.clear();
  const bool anybody = uses_gpu || !waiters_.empty();
  for (std::size_t rank = 0; anybody && rank < lowest; ++rank) {
    const std::size_t h = by_rank_[rank];
    const bool local = std::find(waiters_.begin(), waiters_.end(), h) != waiters_.end();
    if (h != i && !local) add_source(gpu_, h, lowest);
  }
  own_caps_.assign(gpu_.components.size(), 0);
  waiter_caps_.assign(gpu_.components.size() * waiters_.size(), 0);
  for (const Cause& cause : gpu_.all) {
    for (std::uint32_t c = cause.first; c < cause.end; ++c) {
      for (std::size_t y = 0; y < waiters_.size(); ++y) {
        const std::size_t waiter = waiters_[y];
        if (rank_[waiter] < rank_[cause.task]) continue;
        std::int64_t& cap = waiter_caps_[c * waiters_.size() + y];
        for (std::size_t s = view_.first[waiter]; s < view_.first[waiter + 1]; ++s) {
          const Time window = window_for(s, cause.task);
          if (window == kNoWindow) {
            cap = Component::kNoCap;
            break;
          }
          cap = checked::add(cap, gpu_.components[c].jobs(window));
        }
      }
    }
  }
}

/// Its next phase on the CPU. @param phase not zero
void Bounds::next_phase(std::size_t i, Time phase) {
  own_ += phase;
  ++phases_;
  if (mode_ == Mode::kBusy) return;
  if (view_.on_arbiter_core[i] && view_.best_effort_gpu) {
    // A start of best-effort work may have been decided just before.
    own_ += view_.costs.start;
    best_effort_starts_ += view_.costs.start;
    phase += view_.costs.start;
  }
  if (!use_windows_) {
    for (const Cause& cause : cpu_.all) cpu_.raise(cause, kNoWindow);
    return;
  }
  const Time window = search_.window(
      phase, view_.task(i).limit(), [&](Time v) { return phase + cpu_.open(v); },
      [&](Time v, Causes::SureGrowths& sure) {
        cpu_.add_growths(v, 0, cpu_.all.size(), Causes::Counted::kAll, sure);
      });
  for (const Cause& cause : cpu_.all) cpu_.raise(cause, window);
}

/// Its next section on the GPU.
void Bounds::next_section(std::size_t i, std::size_t section) {
  own_ += demand(section);
  ++sections_;
  if (mode_ == Mode::kSuspend) {
    for (const Cause& cause : seen_.all) seen_.raise(cause, window_for(section, cause.task));
    return;
  }
  for (const Cause& cause : gpu_.all) {
    if (rank_[i] < rank_[cause.task]) continue;
    const Time window = window_for(section, cause.task);
    for (std::uint32_t c = cause.first; c < cause.end; ++c) {
      std::int64_t& cap = own_caps_[c];
      if (window == kNoWindow || cap == Component::kNoCap) {
        cap = Component::kNoCap;
      } else {
        cap = checked::add(cap, gpu_.components[c].jobs(window));
      }
    }
  }
}

/// Busy: no more jobs of a source matter than fit the windows of those who wait.
void Bounds::cap_by_windows(Time window) {
  for (std::size_t c = 0; c < gpu_.components.size(); ++c) {
    std::int64_t most = own_caps_[c];
    for (std::size_t y = 0; y < waiters_.size() && most != Component::kNoCap; ++y) {
      const std::int64_t each = waiter_caps_[c * waiters_.size() + y];
      if (each == Component::kNoCap) {
        most = each;
      } else if (each > 0) {
        const GpuTask& waiter = view_.task(waiters_[y]);
        const std::int64_t jobs = jobs_in(window, *waiter.period, waiter.jitter);
        most = checked::add(most, checked::mul(jobs, each));
      }
    }
    gpu_.components[c].most = most;
  }
}

Time Bounds::locals(Time window) const {
  Time total;
  for (const Local& local : locals_) {
    total += jobs_in(window, local.period, local.jitter) * local.work;
  }
  return total;
}

/// What the phases and sections so far need in a window of this length.
Time Bounds::prefix(std::size_t i, std::size_t sections, Time window) {
  Time need = own_ + cpu_.capped(window);
  if (sections > 0) need += blocking(i, sections, window);
  if (mode_ == Mode::kSuspend) return sections > 0 ? need + seen_.capped(window) : need;
  cap_by_windows(window);
  return need + locals(window) + gpu_.capped(window);
}

/// How `prefix` grows. Blocking by lower work hardly does. @pre `prefix` was asked about this window
void Bounds::add_prefix_growths(std::size_t sections, Time window,
                                Causes::SureGrowths& sure) const {
  const auto add = [&](const Causes& causes) {
    causes.add_growths(window, 0, causes.all.size(), Causes::Counted::kCapped, sure);
  };
  add(cpu_);
  if (mode_ == Mode::kSuspend) {
    if (sections > 0) add(seen_);
    return;
  }
  for (const Local& local : locals_) {
    sure.all.push_back(growth_of_jobs(window, local.period, local.jitter, local.work));
  }
  add(gpu_);  // caps only rise with the window
}

}  // namespace tactus::gcaps::boost
