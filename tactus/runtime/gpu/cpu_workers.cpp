#include "tactus/runtime/gpu/cpu_workers.hpp"

#include <algorithm>

#include "tactus/host/clock.hpp"
#include "tactus/host/futex.hpp"
#include "tactus/host/threads.hpp"

namespace tactus::runtime::gpu {
namespace {

constexpr std::int64_t kSlice = 5'000;  ///< ns of CPU time between two looks for more urgent work
/// A core that has had work is watched this long before its thread sleeps: waking takes as long as
/// a small node.
constexpr std::int64_t kWatch = 20'000'000;

}  // namespace

CpuWorkers::CpuWorkers(const std::vector<int>& cpus, bool realtime) {
  for (const int cpu : cpus) {
    cores_.push_back(std::make_unique<Core>());
    Core& core = *cores_.back();
    core.thread = std::thread([this, &core, cpu, realtime] { serve(core, cpu, realtime); });
  }
}

CpuWorkers::~CpuWorkers() {
  for (const auto& core : cores_) {
    {
      const std::lock_guard lock(core->mutex);
      core->stop = true;
      core->urgent = INT64_MAX;  // the running work checks it
    }
    core->arrival.notify_one();
  }
  for (const auto& core : cores_) core->thread.join();
}

void CpuWorkers::submit(const CpuWork& work, OpId op, const std::function<void()>* function) {
  Core& core = *cores_[static_cast<std::size_t>(work.core)];
  {
    const std::lock_guard lock(core.mutex);
    // Behind (that is, left of) all that are as urgent: those were there first.
    const auto place = std::lower_bound(
        core.ready.begin(), core.ready.end(), work.priority,
        [](const Work& other, std::int64_t priority) { return other.priority < priority; });
    core.ready.insert(place, {op, work.priority, work.load.ns(), 0, function, {}});
    core.urgent = core.ready.back().priority;
  }
  core.arrival.notify_one();
}

void CpuWorkers::serve(Core& core, int cpu, bool realtime) {
  host::pin_to(cpu);
  if (realtime && host::make_realtime(50)) realtime_ = true;
  std::unique_lock lock(core.mutex);
  for (;;) {
    if (core.ready.empty() && !core.stop) {
      lock.unlock();
      const std::int64_t until = host::now_ns() + kWatch;
      while (core.urgent.load(std::memory_order_relaxed) == INT64_MIN && host::now_ns() < until) {
        host::relax();
      }
      lock.lock();
      core.arrival.wait(lock, [&] { return core.stop || !core.ready.empty(); });
    }
    if (core.stop) return;
    Work work = core.ready.back();
    core.ready.pop_back();
    core.urgent = core.ready.empty() ? INT64_MIN : core.ready.back().priority;
    lock.unlock();
    if (work.start == 0) work.start = host::now_ns();
    bool preempted = false;
    if (work.function != nullptr) {
      try {
        (*work.function)();
      } catch (const std::exception& problem) {
        work.problem = problem.what();
      } catch (...) {
        work.problem = "a function of the user threw something that is not an exception";
      }
    } else {
      const std::int64_t begin = host::thread_ns();
      std::int64_t used = 0;
      for (std::int64_t look = kSlice; used < work.left_ns && !preempted;) {
        host::relax();
        used = host::thread_ns() - begin;
        if (used < look) continue;
        look = used + kSlice;
        preempted = core.urgent.load(std::memory_order_relaxed) > work.priority;
      }
      work.left_ns -= used;
      preempted = preempted && work.left_ns > 0;
    }
    if (!preempted) finish(work);
    lock.lock();
    if (preempted) {
      // Goes on before all that are as urgent.
      const auto place = std::upper_bound(
          core.ready.begin(), core.ready.end(), work.priority,
          [](std::int64_t priority, const Work& other) { return priority < other.priority; });
      core.ready.insert(place, work);
    }
  }
}

void CpuWorkers::finish(const Work& work) {
  const std::lock_guard lock(done_mutex_);
  done_.push_back({work.op, work.start, host::now_ns(), work.problem});
  finished_.fetch_add(1, std::memory_order_release);
}

std::vector<CpuDone> CpuWorkers::take_done() {
  const std::lock_guard lock(done_mutex_);
  finished_ = 0;
  return std::exchange(done_, {});
}

}  // namespace tactus::runtime::gpu
