#pragma once

#include "tactus/base/random.hpp"
#include "tactus/model/system.hpp"

namespace tactus::gcaps::tests {

/// A random system that all ten methods accept, and that is small, odd and near the edge: 1-4
/// cores, 1-8 tasks, up to three GPU segments of one to three gpu or copy nodes (on up to two elements, exclusive or shared), segments of length
/// zero, best-effort tasks with and without a period, deadlines below periods, free overheads, GPU
/// priorities that disagree with CPU priorities across cores, nodes listed out of order, times down
/// to the nanosecond. About half of the systems are schedulable by some method.
System random_system(Random& random);

/// As `random_system`, but GPU priorities follow CPU priorities.
System random_system_with_default_gpu_priorities(Random& random);

/// Gives every real-time task a GPU priority: a random merge of the cores' tasks that keeps the CPU
/// order on each core, as the methods ask.
void assign_gpu_priorities(System& system, Random& random);

/// Most launches overlap with the GPU work of their node.
void set_overlaps(System& system, Random& random);

/// Makes kernels of its copies: the published equations see no difference.
void make_kernels_of_copies(System& system);

}  // namespace tactus::gcaps::tests
