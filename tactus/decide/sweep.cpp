#include "tactus/decide/sweep.hpp"

#include <fmt/core.h>

#include "tactus/base/diagnostic.hpp"

namespace tactus::decide {
namespace {

constexpr std::string_view kAll = "all";

std::string sweep_name(const Knob& knob, const System& system) {
  return knob.what == Knob::What::kAllTimes ? std::string(kAll) : name_of(knob, system);
}

/// A value of the knob as a person writes it; nothing where that is none.
std::optional<std::int64_t> parse_value(const Knob& knob, std::string_view text,
                                        const System& system) {
  const int places = knob.what == Knob::What::kAllTimes ? 3
                     : is_time(knob)                    ? decimal_places(system.time_unit)
                                                        : 0;
  // Rounded up: of a period or a deadline that is not the harder side, but it is shown as it is.
  const auto value = plain_decimal(text, places);
  const bool zero_is_none = knob.what == Knob::What::kPeriod ||
                            knob.what == Knob::What::kDeadline || knob.what == Knob::What::kUnits;
  if (!value || (zero_is_none && *value == 0)) return std::nullopt;
  return value;
}

}  // namespace

Result<SweepRange> parse_sweep(const System& system, std::string_view text) {
  const auto wrong = [&](std::string_view problem) {
    return Error{fmt::format("--sweep {}: {}", quote(text), problem)};
  };
  const std::size_t equals = text.find('='), dots = text.find("..");
  if (equals == std::string_view::npos || dots == std::string_view::npos || dots < equals) {
    return wrong("expected NAME=FROM..TO, such as camera.detect.wcet=9..12");
  }
  const std::string_view name = text.substr(0, equals);
  std::vector<std::string> names;
  for (const Knob& knob : knobs_of(system)) {
    names.push_back(sweep_name(knob, system));
    if (names.back() != name) continue;
    const auto from = parse_value(knob, text.substr(equals + 1, dots - equals - 1), system);
    const auto to = parse_value(knob, text.substr(dots + 2), system);
    if (!from || !to) return wrong("FROM and TO must be numbers that this value may have");
    const std::int64_t now = value_of(knob, system);
    if (knob.what == Knob::What::kUnits && std::max(*from, *to) > now) {
      return wrong(fmt::format("nothing is known of more than {} units", now));
    }
    const Range range = range_of(knob, system);
    if (knob.what == Knob::What::kUnits && std::min(*from, *to) < range.hardest) {
      return wrong(fmt::format("nothing is known of fewer than {} units", range.hardest));
    }
    return SweepRange{knob, *from, *to};
  }
  const std::string meant =
      suggestion(name, std::vector<std::string_view>(names.begin(), names.end()));
  return wrong("there is no such value" + (meant.empty() ? "; `tactus slack` lists them" : meant));
}

std::vector<SweepPoint> sweep(const Method& method, const System& system, const Options& options,
                              const SweepRange& range, std::int64_t points) {
  const System fixed = with_fixed_priorities(system);
  Options quiet = options;
  quiet.plan = false;
  std::vector<SweepPoint> all;
  for (std::int64_t k = 0; k < points && !options.stop.stop_requested(); ++k) {
    const auto way = static_cast<__int128>(range.to - range.from) * k / (points - 1);
    const std::int64_t value = range.from + static_cast<std::int64_t>(way);
    if (!all.empty() && all.back().value == value) continue;  // more points than values
    all.push_back({value, analyze(method, turned(fixed, range.knob, value), quiet)});
  }
  return all;
}

}  // namespace tactus::decide
