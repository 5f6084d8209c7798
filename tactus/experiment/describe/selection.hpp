#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/result.hpp"
#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/experiment/describe/expression.hpp"

namespace tactus::experiment {

/// What a name in an expression stands for.
struct Selection {
  std::size_t line = 0;
  std::size_t curve = 0;
  std::vector<std::size_t> points;  ///< in order
};

/// The curve and the points behind a name; if the name has no variant, in `variant` (or in the
/// line's first, if it has no such variant). Or what is wrong with the name.
Result<Selection> select(const Experiment& experiment, const CurveName& name,
                         std::string_view variant);

/// A source that knows every name and no number: to check an expression before there are results.
Source blank_source(const Experiment& experiment);

}  // namespace tactus::experiment
