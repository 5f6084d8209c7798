#include "tactus/experiment/results.hpp"

#include <fmt/core.h>

#include <filesystem>

#include "tactus/experiment/set_row.hpp"
#include "tactus/experiment/sqlite.hpp"
#include "tactus/experiment/statistics.hpp"
#include "tactus/experiment/store.hpp"

namespace tactus::experiment {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

/// Goes through the sets of an experiment in order and sums up point by point, so that memory
/// depends on the sets of one point at most.
class Summing {
 public:
  explicit Summing(Results& results) : results_(results), curves_(results.curves.size()) {
    results_.cells.resize(results_.points.size() * curves_);
    results_.lost.resize(results_.points.size() * curves_ * curves_);
    hits_.resize(results_.experiment.cases.size() * curves_);
    weights_.resize(results_.experiment.cases.size());
    values_.resize(curves_);
    const std::string& base = results_.experiment.relative_to;
    for (const Curve& curve : results_.curves) {
      std::size_t divisor = curve.index;
      for (std::size_t line = 0; line < results_.experiment.lines.size(); ++line) {
        if (results_.experiment.lines[line].name == base) {
          divisor = curve_of(results_.curves, line, curve.variant).index;
        }
      }
      divisors_.push_back(divisor);
    }
  }

  /// All rows of one set.
  struct Row {
    Status status = Status::kNotApplicable;
    std::optional<double> value;
  };

  void add(std::size_t point, double utilisation, const std::vector<Row>& rows) {
    if (point != point_) finish_point();
    point_ = point;
    const std::size_t in = results_.points[point].case_index;
    weights_[in] += utilisation;
    for (std::size_t c = 0; c < curves_; ++c) {
      Cell& cell = results_.cells[point * curves_ + c];
      ++cell.sets;
      cell.undecided += rows[c].status == Status::kUndecided ? 1 : 0;
      cell.not_applicable += rows[c].status == Status::kNotApplicable ? 1 : 0;
      if (auto value = value_of(rows, c)) values_[c].push_back(*value);
      if (rows[c].status != Status::kSchedulable) continue;
      ++cell.accepted;
      hits_[in * curves_ + c] += utilisation;
      for (std::size_t loser = 0; loser < curves_; ++loser) {
        if (rows[loser].status == Status::kSchedulable) continue;
        ++results_.lost[(point * curves_ + loser) * curves_ + c];
      }
    }
  }

  void finish() {
    finish_point();
    const bool applies = results_.experiment.measure == Measure::kAccepted;
    for (std::size_t in = 0; in < weights_.size(); ++in) {
      for (std::size_t c = 0; c < curves_; ++c) {
        const bool known = applies && weights_[in] > 0;
        results_.weighted.push_back(known ? 100 * hits_[in * curves_ + c] / weights_[in]
                                          : kNothing);
      }
    }
  }

 private:
  std::optional<double> value_of(const std::vector<Row>& rows, std::size_t curve) const {
    if (!rows[curve].value || results_.experiment.relative_to.empty()) return rows[curve].value;
    const auto& base = rows[divisors_[curve]].value;
    if (!base || *base <= 0) return std::nullopt;
    return *rows[curve].value / *base;
  }

  void finish_point() {
    const bool accepted = results_.experiment.measure == Measure::kAccepted;
    const bool missed = results_.experiment.measure == Measure::kMissed;
    for (std::size_t c = 0; c < curves_; ++c) {
      Cell& cell = results_.cells[point_ * curves_ + c];
      if (cell.sets == 0) continue;
      const Summary summary = summarise(values_[c]);
      cell.values = static_cast<std::int64_t>(values_[c].size());
      cell.y = summary.mean;
      cell.low = summary.low;
      cell.high = summary.high;
      cell.least = summary.least;
      cell.quartile1 = summary.quartile1;
      cell.median = summary.median;
      cell.quartile3 = summary.quartile3;
      cell.most = summary.most;
      values_[c].clear();
      if (!accepted && !missed) continue;
      if (accepted) cell.values = cell.sets;
      if (cell.values == 0) continue;
      const auto sets = static_cast<double>(cell.values);
      const double hits = accepted ? static_cast<double>(cell.accepted) : cell.y * sets;
      const Interval interval = wilson(hits, sets);
      cell.y = 100 * hits / sets;
      cell.low = 100 * interval.low;
      cell.high = 100 * interval.high;
    }
  }

  Results& results_;
  const std::size_t curves_;
  std::size_t point_ = 0;
  std::vector<std::vector<double>> values_;  ///< of the point at hand, by curve
  std::vector<double> hits_, weights_;       ///< utilisation accepted, and in all, by case
  std::vector<std::size_t> divisors_;        ///< the curve each is divided by
};

/// What a stored number counts as in y.
double scale_of(Measure measure) {
  constexpr double kMillisecond = 1e-6, kMillionth = 1e-6;  // in ns; of a ratio
  if (measure == Measure::kTightness) return kMillionth;
  return measure == Measure::kBound || measure == Measure::kTime ? kMillisecond : 1;
}

void sum_up(const Database& database, std::int64_t id, Results& results) {
  const Measure measure = results.experiment.measure;
  const double scale = scale_of(measure);
  Summing summing(results);
  Statement sets(database,
                 "SELECT point, set_index, utilisation, statuses, amounts, times FROM sets "
                 "WHERE experiment = ? ORDER BY point, set_index");
  sets.bind(id);
  std::vector<Summing::Row> rows(results.curves.size());
  while (sets.step()) {
    const auto verdicts = read_row(sets.text(3), sets.text(4), sets.text(5), rows.size());
    for (std::size_t c = 0; c < rows.size(); ++c) {
      rows[c].status = verdicts[c].status;
      const auto value =
          measure == Measure::kTime ? std::optional(verdicts[c].ns) : verdicts[c].value;
      rows[c].value = value ? std::optional(static_cast<double>(*value) * scale) : std::nullopt;
    }
    stored_set(sets.integer(1));
    const std::size_t point = stored_point(sets.integer(0), results.points.size());
    summing.add(point, static_cast<double>(sets.integer(2)), rows);
  }
  summing.finish();
}

}  // namespace

Result<std::vector<Results>> read_results(const std::string& path) {
  const std::string file = store_file(path);
  if (!std::filesystem::exists(file)) return Error{fmt::format("there is no store {}", file)};
  try {
    const Database database(file, Database::Mode::kRead);
    check_schema(database);
    std::vector<Results> all;
    Statement experiments(database,
                          "SELECT experiment, file, sets FROM experiments ORDER BY experiment");
    while (experiments.step()) {
      ReadExperiment read = read_experiment(experiments.text(1));
      if (!read.experiment) {
        throw SqliteError("an experiment in it cannot be read by this tactus: " +
                          read.diagnostics.front().message);
      }
      Results& results = all.emplace_back();
      results.experiment = std::move(*read.experiment);
      results.sets = experiments.integer(2);
      results.points = points_of(results.experiment);
      results.curves = curves_of(results.experiment);
      sum_up(database, experiments.integer(0), results);
    }
    return all;
  } catch (const std::exception& problem) {
    return Error{fmt::format("cannot read {}: {}", file, problem.what())};
  }
}

}  // namespace tactus::experiment
