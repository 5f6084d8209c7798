#include "tactus/experiment/results/results.hpp"

#include <fmt/core.h>

#include <filesystem>

#include "tactus/experiment/describe/intervals.hpp"
#include "tactus/experiment/results/sets.hpp"
#include "tactus/experiment/store/own_store.hpp"
#include "tactus/experiment/store/sqlite.hpp"
#include "tactus/experiment/store/stored.hpp"

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
    weights_.resize(results_.experiment.cases.size() * curves_);
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
    bool judged = true;
    Status status = Status::kNotApplicable;
    std::optional<double> value;
  };

  void add(std::size_t point, double utilisation, const std::vector<Row>& rows) {
    if (point != point_) finish_point();
    point_ = point;
    const std::size_t in = results_.points[point].case_index;
    for (std::size_t c = 0; c < curves_; ++c) {
      if (!rows[c].judged) continue;
      Cell& cell = results_.cells[point * curves_ + c];
      Weights& weights = weights_[in * curves_ + c];
      ++cell.sets;
      ++weights.sets;
      if (rows[c].status == Status::kNotApplicable) {
        ++cell.not_applicable;
        ++weights.not_applicable;
        continue;
      }
      weights.sum += utilisation;
      weights.squares += utilisation * utilisation;
      cell.undecided += rows[c].status == Status::kUndecided ? 1 : 0;
      if (auto value = value_of(rows, c)) values_[c].push_back(*value);
      if (rows[c].status != Status::kSchedulable) continue;
      ++cell.accepted;
      weights.hits += utilisation;
      for (std::size_t loser = 0; loser < curves_; ++loser) {
        const Row& other = rows[loser];
        if (!other.judged || other.status == Status::kNotApplicable ||
            other.status == Status::kSchedulable) {
          continue;
        }
        ++results_.lost[(point * curves_ + loser) * curves_ + c];
      }
    }
  }

  void finish() {
    finish_point();
    const bool applies = results_.experiment.measure == Measure::kAccepted;
    for (const Weights& weights : weights_) {
      Weighted& weighted = results_.weighted.emplace_back();
      weighted = {kNothing, kNothing, kNothing, weights.sets, weights.not_applicable};
      if (!applies || weights.sum <= 0) continue;
      const Interval interval = wilson_weighted(weights.hits, weights.sum, weights.squares);
      weighted.percent = 100 * weights.hits / weights.sum;
      weighted.low = 100 * interval.low;
      weighted.high = 100 * interval.high;
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
      const Spread spread = spread_of(values_[c]);
      cell.values = static_cast<std::int64_t>(values_[c].size());
      cell.y = spread.mean;
      cell.low = spread.low;
      cell.high = spread.high;
      cell.least = spread.least;
      cell.quartile1 = spread.quartile1;
      cell.median = spread.median;
      cell.quartile3 = spread.quartile3;
      cell.most = spread.most;
      values_[c].clear();
      if (!accepted && !missed) continue;
      if (accepted) cell.values = cell.sets - cell.not_applicable;
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
  /// Utilisation accepted, in all, and of its squares, of the sets to which a curve applies.
  struct Weights {
    double hits = 0, sum = 0, squares = 0;
    std::int64_t sets = 0, not_applicable = 0;
  };
  std::vector<Weights> weights_;       ///< [case * curves + curve]
  std::vector<std::size_t> divisors_;  ///< the curve each is divided by
};

void sum_up(const Database& database, Results& results) {
  const Measure measure = results.experiment.measure;
  const double scale = scale_of(measure);
  Summing summing(results);
  std::vector<Summing::Row> rows(results.curves.size());
  for_each_set(database, results, [&](const StoredSet& set) {
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const CurveVerdict& verdict = set.curves[c];
      rows[c].judged = verdict.judged;
      rows[c].status = verdict.status;
      const auto value = measure == Measure::kTime ? verdict.ns : verdict.value;
      rows[c].value = value ? std::optional(static_cast<double>(*value) * scale) : std::nullopt;
    }
    summing.add(set.point, static_cast<double>(set.utilisation), rows);
  });
  summing.finish();
}

/// Stores of earlier versions have none.
void read_reasons(const Database& database, Results& results) {
  results.reasons.resize(results.curves.size());
  Statement table(database, "SELECT count(*) FROM sqlite_master WHERE name = 'reasons'");
  if (!table.step() || table.integer(0) == 0) return;
  Statement rows(database, "SELECT curve, reason FROM reasons WHERE experiment = ?");
  rows.bind(results.id);
  while (rows.step()) {
    results.reasons[stored_point(rows.integer(0), results.curves.size())] = rows.text(1);
  }
}

}  // namespace

double scale_of(Measure measure) {
  constexpr double kMillisecond = 1e-6, kMillionth = 1e-6;  // in ns; of a ratio
  if (measure == Measure::kTightness) return kMillionth;
  return measure == Measure::kBound || measure == Measure::kTime ? kMillisecond : 1;
}

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
      const std::int64_t id = experiments.integer(0);
      ReadExperiment read =
          read_experiment(experiments.text(1), {.known = read_own_sets(database, id)});
      if (!read.experiment) {
        throw SqliteError("an experiment in it cannot be read by this tactus: " +
                          read.diagnostics.front().message);
      }
      Results& results = all.emplace_back();
      results.id = id;
      results.file = experiments.text(1);
      results.experiment = std::move(*read.experiment);
      results.sets = experiments.integer(2);
      results.points = points_of(results.experiment);
      results.curves = curves_of(results.experiment);
      sum_up(database, results);
      read_reasons(database, results);
    }
    return all;
  } catch (const std::exception& problem) {
    return Error{fmt::format("cannot read {}: {}", file, problem.what())};
  }
}

}  // namespace tactus::experiment
