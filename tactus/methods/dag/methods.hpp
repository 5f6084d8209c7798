#pragma once

#include "tactus/methods/method.hpp"

/// The four methods around "Exploiting Dependency and Parallelism" (DAC 2026): makespan bounds and
/// plans for one graph of malleable kernels. docs/methods/dag.md.
namespace tactus::dag {

extern const Method kBalanced, kGreedy, kGreedyUnaware, kGraham;

}  // namespace tactus::dag
