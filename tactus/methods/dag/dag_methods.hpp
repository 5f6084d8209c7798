#pragma once

#include "tactus/methods/method.hpp"

/// The four methods around "Exploiting Dependency and Parallelism" (DAC 2026): makespan bounds and
/// plans for one graph of malleable kernels. docs/use/methods/dag.md.
namespace tactus::dag {

/// The variant that follows the paper as printed, and what its output says.
inline constexpr std::string_view kPaper = "paper";
inline constexpr std::string_view kPrintedWarning =
    "the bound follows the paper as printed and is not guaranteed: a run of this plan can take "
    "longer (docs/use/methods/dag.md, E1-E3)";

extern const Method kBalanced, kGreedy, kGreedyUnaware, kGraham;

}  // namespace tactus::dag
