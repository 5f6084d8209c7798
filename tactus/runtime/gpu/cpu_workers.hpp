#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tactus/runtime/device.hpp"

namespace tactus::runtime::gpu {

/// A CPU node that ended.
struct CpuDone {
  OpId op = 0;
  std::int64_t start = 0, end = 0;  ///< CLOCK_MONOTONIC, ns
  std::string problem;              ///< what a user's function threw
};

/// One pinned thread for each core that plans may use. It runs the most urgent work of its core;
/// synthetic work (a given CPU time) is done in slices of a few microseconds, between which more
/// urgent work goes first. So preemption needs no privileges, and costs no more than a slice. A
/// user's function is run as a whole.
class CpuWorkers {
 public:
  /// @param cpus  the CPU of each core
  CpuWorkers(const std::vector<int>& cpus, bool realtime);
  ~CpuWorkers();
  CpuWorkers(const CpuWorkers&) = delete;
  CpuWorkers& operator=(const CpuWorkers&) = delete;

  std::int64_t cores() const { return std::ssize(cores_); }
  /// @pre work.core is below the number of cores.
  void submit(const CpuWork& work, OpId op, const std::function<void()>* function);
  bool anything_done() const { return finished_.load(std::memory_order_acquire) > 0; }
  std::vector<CpuDone> take_done();
  /// Whether SCHED_FIFO was asked for and given.
  bool realtime() const { return realtime_; }

 private:
  struct Work {
    OpId op = 0;
    std::int64_t priority = 0, left_ns = 0, start = 0;
    const std::function<void()>* function = nullptr;
    std::string problem;
  };
  struct Core {
    std::mutex mutex;
    std::condition_variable arrival;
    std::vector<Work> ready;                      ///< most urgent last; guarded by `mutex`
    std::atomic<std::int64_t> urgent{INT64_MIN};  ///< the priority of ready.back()
    bool stop = false;
    std::thread thread;
  };

  void serve(Core& core, int cpu, bool realtime);
  void finish(const Work& work);

  std::vector<std::unique_ptr<Core>> cores_;
  std::mutex done_mutex_;
  std::vector<CpuDone> done_;
  std::atomic<int> finished_{0};
  std::atomic<bool> realtime_{false};
};

}  // namespace tactus::runtime::gpu
