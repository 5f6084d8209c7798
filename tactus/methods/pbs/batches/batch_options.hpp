#pragma once

#include <vector>

#include "tactus/methods/pbs/batches/oracle.hpp"
#include "tactus/methods/pbs/table.hpp"
#include "tactus/methods/pbs/windows.hpp"

/// Which batches of a set of kernels are eligible: completion known, blocks resident at once.
namespace tactus::pbs {

/// A completion that some eligible order of a set has, with one such order.
struct BatchOption {
  Ticks completion = 0;
  std::vector<std::uint32_t> order;
};

/// The DISTINCT completions over the eligible orders, ascending. All of them, not only the
/// smallest: under work conservation a slower order can be the only feasible one (example 9.5).
std::vector<BatchOption> options_of(const TaskSet& set, const Oracle& oracle, Mask kernels);

/// How many eligible orders have that completion; this distinguishes tables when orders count.
/// Exponential in the number of kernels if the needs of blocks differ.
std::uint64_t count_orders(const TaskSet& set, const Oracle& oracle, const Move& move);

/// The frame of a batch that starts at `start`, in an order that has that completion.
Frame frame_of(const TaskSet& set, const Oracle& oracle, Ticks start, const Move& move);

}  // namespace tactus::pbs
