#pragma once

#include "tactus/methods/dag/schedule.hpp"

/// The methods to compare with.
namespace tactus::dag {

/// dag.greedy: every kernel on as many SMs as help it, one kernel after another in the file's
/// topological order.
Schedule schedule_greedy(const KernelGraph& kernels);

/// dag.greedy-unaware: as many blocks as would help on a GPU of any size; on this one they run in
/// waves.
Schedule schedule_greedy_unaware(const KernelGraph& kernels);

/// Graham's bound on the graph of unit blocks: Lw + (W - Lw) / M.
struct Graham {
  Time path;      ///< Lw: t_min for each node of the longest path
  Time sharing;   ///< (W - Lw) / M
  Schedule plan;  ///< one step with every kernel as unit blocks; only the file's edges order them
};
Graham graham(const KernelGraph& kernels);

}  // namespace tactus::dag
