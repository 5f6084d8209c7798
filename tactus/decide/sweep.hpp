#pragma once

#include <string_view>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/decide/knob.hpp"

/// What a method says while one value of a system goes from here to there.
namespace tactus::decide {

struct SweepRange {
  Knob knob;
  std::int64_t from = 0, to = 0;
};

/// Reads "camera.detect.wcet=9..12", in the unit of the file; "all=0.5..2" scales all times.
Result<SweepRange> parse_sweep(const System& system, std::string_view text);

struct SweepPoint {
  std::int64_t value = 0;
  Verdict verdict;
};

/// The verdicts at so many values (at least 2), the two ends among them. Stops early when asked to.
/// @pre the values are in order: `from` and `to` came from `parse_sweep`
std::vector<SweepPoint> sweep(const Method& method, const System& system, const Options& options,
                              const SweepRange& range, std::int64_t points);

}  // namespace tactus::decide
