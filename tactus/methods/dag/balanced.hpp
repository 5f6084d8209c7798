#pragma once

#include "tactus/methods/dag/groups.hpp"
#include "tactus/methods/dag/schedule.hpp"

namespace tactus::dag {

/// The shortest time T >= t_min within which all `loads` can run side by side: the smallest with
/// sum of max(1, ceil(load / T)) <= M. Min-max optimal.
/// @pre 1 <= loads.size() <= kernels.sms.
Time balance(const KernelGraph& kernels, std::span<const Time> loads);

/// The repaired method (theory.md, "Steps"), groups of at most `cap` nodes.
/// @throws Stopped when the caller asks to stop.
Schedule schedule_balanced(const KernelGraph& kernels, const Ancestry& ancestry, std::int64_t cap,
                           const std::stop_token& stop = {});

/// The best bound over several group caps (`--effort high`); never worse than the plain method.
Schedule schedule_balanced_best_cap(const KernelGraph& kernels, const Ancestry& ancestry,
                                    const std::stop_token& stop = {});

/// Algorithm 2 as printed. Its bound is NOT guaranteed.
Schedule schedule_printed(const KernelGraph& kernels, const Ancestry& ancestry);

}  // namespace tactus::dag
