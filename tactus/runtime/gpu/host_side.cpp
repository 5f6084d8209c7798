#include "tactus/runtime/gpu/host_side.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/host/clock.hpp"
#include "tactus/host/threads.hpp"

namespace tactus::runtime::gpu {
namespace {

std::vector<int> worker_cpus(std::vector<int> cpus) {
  if (cpus.size() > 1) cpus.pop_back();
  std::rotate(cpus.begin(), cpus.begin() + 1, cpus.end());
  return cpus;
}

}  // namespace

std::int64_t HostSide::cores() { return std::ssize(worker_cpus(host::usable_cpus())); }

std::string HostSide::start(bool realtime) { return start(realtime, host::usable_cpus()); }

std::string HostSide::start(bool realtime, const std::vector<int>& cpus) {
  // A thread that polls would use up the share of time that the kernel gives to real-time threads,
  // and then be stopped for the rest of the second: worse than any other scheduling.
  const bool fifo_wanted = realtime && !host::realtime_is_limited();
  workers_ = std::make_unique<CpuWorkers>(worker_cpus(cpus), fifo_wanted);
  settings_.emplace();
  host::pin_to(cpus.back());
  host::sharpen_timers();
  if (!realtime) return {};
  const bool fifo = fifo_wanted && host::make_realtime(60);
  const bool locked = settings_->lock_memory();
  // Without SCHED_FIFO nothing limits how late a sleeping thread is woken, so it polls. With it, a
  // thread that never slept would starve the CPU's kernel threads.
  sleeps_ = fifo;
  return fmt::format("real time: {}, {}",
                     fifo ? "SCHED_FIFO"
                     : fifo_wanted
                         ? "no SCHED_FIFO (not allowed), polls without sleeping"
                         : "no SCHED_FIFO (the kernel limits it: sched_rt_runtime_us is not -1), "
                           "polls without sleeping",
                     locked ? "memory locked" : "memory not locked");
}

std::optional<Error> HostSide::submit(const CpuWork& work, OpId op,
                                      const std::function<void()>* function) {
  // Not `cores()`: the calling thread is pinned by now, and could use one CPU only.
  if (!workers_ || work.core < 0 || work.core >= workers_->cores()) {
    return Error{fmt::format("there is no core {} for CPU work", work.core + 1)};
  }
  submitted_[op] = host::now_ns();
  workers_->submit(work, op, function);
  return std::nullopt;
}

void HostSide::collect(std::int64_t origin, std::vector<Completion>& done) {
  if (!workers_ || !workers_->anything_done()) return;
  const auto on_clock = [&](std::int64_t ns) { return Time::from_ns(ns - origin); };
  for (const CpuDone& ended : workers_->take_done()) {
    Completion completion;
    completion.op = ended.op;
    completion.submitted = on_clock(submitted_[ended.op]);
    completion.start = on_clock(ended.start);
    completion.end = on_clock(ended.end);
    completion.problem = ended.problem;
    completion.failed = !ended.problem.empty();
    submitted_.erase(ended.op);
    done.push_back(std::move(completion));
  }
}

}  // namespace tactus::runtime::gpu
