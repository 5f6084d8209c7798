#include "tactus/methods/gcaps/fast/in_order.hpp"

#include <algorithm>

namespace tactus::gcaps {

void GcapsInOrder::ByLevel::add(const Recurrence::Demand& one, std::int64_t level) {
  demand.add(one);
  levels.push_back(level);
}

std::size_t GcapsInOrder::ByLevel::above(std::int64_t level) const {
  return static_cast<std::size_t>(
      std::partition_point(levels.begin(), levels.end(),
                           [&](std::int64_t other) { return other > level; }) -
      levels.begin());
}

GcapsInOrder::GcapsInOrder(const TaskSet& set, GcapsTest& test,
                           std::span<const std::int64_t> gpu_level)
    : set_(set),
      test_(test),
      gpu_level_(gpu_level),
      local_(set.cores),
      local_gpu_(set.cores),
      remote_(set.cores),
      kept_off_(set.cores) {
  for (auto& kind : before_) kind.resize(set.cores);
}

void GcapsInOrder::take_in(std::size_t h, Time response, std::span<const Time> responses) {
  const GpuTask& task = set_.tasks[h];
  const Recurrence::Demand local = test_.local_demand(task, response);
  local_[task.core].add(local);
  Time first_job = local.work + local.updates + local.leaving;
  if (const auto gpu = test_.local_gpu_demand(task, response)) {
    local_gpu_[task.core].add(*gpu);
    if (task.uses_gpu()) first_job += gpu->work + gpu->updates + gpu->leaving;
  }
  before_[task.uses_gpu() ? 1 : 0][task.core] = {response - task.jitter, own_.constants(),
                                                 first_job, own_.reach(Time()) > Time()};
  if (!task.uses_gpu()) return;
  const auto add_remote = [&](const Recurrence::Demand& demand) {
    remote_[task.core].add(demand, gpu_level_[h]);
    all_remote_.add(demand, gpu_level_[h]);
  };
  // From now on h can own the GPU while a task above it on its core keeps it off that (F2).
  for (std::size_t& k = kept_off_[task.core]; test_.repaired() && k < task.place; ++k) {
    const std::size_t above = set_.on_core(task.core)[k];
    add_remote(test_.kept_off_demand(set_.tasks[above], responses[above]));
  }
  add_remote(test_.remote_demand(task, response));
}

/// Before it there was a task of the same kind on the same core, all of whose demands are demands
/// of this one. Whatever this one has beyond them, at least, its window is longer by.
Time GcapsInOrder::start_of(std::size_t i, const Recurrence& own) const {
  const GpuTask& task = set_.tasks[i];
  const Time start = std::max(own.constants(), Time::from_ns(1));
  const auto& before = before_[task.uses_gpu() ? 1 : 0][task.core];
  if (!before || (before->closed && own.reach(Time()) == Time())) return start;
  const Time more = own.constants() + before->first_job - before->constants;
  return more < Time() ? start : std::max(start, before->window + more);
}

std::optional<FixedPoint> GcapsInOrder::response_of(std::size_t i,
                                                    std::span<const Time> responses) {
  if (i > 0) take_in(i - 1, responses[i - 1], responses);
  const GpuTask& task = set_.tasks[i];
  const std::size_t core = task.core;
  test_.set_up_own(own_, i, gpu_level_);
  const auto least = test_.least_level_ahead(i, gpu_level_, GcapsTest::Levels::kFinal);
  const std::size_t all_ahead = least ? all_remote_.above(*least) : 0;
  const std::size_t own_ahead = least ? remote_[core].above(*least) : 0;
  Time window = start_of(i, own_);
  for (int step = 0; step < kPatience; ++step) {
    const Time end = own_.reach(window);
    Time value = own_.constants() + local_[core].sum(end, local_[core].size());
    if (task.uses_gpu()) value += local_gpu_[core].sum(end, local_gpu_[core].size());
    value += all_remote_.demand.sum(end, all_ahead) - remote_[core].demand.sum(end, own_ahead);
    if (value > task.limit()) return std::nullopt;
    if (value == window) {
      return bound_from(task, {FixedPoint::Outcome::kFound, value, window}).response;
    }
    window = value;
  }
  return std::nullopt;
}

}  // namespace tactus::gcaps
