#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/methods/method.hpp"

namespace tactus::experiment {

/// What the measure says about a set that the method accepts, from simulated runs of it: 1 if a job
/// misses its deadline in one of them (or, without a deadline, its bound), else 0 (`missed`); in millionths, the smallest ratio of a
/// task's bound to its longest response (`tightness`), which is nothing if no task has both. The
/// same seed gives the same runs. Meaningless after a stop.
std::optional<std::int64_t> simulated_value(const Experiment& experiment, const System& system,
                                            const Method& method, const Verdict& verdict,
                                            std::uint64_t seed, const std::stop_token& stop);

}  // namespace tactus::experiment
