#pragma once

#include <cstdint>
#include <optional>

#include "tactus/methods/method.hpp"

/// Chains that are too long although every task is in time: what else may be chosen, so that they hold.
namespace tactus::decide {

/// What may be changed: tasks take each other off the GPU in another order, or less often.
struct GpuChoice {
  bool order = false, thresholds = false;
};

/// The system with other GPU priorities and thresholds, with which every chain holds; nothing where
/// none were found. @param method one that takes them as they are
/// @param analyses is counted on, and not much beyond `most`
std::optional<System> with_gpu_choice_for_chains(const Method& method, const System& system,
                                                 const Options& options, GpuChoice what,
                                                 std::int64_t most, std::int64_t& analyses);

/// The system with other offsets, with which its chains of fixed phases are as short as these bounds
/// allow, as far as steps of one task at a time lead; nothing where none are shorter.
/// @param verdict on a system with these tasks, in which all are in time
std::optional<System> with_offsets_for_chains(const System& system, const Verdict& verdict);

}  // namespace tactus::decide
