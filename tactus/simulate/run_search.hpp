#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "tactus/base/random.hpp"
#include "tactus/model/system.hpp"
#include "tactus/trace/scenario.hpp"

/// Which runs of a system a hunt looks at.
namespace tactus::simulate {

enum class Search {
  kRandom,   ///< scenarios drawn at random
  kClimb,    ///< step by step towards longer responses, of one task after the other
  kOffsets,  ///< every offset on the grid of the system's periods, while there are not too many
};

std::optional<Search> search_named(std::string_view name);

/// Runs a system as it is, at its offsets where the scenario says so, and returns how far its tasks
/// and its chains were from their bounds: the longest of each as a share of its bound. Nothing: stop.
using Try =
    std::function<std::optional<std::vector<double>>(const System&, const trace::Scenario&)>;

/// Climbs for each task with a deadline and for each chain in turn, `steps` runs for each.
void climb(const System& system, std::uint64_t steps, Random random, const Try& attempt);

/// All offsets, each with the orders of simultaneous events, and with full lengths or early first
/// phases. At most this many runs; beyond it, offsets are drawn.
void try_offsets(const System& system, std::uint64_t most, Random random, const Try& attempt);

}  // namespace tactus::simulate
