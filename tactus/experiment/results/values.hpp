#pragma once

#include <string>
#include <vector>

#include "tactus/experiment/results/results.hpp"

/// What was found about every set, in the units of figures: for histograms, boxes and clouds, which
/// a summary of a point cannot give.
namespace tactus::experiment {

enum class Quantity {
  kMeasured,  ///< what the experiment measures
  kTime,      ///< time of the analysis, ms
};

/// [point * curves + curve][n-th set of the point]; NaN where a set has no value. All curves of a
/// point have the same sets in the same order.
using SetValues = std::vector<std::vector<double>>;

/// `store` is a file or a folder with a `results.db`.
Result<SetValues> read_values(const std::string& store, const Results& results, Quantity quantity);

}  // namespace tactus::experiment
