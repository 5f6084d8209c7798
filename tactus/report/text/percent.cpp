#include "tactus/report/text/percent.hpp"

#include <algorithm>

#include "tactus/base/decimal.hpp"

namespace tactus::report {
namespace {

constexpr std::int64_t kWhole = 1'000'000;

/// floor(a / b). @pre b > 0
__int128 floor_div(__int128 a, __int128 b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

__int128 left(Time bound, Time deadline) {
  return static_cast<__int128>(deadline.ns()) - bound.ns();
}

}  // namespace

std::optional<Percent> parse_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  std::string_view number = text.substr(0, text.size() - 1);
  const auto digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::size_t point = std::min(number.find('.'), number.size());
  if (!digits(number.substr(0, point))) return std::nullopt;
  if (point < number.size() && !digits(number.substr(point + 1))) return std::nullopt;
  while (number.size() > 1 && number[0] == '0' && number[1] != '.') number.remove_prefix(1);
  const auto value = parse_scaled(number, 4, Rounding::kUp);
  if (!value || !value->exact || value->value > kWhole) return std::nullopt;
  return Percent{value->value, std::string(text)};
}

bool has_slack(Time bound, Time deadline, const Percent& least) {
  return left(bound, deadline) * kWhole >= static_cast<__int128>(deadline.ns()) * least.millionths;
}

int compare_slack(Time bound_a, Time deadline_a, Time bound_b, Time deadline_b) {
  const __int128 a = left(bound_a, deadline_a) * deadline_b.ns();
  const __int128 b = left(bound_b, deadline_b) * deadline_a.ns();
  return a < b ? -1 : a > b ? 1 : 0;
}

std::string slack_percent(Time bound, Time deadline) {
  const auto hundredths =
      static_cast<std::int64_t>(floor_div(left(bound, deadline) * 10'000, deadline.ns()));
  return format_scaled(hundredths, 2);
}

}  // namespace tactus::report
