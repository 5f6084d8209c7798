#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/experiment/describe/experiment.hpp"

/// What came out of an experiment, computed from a store.
namespace tactus::experiment {

/// One point of one curve. `y` is what the measure says (percent, ms, a quotient, a count), NaN
/// when no set has a value; `low` and `high` are its 95 % interval.
struct Cell {
  std::int64_t sets = 0;  ///< judged so far
  std::int64_t accepted = 0, undecided = 0, not_applicable = 0;
  std::int64_t values = 0;  ///< sets that count in `y`; those that do not apply never do
  double y = 0, low = 0, high = 0;
  /// Of the values; NaN for the measure `accepted`.
  double least = 0, quartile1 = 0, median = 0, quartile3 = 0, most = 0;
};

/// Weighted schedulability of one curve in one case, percent, with its 95 % interval; NaN where it
/// does not apply.
struct Weighted {
  double percent, low, high;
  std::int64_t sets = 0, not_applicable = 0;
};

struct Results {
  std::int64_t id = 0;  ///< in the store
  std::string file;     ///< the experiment file as it was read
  Experiment experiment;
  std::int64_t sets = 0;  ///< asked for, a point
  std::vector<Point> points;
  std::vector<Curve> curves;
  std::vector<Cell> cells;         ///< [point * curves + curve]
  std::vector<Weighted> weighted;  ///< [case * curves + curve]
  /// [(point * curves + a) * curves + b]: how many sets b accepts and a, which applies, does not.
  std::vector<std::int64_t> lost;
  /// Of each curve that does not apply to all sets: why not, for the first such set; else empty.
  std::vector<std::string> reasons;

  const Cell& cell(std::size_t point, std::size_t curve) const {
    return cells[point * curves.size() + curve];
  }
  const Weighted& weighted_of(std::size_t case_index, std::size_t curve) const {
    return weighted[case_index * curves.size() + curve];
  }
};

/// What a stored number counts as in `y`.
double scale_of(Measure measure);

/// The results in a store, which is a file or a folder with a `results.db`. Points that were not
/// run have cells with no sets.
Result<std::vector<Results>> read_results(const std::string& path);

}  // namespace tactus::experiment
