#include "tactus/exchange/amalthea/times.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/exchange/amalthea/model.hpp"

namespace tactus::exchange::amalthea {
namespace {

/// A constant, or the bounds of a distribution.
Bounds bounds_of(const XmlElement& value) {
  const auto number = [&](const char* key, Rounding rounding) -> std::optional<std::int64_t> {
    if (value[key].empty()) return std::nullopt;
    const auto read = scaled(value[key], 0, rounding);
    if (!read || *read < 0) {
      refuse(value, fmt::format("`{}` must be a number >= 0, got {}", key, quote(value[key])));
    }
    return read;
  };
  if (const auto constant = number("value", Rounding::kUp)) return {*constant, *constant};
  std::optional<std::int64_t> lower = number("lowerBound", Rounding::kDown);
  std::optional<std::int64_t> upper = number("upperBound", Rounding::kUp);
  for (const XmlElement* entry : value.all("entries")) {  // a histogram
    const Bounds one = bounds_of(*entry);
    lower = std::min(lower.value_or(one.lower), one.lower);
    upper = std::max(upper.value_or(one.upper), one.upper);
  }
  if (!upper) {
    refuse(value, fmt::format("{} has no `upperBound`, so there is no longest time",
                              quote(type_of(value))));
  }
  return {std::min(lower.value_or(0), *upper), *upper};
}

}  // namespace

std::optional<Time> time(const XmlElement* element, Rounding rounding) {
  if (element == nullptr) return std::nullopt;
  const std::string& unit = (*element)["unit"];
  const int places = unit == "s" ? 9 : unit == "ms" ? 6 : unit == "us" ? 3 : unit == "ns" ? 0 : -1;
  const auto read = places < 0 ? std::nullopt : scaled((*element)["value"], places, rounding);
  if (!read || *read < 0) {
    refuse(*element, fmt::format("this must be a time >= 0 in s, ms, us or ns, got {} {}",
                                 quote((*element)["value"]), quote(unit)));
  }
  return Time::from_ns(*read);
}

Time longest(const XmlElement& distribution) {
  if (const auto upper = time(distribution.find("upperBound"), Rounding::kUp)) return *upper;
  refuse(distribution, "this jitter has no `upperBound`");
}

std::optional<Bounds> ticks_for(const XmlElement& ticks, const std::string& definition) {
  for (const XmlElement* extended : ticks.all("extended")) {
    if (reference(*extended, "key") != definition) continue;
    if (const XmlElement* value = extended->find("value")) return bounds_of(*value);
  }
  const XmlElement* usual = ticks.find("default");
  return usual == nullptr ? std::nullopt : std::optional(bounds_of(*usual));
}

Time time_of(std::int64_t ticks, std::int64_t hertz, Rounding rounding) {
  constexpr __int128 kSecond = 1'000'000'000;
  const __int128 up = rounding == Rounding::kUp ? hertz - 1 : 0;
  const __int128 ns = (ticks * kSecond + up) / hertz;
  if (ns > INT64_MAX) throw OverflowError();
  return Time::from_ns(static_cast<std::int64_t>(ns));
}

}  // namespace tactus::exchange::amalthea
