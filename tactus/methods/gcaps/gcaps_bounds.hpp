#pragma once

#include <array>
#include <optional>

#include "tactus/methods/gcaps/family.hpp"

/// The bounds of all tasks by the theorem of GCAPS, and what goes with them.
namespace tactus::gcaps {

/// Why `safe-inherit` has no answer: GPU priorities in another order than CPU priorities.
std::optional<Refusal> refuse_gpu_order(const Inquiry& inquiry);

/// What a reader of these bounds must know of the file: a delay that the published equations ignore,
/// an arbiter without a core of its own.
void add_gcaps_warnings(const Inquiry& inquiry, Verdict& verdict);

/// Which variant is which at run time.
inline constexpr std::string_view kGcapsNeeds =
    "GPU contexts preempted by GPU priority. safe: a patched driver that updates on the caller's "
    "core; safe-arbiter: tactusd on a core without tasks of the file; safe-inherit: a patched "
    "driver that updates on the caller's core under an rt_mutex";

/// The variants of these methods.
inline constexpr std::array<std::string_view, 4> kGcapsVariants = {kSafe, "safe-arbiter",
                                                                   "safe-inherit", "paper"};

/// Finds the bounds of all real-time tasks with the file's GPU priorities.
void find_gcaps_bounds(const Inquiry& inquiry, BoundsMemory& memory);

/// The first of them that has none. @pre !inquiry.set.gpu_order_differs
FirstFailure first_gcaps_failure(const Inquiry& inquiry);

}  // namespace tactus::gcaps
