#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include "tactus/model/codec.hpp"
#include "tactus/model/system.hpp"

namespace tactus::report {

/// A unit as a system file writes it.
inline std::string_view name_of(TimeUnit unit) {
  return codec::words_of<TimeUnit>()[static_cast<std::size_t>(unit)];
}

inline std::optional<TimeUnit> time_unit_named(std::string_view name) {
  const auto names = codec::words_of<TimeUnit>();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<TimeUnit>(found - names.begin());
}

}  // namespace tactus::report
