#include "tactus/experiment/store/raw.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <vector>

#include "tactus/experiment/store/own_store.hpp"
#include "tactus/experiment/store/set_row.hpp"
#include "tactus/experiment/store/sqlite.hpp"
#include "tactus/experiment/store/stored.hpp"

namespace tactus::experiment {
namespace {

struct PointRow {
  std::int64_t experiment, point, seed;
  std::string name, case_name, x;
  const std::vector<OwnSet>* own = nullptr;  ///< the systems, where they are from files
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

std::vector<PointRow> points_of(const Database& database) {
  std::vector<PointRow> points;
  Statement rows(database,
                 "SELECT experiment, point, seed, name, case_name, x FROM points "
                 "NATURAL JOIN experiments ORDER BY experiment, point");
  while (rows.step()) {
    points.push_back({rows.integer(0), rows.integer(1), rows.integer(2), rows.text(3), rows.text(4),
                      rows.text(5), nullptr});
  }
  return points;
}

/// The experiments over files, by their number; the others are not needed here.
std::map<std::int64_t, Experiment> experiments_over_files(const Database& database) {
  std::map<std::int64_t, Experiment> all;
  Statement rows(database, "SELECT experiment, file FROM experiments ORDER BY experiment");
  while (rows.step()) {
    auto own = read_own_sets(database, rows.integer(0));
    if (!own) continue;
    ReadExperiment read = read_experiment(rows.text(1), {.known = std::move(own)});
    if (!read.experiment) throw SqliteError("an experiment in it cannot be read by this tactus");
    all.emplace(rows.integer(0), std::move(*read.experiment));
  }
  return all;
}

/// The verdicts on the sets of a point from `first` on, as many sets as are read at once.
std::vector<RawVerdict> read_block(const Database& database, const PointRow& point,
                                   const std::vector<CurveRow>& curves, bool with_times,
                                   std::int64_t first) {
  constexpr std::int64_t kBlock = 1024;
  Statement rows(database,
                 "SELECT set_index, utilisation, statuses, amounts, times FROM sets "
                 "WHERE experiment = ? AND point = ? AND set_index >= ? AND "
                 "set_index < ? ORDER BY set_index");
  rows.bind(point.experiment).bind(point.point).bind(first).bind(first + kBlock);
  std::vector<RawVerdict> block;
  while (rows.step()) {
    const auto found = read_row(rows.text(2), rows.text(3), rows.text(4), curves.size());
    for (std::size_t c = 0; c < curves.size(); ++c) {
      if (!found[c].judged) continue;
      RawVerdict& verdict = block.emplace_back();
      verdict.experiment = point.name;
      verdict.case_name = point.case_name;
      verdict.x = point.x;
      verdict.seed = point.seed;
      verdict.set = stored_set(rows.integer(0));
      verdict.utilisation = rows.integer(1);
      verdict.line = curves[c].line;
      verdict.variant = curves[c].variant;
      verdict.status = found[c].status;
      verdict.value = found[c].value;
      if (with_times) verdict.ns = found[c].ns;
      if (point.own == nullptr) continue;
      verdict.place = (*point.own)[stored_point(verdict.set, point.own->size())].place;
    }
  }
  return block;
}

/// The first set of a point from `first` on; sets can be missing while a run goes on.
std::optional<std::int64_t> next_set(const Database& database, const PointRow& point,
                                     std::int64_t first) {
  Statement row(database,
                "SELECT min(set_index) FROM sets "
                "WHERE experiment = ? AND point = ? AND set_index >= ?");
  row.bind(point.experiment).bind(point.point).bind(first);
  row.step();
  const auto found = row.optional_integer(0);
  return found ? std::optional(stored_set(*found)) : std::nullopt;
}

}  // namespace

std::optional<Error> for_each_verdict(const std::string& path, bool with_times,
                                      const std::function<bool(const RawVerdict&)>& take) {
  const std::string file = store_file(path);
  if (!std::filesystem::exists(file)) return Error{fmt::format("there is no store {}", file)};
  try {
    const Database database(file, Database::Mode::kRead);
    check_schema(database);
    // Nothing is passed on while the file is locked: `take` may be slow, and a run that writes the
    // file waits for us.
    std::vector<PointRow> all_points = points_of(database);
    const std::map<std::int64_t, Experiment> over_files = experiments_over_files(database);
    for (PointRow& point : all_points) {
      if (const auto found = over_files.find(point.experiment); found != over_files.end()) {
        const auto all = experiment::points_of(found->second);
        const std::size_t index = stored_point(point.point, all.size());
        point.own = &found->second.own->groups[all[index].group];
      }
      const std::vector<CurveRow> curves = curves_of(database, point.experiment);
      for (auto set = next_set(database, point, 0); set;) {
        const std::vector<RawVerdict> block = read_block(database, point, curves, with_times, *set);
        if (block.empty()) throw SqliteError("verdicts are missing");
        for (const RawVerdict& verdict : block) {
          if (!take(verdict)) return std::nullopt;
        }
        set = next_set(database, point, block.back().set + 1);
      }
    }
    return std::nullopt;
  } catch (const std::exception& problem) {
    return Error{fmt::format("cannot read {}: {}", file, problem.what())};
  }
}

}  // namespace tactus::experiment
