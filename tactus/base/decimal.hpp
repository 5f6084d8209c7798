#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactus {

enum class Rounding { kDown, kUp };

/// A decimal number times a power of ten, as an integer.
struct ScaledDecimal {
  std::int64_t value = 0;
  bool exact = true;  ///< false: digits finer than the scale were rounded away
};

/// Reads the text of a JSON number as `number * 10^scale`, exactly: no binary floating point is
/// involved, so 0.1 at scale 6 is 100000 and not a double's guess. Digits finer than the scale are
/// rounded as asked (down is towards minus infinity). Nothing when the result does not fit.
///
/// @pre `number` follows the JSON grammar of numbers.
std::optional<ScaledDecimal> parse_scaled(std::string_view number, int scale, Rounding rounding);

/// The inverse: the shortest decimal text of `value / 10^scale`.
std::string format_scaled(std::int64_t value, int scale);

/// A factor >= 0 with nine exact decimals (slowdown, interleaving ratio).
struct Factor {
  static constexpr int kScale = 9;
  std::int64_t billionths = 1'000'000'000;

  friend constexpr auto operator<=>(Factor, Factor) = default;
};

/// A share >= 0 with nine exact decimals (a safety margin: 0.1 is one tenth more).
struct Margin {
  static constexpr int kScale = 9;
  std::int64_t billionths = 0;

  friend constexpr auto operator<=>(Margin, Margin) = default;
};

}  // namespace tactus
