#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/report/charts/chart.hpp"

/// What was measured on hardware, beside what a paper reports: a file with the numbers of figures.
/// `tactus lab plot` draws them like those of experiments. bench/results/h200/figures.json is one.
/// The document of one run (`tactus run --json`) is such a file, too, with one figure.
namespace tactus::report {

/// One number per point; NaN where there is none.
struct RecordedLine {
  std::string label;
  std::vector<double> values;

  friend bool operator==(const RecordedLine&, const RecordedLine&) = default;
};

struct RecordedFigure {
  std::string name, title, paper, figure;  ///< the paper's figure or table
  std::string source;                      ///< where our numbers were recorded
  std::string note;                        ///< how the hardware differs
  std::string x, y;                        ///< labels of the axes
  bool log_y = false;
  std::vector<std::string> points;
  std::vector<RecordedLine> lines;

  friend bool operator==(const RecordedFigure&, const RecordedFigure&) = default;
};

struct Recorded {
  std::vector<RecordedFigure> figures;
};

struct ReadRecorded {
  std::optional<Recorded> recorded;  ///< nothing when there is an error
  std::vector<Diagnostic> diagnostics;
};

/// Is it such a file, or the document of a run, by its first letter? A store of experiments begins otherwise.
bool looks_recorded(const std::string& path);

ReadRecorded read_recorded(std::string text);

/// The points are names, each line has a mark at every one.
Chart chart_of(const RecordedFigure& figure);

}  // namespace tactus::report
