#pragma once

#include <cstdint>
#include <vector>

#include "tactus/methods/pbs/search/knowledge.hpp"

namespace tactus::pbs {

/// Proves that there is no table, with idling or without, by a core of the tasks: if already these
/// have none, then all tasks together have none.
///
/// Take the jobs of the other tasks out of the frames of a table, and a table with idling of the core
/// remains, provided that a batch without one of its kernels is still a batch and takes no longer
/// (`BatchSource::closed`). A core of half the tasks has far fewer states than the whole, and if its
/// tasks are those that take most of the time, it often has no table either.
class CoreProof {
 public:
  /// @pre `knowledge` outlives it.
  explicit CoreProof(Knowledge& knowledge)
      : know_(knowledge), size_(static_cast<std::size_t>(knowledge.features.core_from)) {}

  /// Looks at larger and larger cores of the heaviest tasks for so many steps in all; a later call
  /// goes on with the core that was not decided. Whether it found one without a table.
  bool found(std::int64_t steps);

  /// The kernels of the core that has no table. @pre found
  const std::vector<std::size_t>& kernels() const { return core_; }

 private:
  /// All tasks, those first that take most of the time by the weights of the demand bound.
  std::vector<std::size_t> heaviest_first() const;
  /// With idling; stopped after so many steps, which it takes off.
  Answer has_table(const TaskSet& core, std::int64_t& steps);

  Knowledge& know_;
  std::size_t size_;  ///< of the core to look at next
  std::vector<std::size_t> core_;
};

/// The part of a task set that is about some of its kernels, in ascending order. They keep their
/// batches: those of the whole set that contain no other kernel.
TaskSet part_of(const TaskSet& set, const std::vector<std::size_t>& kernels);

}  // namespace tactus::pbs
