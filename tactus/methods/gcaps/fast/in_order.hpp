#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tactus/methods/gcaps/fast/shared_demand.hpp"
#include "tactus/methods/gcaps/gcaps.hpp"

namespace tactus::gcaps {

/// Response times under GCAPS of one task after the other, most urgent first, where GPU and CPU order
/// agree. What delays a task then delays every less urgent one too: the demands of a core's tasks
/// for the tasks below them there, and those of all GPU owners (and of those above them on their
/// cores) for every other core. They are kept in lists that grow task by task, so that no task goes
/// through all others again.
///
/// @pre !set.gpu_order_differs.
class GcapsInOrder {
 public:
  GcapsInOrder(const TaskSet& set, GcapsTest& test, std::span<const std::int64_t> gpu_level);

  /// The response time of task i, given those of all before it; nothing where that takes many
  /// steps or is beyond the deadline, which `GcapsTest::bound_of` then says. To be asked of all
  /// tasks in their order.
  std::optional<FixedPoint> response_of(std::size_t i, std::span<const Time> responses);

 private:
  /// Demands that count for a task whose own level is below theirs; levels fall along the list.
  struct ByLevel {
    SharedDemand demand;
    std::vector<std::int64_t> levels;

    void add(const Recurrence::Demand& one, std::int64_t level);
    /// How many count above this level.
    std::size_t above(std::int64_t level) const;
  };
  /// A task whose demands are all demands of the next one of its kind, too.
  struct Before {
    Time window, constants;
    Time first_job;  ///< what it adds itself, at least
    bool closed = false;
  };

  /// Adds what delays the tasks below task h.
  void take_in(std::size_t h, Time response, std::span<const Time> responses);
  Time start_of(std::size_t i, const Recurrence& own) const;

  const TaskSet& set_;
  GcapsTest& test_;
  std::span<const std::int64_t> gpu_level_;
  Recurrence own_{/*for_terms=*/false};  ///< what does not depend on the window
  // By core:
  std::vector<SharedDemand> local_;      ///< for all tasks below
  std::vector<SharedDemand> local_gpu_;  ///< for tasks below that use the GPU, too
  std::vector<ByLevel> remote_;          ///< for tasks of other cores
  std::vector<std::size_t> kept_off_;    ///< how many of its tasks are in `remote_` as kept off
  std::vector<std::optional<Before>> before_[2];  ///< without and with GPU segments
  ByLevel all_remote_;                            ///< `remote_` of all cores
};

}  // namespace tactus::gcaps
