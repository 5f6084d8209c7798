#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/methods/pbs/pbs_task_set.hpp"

namespace tactus::pbs {

/// Whether a batch fits (docs/use/methods/pbs.md): the hardware block scheduler as a model. Every block
/// of every kernel, in submission order, goes to the SM with the most room for it, ties to the
/// lowest index; a batch fits when all blocks are resident at once.
///
/// Placing one block lowers the room of its SM for that kernel by exactly one, so a whole grid is
/// placed by levelling the rooms down, without a loop over blocks.
///
///     Placement gpu(set);
///     gpu.add(a) && gpu.add(b);   // does the batch [a, b] fit?
class Placement {
 public:
  explicit Placement(const TaskSet& set);

  /// Places all blocks of a kernel, or leaves everything as it was and says no.
  bool add(std::uint32_t kernel);

  /// What is left, SM by SM: equal vectors have equal futures.
  const std::vector<Resources>& free() const { return free_; }

 private:
  const TaskSet& set_;
  std::vector<Resources> free_;
  std::vector<std::int64_t> room_;
};

/// Whether the kernels fit in this submission order. A batch of one always passes: a grid larger
/// than the GPU runs in waves, and its wcet covers that.
bool fits(const TaskSet& set, std::span<const std::uint32_t> order);

/// Shortcut (a): when every kernel has the same per-block need, the order is irrelevant and a batch
/// fits iff its blocks are at most this many. Nothing when needs differ or there is no block data.
std::optional<std::int64_t> common_capacity(const TaskSet& set);

/// Shortcut (b): sums that exceed the whole GPU in some resource fit in no order.
bool exceeds_gpu(const TaskSet& set, std::span<const std::uint32_t> kernels);

}  // namespace tactus::pbs
