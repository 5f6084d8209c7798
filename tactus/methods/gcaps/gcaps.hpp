#pragma once

#include <span>

#include "tactus/methods/gcaps/family.hpp"

namespace tactus::gcaps {

/// The response-time test of one task under GCAPS (Eqs. 7-14).
///
/// `gpu_level` orders the real-time tasks on the GPU (larger is more urgent); `responses` stand for
/// R_h in every jitter (response times where GPU and CPU order agree, deadlines else).
class GcapsTest {
 public:
  GcapsTest(const TaskSet& set, Mode mode, Variant variant)
      : set_(set), mode_(mode), variant_(variant), owner_below_(set.cores) {}

  TaskBound bound_of(std::size_t i, std::span<const std::int64_t> gpu_level,
                     std::span<const Time> responses);

 private:
  void add_own(const GpuTask& task);
  void add_local_preemption(const GpuTask& task, const GpuTask& h, Time response);
  void add_remote_owner(const GpuTask& h, Time response);

  Time eps(std::int64_t count) const { return count * set_.epsilon; }
  /// l_k: local lower-priority tasks whose updates can be in the way; none with an arbiter.
  std::int64_t local_updaters(const GpuTask& k) const {
    return variant_ == Variant::kSafe ? k.lower_gpu_users : 0;
  }

  const TaskSet& set_;
  Mode mode_;
  Variant variant_;
  Recurrence r_;
  std::vector<bool> owner_below_;
};

/// Bounds of all real-time tasks with the file's GPU priorities.
std::vector<TaskBound> gcaps_bounds(const TaskSet& set, Mode mode, Variant variant,
                                    const std::stop_token& stop = {});

}  // namespace tactus::gcaps
