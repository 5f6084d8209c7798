#include "tactus/experiment/results/values.hpp"

#include <limits>

#include "tactus/experiment/results/sets.hpp"

namespace tactus::experiment {

Result<SetValues> read_values(const std::string& store, const Results& results, Quantity quantity) {
  const std::size_t curves = results.curves.size();
  const bool times = quantity == Quantity::kTime || results.experiment.measure == Measure::kTime;
  const double scale = times ? scale_of(Measure::kTime) : scale_of(results.experiment.measure);
  SetValues values(results.points.size() * curves);
  const auto problem = for_each_set(store, results, [&](const StoredSet& set) {
    for (std::size_t c = 0; c < curves; ++c) {
      const CurveVerdict& verdict = set.curves[c];
      const bool applies = verdict.judged && verdict.status != Status::kNotApplicable;
      const auto number = times ? verdict.ns : verdict.value;
      values[set.point * curves + c].push_back(applies && number
                                                   ? static_cast<double>(*number) * scale
                                                   : std::numeric_limits<double>::quiet_NaN());
    }
  });
  if (problem) return *problem;
  return values;
}

}  // namespace tactus::experiment
