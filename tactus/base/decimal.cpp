#include "tactus/base/decimal.hpp"

#include <algorithm>

namespace tactus {
namespace {

/// Exponents beyond this cannot matter: any non-zero digit then overflows or vanishes, whatever
/// the length of the mantissa (files are limited to 512 MiB).
constexpr std::int64_t kExponentLimit = 4'000'000'000;

std::int64_t parse_exponent(std::string_view text) {
  if (text.empty()) return 0;
  const bool negative = text.front() == '-';
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  std::int64_t magnitude = 0;
  for (char digit : text) {
    magnitude = std::min(magnitude * 10 + (digit - '0'), kExponentLimit);
  }
  return negative ? -magnitude : magnitude;
}

bool append_digit(std::int64_t& value, int digit) {
  return !__builtin_mul_overflow(value, 10, &value) &&
         !__builtin_add_overflow(value, digit, &value);
}

}  // namespace

std::optional<ScaledDecimal> parse_scaled(std::string_view number, int scale, Rounding rounding) {
  const bool negative = number.starts_with('-');
  const int sign = negative ? -1 : 1;
  if (negative) number.remove_prefix(1);
  const std::size_t e = number.find_first_of("eE");
  const std::string_view mantissa = number.substr(0, e);
  const std::string_view exponent =
      e == std::string_view::npos ? std::string_view() : number.substr(e + 1);
  const std::size_t whole_digits = std::min(mantissa.find('.'), mantissa.size());

  ScaledDecimal result;
  // The digit in hand counts 10^weight units of the result.
  std::int64_t weight =
      static_cast<std::int64_t>(whole_digits) - 1 + parse_exponent(exponent) + scale;
  for (char c : mantissa) {
    if (c == '.') continue;
    const int digit = c - '0';
    if (weight >= 0) {
      if (!append_digit(result.value, sign * digit)) return std::nullopt;
    } else if (digit != 0) {
      result.exact = false;
    }
    --weight;
  }
  // Trailing zeros that the text does not spell out ("12e3").
  for (; weight >= 0 && result.value != 0; --weight) {
    if (!append_digit(result.value, 0)) return std::nullopt;
  }
  const bool away_from_zero = negative == (rounding == Rounding::kDown);
  if (!result.exact && away_from_zero &&
      __builtin_add_overflow(result.value, sign, &result.value)) {
    return std::nullopt;
  }
  return result;
}

std::string format_scaled(std::int64_t value, int scale) {
  // The magnitude as unsigned, so that the smallest int64 has one too.
  const std::uint64_t magnitude =
      value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  std::string digits = std::to_string(magnitude);
  const auto decimals = static_cast<std::size_t>(scale);
  if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
  digits.insert(digits.size() - decimals, 1, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return value < 0 ? "-" + digits : digits;
}

}  // namespace tactus
