#pragma once

#include <string>
#include <vector>

#include "tactus/experiment/results/results.hpp"
#include "tactus/experiment/store/raw.hpp"
#include "tactus/report/text/terminal.hpp"

/// Results of experiments for people and for programs.
namespace tactus::report {

enum class Shown {
  kOutside,  ///< claims that are inside are only counted
  kAll,
};

/// The claims of an experiment beside our results, those outside first, with the reason if they are
/// known to differ; without claims, its points.
std::string claims_text(const experiment::Results& results, const Style& style,
                        Shown shown = Shown::kOutside);

/// Every point: one table per variant and case, x down, lines across.
std::string points_text(const experiment::Results& results, const Style& style);

/// One line per point and curve.
std::string points_csv(const std::vector<experiment::Results>& all);

/// Weighted schedulability with its interval: one line per case and curve.
std::string weighted_csv(const std::vector<experiment::Results>& all);

/// Points, weighted schedulability and claims of all experiments.
std::string results_json(const std::vector<experiment::Results>& all);

/// The header and one verdict of the raw results.
std::string raw_csv_header(bool with_times);
std::string raw_csv(const experiment::RawVerdict& verdict, bool with_times);
std::string raw_json_line(const experiment::RawVerdict& verdict, bool with_times);

/// Claims that are outside their tolerance although nothing explains it.
int unexplained_claims(const experiment::Results& results);

/// A number of a result: enough digits to compare, to the tolerance where there is one, but not
/// more; "-" if there is none.
std::string shown_number(double value, double tolerance = 0);

}  // namespace tactus::report
