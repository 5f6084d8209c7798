#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tactus/base/decimal.hpp"
#include "tactus/base/json_number.hpp"

namespace tactus::exchange {

/// A whole number; nothing if the text is something else.
inline std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t number = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Decimal text times 10^scale; nothing if it is no number, or does not fit.
inline std::optional<std::int64_t> scaled(std::string_view text, int scale, Rounding rounding) {
  if (!is_json_number(text)) return std::nullopt;
  const auto number = parse_scaled(text, scale, rounding);
  if (!number) return std::nullopt;
  return number->value;
}

}  // namespace tactus::exchange
