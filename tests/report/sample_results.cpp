#include "sample_results.hpp"

#include <cstdint>

namespace tactus::report {

using namespace experiment;

Results sample_results(std::vector<std::string> methods, std::size_t cases) {
  Results results;
  Experiment& experiment = results.experiment;
  experiment.name = "sample";
  experiment.title = "A sample";
  experiment.sweep = {"Utilisation", {"u"}, {"0.5", "1.0", "1.5"}, {}};
  experiment.sets = results.sets = 100;
  for (std::size_t i = 0; i < cases; ++i) {
    const std::string name = cases == 1 ? "" : "case" + std::to_string(i + 1);
    experiment.cases.push_back({name, name, {}});
  }
  for (const std::string& method : methods) {
    experiment.lines.push_back({method, "", method, {"safe", "paper"}, {}, "", {}, ""});
  }
  results.points = points_of(experiment);
  results.curves = curves_of(experiment);
  for (const Point& point : results.points) {
    for (const Curve& curve : results.curves) {
      Cell cell;
      cell.sets = cell.values = 100;
      cell.y = 100 - 30 * std::stod(point.x) - 4 * static_cast<double>(curve.index) -
               5 * static_cast<double>(point.case_index);
      cell.accepted = static_cast<std::int64_t>(cell.y);
      cell.low = cell.y - 5;
      cell.high = cell.y + 4;
      results.cells.push_back(cell);
    }
  }
  results.weighted.assign(cases * results.curves.size(), {50, 40, 60, 100, 0});
  return results;
}

Results sample_results() { return sample_results({"gcaps.suspend.prio", "mpcp.busy"}, 1); }

}  // namespace tactus::report
