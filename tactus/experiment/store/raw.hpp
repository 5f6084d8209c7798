#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "tactus/base/result.hpp"
#include "tactus/methods/verdict.hpp"

namespace tactus::experiment {

/// What one curve said about one set, with the names behind the numbers.
struct RawVerdict {
  std::string_view experiment, case_name, x;
  std::int64_t seed = 0;  ///< of the point
  std::int64_t set = 0, utilisation = 0;
  std::string_view line, variant;
  Status status = Status::kNotApplicable;
  std::optional<std::int64_t> value;
  std::optional<std::int64_t> ns;  ///< when times are asked for
  std::string_view place;          ///< the file of the set; empty where a recipe drew it
};

/// Hands out every verdict of a store, in order: by experiment, point, set, curve. That is all a
/// store says about results, so two stores with the same list are the same. Stops when `take`
/// returns false. What went wrong, if something did.
std::optional<Error> for_each_verdict(const std::string& path, bool with_times,
                                      const std::function<bool(const RawVerdict&)>& take);

}  // namespace tactus::experiment
