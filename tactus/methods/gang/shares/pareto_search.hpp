#pragma once

#include <optional>

#include "tactus/methods/gang/shares/solver.hpp"

namespace tactus::gang {

/// How far the closest combination of shares is from fitting: missing units by element, the fewest
/// in all. Nothing when the budget is spent first.
std::optional<std::vector<std::int64_t>> least_overflow(const AllocationProblem& problem,
                                                        std::size_t budget,
                                                        const std::stop_token& stop);

}  // namespace tactus::gang
