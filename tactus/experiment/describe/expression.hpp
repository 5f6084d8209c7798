#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/result.hpp"

/// How a claim is computed from curves: `100 * mean(1 - balanced / graham)`.
///
///     sum     = product { ("+" | "-") product }
///     product = factor { ("*" | "/") factor }
///     factor  = number | "[" number { "," number } "]" | "-" factor | "(" sum ")"
///             | function "(" sum { "," sum } ")" | curve
///     curve   = line [ ":" variant ] [ "{" case "}" ] [ "[" x "]" ]
///
/// Names may contain "." and "-", so a minus between names needs a blank before it. A curve is the
/// list of its points; arithmetic goes point by point. If an operand does not exist (a task without
/// bound), the result does not exist either (NaN).
namespace tactus::experiment {

struct CurveName {
  std::string line, variant, case_name, x;  ///< what is empty was not given
};

/// The numbers behind the names; each may answer with a complaint instead.
struct Source {
  using Points = Result<std::vector<double>>;
  std::function<Points(const CurveName&)> curve;
  /// Percent of the sets accepted, whatever is measured.
  std::function<Points(const CurveName&)> accepted;
  /// How many sets each of its points has.
  std::function<Points(const CurveName&)> sets;
  /// Width of the middle half of the values of the sets.
  std::function<Points(const CurveName&)> spread;
  /// Weighted schedulability, in percent.
  std::function<Points(const CurveName&)> weighted;
  /// How many sets the second accepts and the first does not.
  std::function<Points(const CurveName&, const CurveName&)> lost;
};

/// The value, which must be a single number; or what is wrong at which column of the text.
Result<double> evaluate(std::string_view text, const Source& source);

}  // namespace tactus::experiment
