#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/runtime/device.hpp"
#include "tactus/runtime/gpu/cpu_workers.hpp"
#include "tactus/runtime/gpu/thread_settings.hpp"

namespace tactus::runtime::gpu {

/// The host's part of a machine with a GPU: the thread that runs the plan, and the threads that do
/// the CPU work. Times are CLOCK_MONOTONIC, ns.
class HostSide {
 public:
  /// That CPU work can be pinned to. The plan's own thread keeps the last CPU for itself where there
  /// are several; the first, which serves interrupts and the system's own threads, is the last to get
  /// work.
  static std::int64_t cores();

  /// From now on the calling thread runs the plan. Returns what was arranged for `realtime`, as a
  /// line for the report; empty where nothing was asked for.
  std::string start(bool realtime);
  /// The same on these CPUs, in this order.
  std::string start(bool realtime, const std::vector<int>& cpus);

  /// @pre start() was called, by the same thread.
  std::optional<Error> submit(const CpuWork& work, OpId op, const std::function<void()>* function);
  bool idle() const { return submitted_.empty(); }
  /// Adds what has ended, on a clock that starts at `origin`.
  void collect(std::int64_t origin, std::vector<Completion>& done);
  /// May it sleep while there is nothing to do for long? Else it polls.
  bool sleeps() const { return sleeps_; }

 private:
  std::optional<ThreadSettings> settings_;  ///< of the caller, before the start
  std::unique_ptr<CpuWorkers> workers_;
  std::map<OpId, std::int64_t> submitted_;
  bool sleeps_ = true;
};

}  // namespace tactus::runtime::gpu
