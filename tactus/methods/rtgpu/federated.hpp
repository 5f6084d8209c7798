#pragma once

#include <optional>
#include <vector>

#include "tactus/methods/rtgpu/family.hpp"
#include "tactus/methods/rtgpu/response.hpp"
#include "tactus/methods/rtgpu/rtgpu_task_set.hpp"

namespace tactus::rtgpu {

/// The RTGPU analysis (Section 5 of the paper): SMs always belong to one task, the CPU cores are
/// preemptive, the buses are not. R_k depends on the SMs of tasks 0..k only, so the tasks are
/// placed one after the other, most urgent first:
///
///     FederatedAnalysis analysis(set, options);
///     for (k = 0; ...) {
///       ResponseTest test = analysis.test_of(k);
///       test.bound_segments();                        // MR and CR do not depend on GN_k
///       ... test.bound(kernel_time(set.tasks[k], count), window) ...
///       analysis.place(k, count);                     // from now on k interferes with the others
///     }
class FederatedAnalysis {
 public:
  /// Without terms and without a plan, reports have bounds only.
  FederatedAnalysis(const TaskSet& set, const Options& options);

  /// Without segment bounds. @pre exactly the tasks before k have been placed. Valid until one of
  /// them is taken back.
  ResponseTest test_of(std::size_t k) const;
  /// `bound` is the result of the test for these SMs and that window. @pre it has segment bounds.
  TaskReport report(std::size_t k, const ResponseTest& test, std::int64_t sms, BusWindow window,
                    std::optional<Time> bound) const;
  /// Test and report in one.
  TaskReport report(std::size_t k, std::int64_t sms, BusWindow window) const;
  void place(std::size_t k, std::int64_t sms);
  /// Takes task k and those after it back.
  void take_back_from(std::size_t k);

 private:
  ResourceIndex core(const ChainTask& task) const { return static_cast<ResourceIndex>(task.core); }
  ResourceIndex bus(std::size_t index) const {
    return static_cast<ResourceIndex>(set_.cores + index);
  }
  std::vector<Piece> pieces_of(const ChainTask& task, std::int64_t sms) const;

  const TaskSet& set_;
  bool terms_, plan_;
  std::vector<Users> users_;  ///< by resource: cores, then buses
  /// By bus, then by rank: the longest copy of less urgent and best-effort tasks.
  std::vector<std::vector<Time>> blocking_;
};

/// Sum of GR^ of a task.
Time kernel_time(const ChainTask& task, std::int64_t sms);

/// Every task under a given allocation.
std::vector<TaskReport> analyze_allocation(const TaskSet& set, const Counts& counts,
                                           BusWindow window, const Options& options = {});

}  // namespace tactus::rtgpu
