#include "tactus/experiment/raw.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <vector>

#include "tactus/experiment/sqlite.hpp"
#include "tactus/experiment/store.hpp"

namespace tactus::experiment {
namespace {

struct PointRow {
  std::int64_t experiment, point, seed;
  std::string name, case_name, x;
};
struct CurveRow {
  std::string line, variant;
};

std::vector<CurveRow> curves_of(const Database& database, std::int64_t experiment) {
  std::vector<CurveRow> curves;
  Statement rows(database, "SELECT line, variant FROM curves WHERE experiment = ? ORDER BY curve");
  rows.bind(experiment);
  while (rows.step()) curves.push_back({rows.text(0), rows.text(1)});
  return curves;
}

bool hand_out(const Database& database, const PointRow& point, const std::vector<CurveRow>& curves,
              bool with_times, const std::function<bool(const RawVerdict&)>& take) {
  Statement rows(database, with_times
                               ? "SELECT set_index, utilisation, curve, status, value, ns "
                                 "FROM sets NATURAL JOIN verdicts NATURAL JOIN times "
                                 "WHERE experiment = ? AND point = ? ORDER BY set_index, curve"
                               : "SELECT set_index, utilisation, curve, status, value, NULL "
                                 "FROM sets NATURAL JOIN verdicts "
                                 "WHERE experiment = ? AND point = ? ORDER BY set_index, curve");
  rows.bind(point.experiment).bind(point.point);
  RawVerdict verdict;
  verdict.experiment = point.name;
  verdict.case_name = point.case_name;
  verdict.x = point.x;
  verdict.seed = point.seed;
  while (rows.step()) {
    verdict.set = rows.integer(0);
    verdict.utilisation = rows.integer(1);
    const CurveRow& curve = curves.at(static_cast<std::size_t>(rows.integer(2)));
    verdict.line = curve.line;
    verdict.variant = curve.variant;
    verdict.status = static_cast<Status>(rows.integer(3));
    verdict.value = rows.optional_integer(4);
    verdict.ns = rows.optional_integer(5);
    if (!take(verdict)) return false;
  }
  return true;
}

}  // namespace

std::optional<Error> for_each_verdict(const std::string& path, bool with_times,
                                      const std::function<bool(const RawVerdict&)>& take) {
  const std::string file = store_file(path);
  if (!std::filesystem::exists(file)) return Error{fmt::format("there is no store {}", file)};
  try {
    const Database database(file, Database::Mode::kRead);
    Statement rows(database,
                   "SELECT experiment, point, seed, name, case_name, x FROM points "
                   "NATURAL JOIN experiments ORDER BY experiment, point");
    while (rows.step()) {
      const PointRow point = {rows.integer(0), rows.integer(1), rows.integer(2),
                              rows.text(3),    rows.text(4),    rows.text(5)};
      if (!hand_out(database, point, curves_of(database, point.experiment), with_times, take)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  } catch (const std::exception& problem) {
    return Error{fmt::format("cannot read {}: {}", file, problem.what())};
  }
}

}  // namespace tactus::experiment
