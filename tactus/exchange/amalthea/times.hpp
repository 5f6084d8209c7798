#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tactus/base/time.hpp"
#include "tactus/exchange/numbers.hpp"
#include "tactus/exchange/xml.hpp"

namespace tactus::exchange::amalthea {

/// The time that an element says; nothing without one.
std::optional<Time> time(const XmlElement* element, Rounding rounding);
/// The upper bound of a distribution of times.
Time longest(const XmlElement& distribution);

struct Bounds {
  std::int64_t lower = 0, upper = 0;
};
/// Ticks for one kind of processing unit; nothing if the model has none for it.
std::optional<Bounds> ticks_for(const XmlElement& ticks, const std::string& definition);
Time time_of(std::int64_t ticks, std::int64_t hertz, Rounding rounding);

}  // namespace tactus::exchange::amalthea
