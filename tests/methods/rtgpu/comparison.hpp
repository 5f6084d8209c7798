#pragma once

#include <optional>
#include <string>

#include "tactus/methods/method.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tests/methods/rtgpu/builder.hpp"
#include "tests/methods/rtgpu/reference.hpp"

/// What a method says, in the words of the reference.
namespace tactus::rtgpu::testing {

std::optional<Time> time_of(const std::optional<reference::Ns>& ns);

Verdict analyze_with(std::string_view method, const System& system, const Options& options = {});

/// @pre the verdict has a plan.
const AllocationPlan& plan_of(const Verdict& verdict);

/// The allocation of a schedulable system, most urgent task first.
std::optional<reference::Counts> counts_of(const Verdict& verdict);

/// SMs drawn at random, as many as there are at most; nothing when there are too few.
std::optional<reference::Counts> random_counts(Random& random, const reference::Model& model);

/// The option `allocation` for these counts: "t0=1,t2=3".
std::string option_of(const System& system, const reference::Model& model,
                      const reference::Counts& counts);

}  // namespace tactus::rtgpu::testing
