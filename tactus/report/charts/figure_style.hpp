#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/report/charts/chart_style.hpp"

/// How figures of experiments look where the usual look does not fit a paper: `plot --style FILE`.
/// docs/use/experiments.md describes the file.
namespace tactus::report {

enum class LegendPlace { kRight, kBelow, kNone };

/// Sizes and letters of a figure. Lengths are points of 1/72 inch.
struct ChartLook {
  double panel_width = 187.5, panel_height = 138.75;  ///< between the axes
  std::string font = "Helvetica";
  double font_size = 9;
  LegendPlace legend = LegendPlace::kRight;

  friend bool operator==(const ChartLook&, const ChartLook&) = default;
};

enum class MarkerShape { kCircle, kSquare, kTriangle, kDownward, kDiamond };
enum class Dash { kSolid, kDashed, kDotted, kDashDot, kShort };

/// How one line is drawn; what is not given stays as it is.
struct LineLook {
  std::string line;  ///< its name
  std::string label, colour;
  std::optional<MarkerShape> marker;
  std::optional<bool> open;
  std::optional<Dash> dash;
  bool hidden = false;

  friend bool operator==(const LineLook&, const LineLook&) = default;
};

struct FigureStyle {
  ChartLook look;
  std::int64_t columns = 0;  ///< panels side by side; 0: as usual
  std::string x_label, y_label;
  /// In the order in which lines are drawn and listed; those that are not here come after them.
  std::vector<LineLook> lines;

  /// The look of a line, or null.
  const LineLook* find(std::string_view line) const;
};

/// The look of a curve, changed by what the style says about its line.
CurveStyle styled(CurveStyle usual, const LineLook* look);

struct ReadStyle {
  std::optional<FigureStyle> style;  ///< nothing when there is an error
  std::vector<Diagnostic> diagnostics;
};

ReadStyle read_style(std::string text);

/// The JSON Schema of the file.
std::string style_schema();

}  // namespace tactus::report
