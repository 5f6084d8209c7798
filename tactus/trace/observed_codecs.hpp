#pragma once

#include "tactus/base/statistics.hpp"
#include "tactus/model/written.hpp"

namespace tactus::trace {

/// Many times, as a summary.
struct Spread {
  static void write(json::Writer& out, const System& system, const std::vector<Time>& times) {
    write_object(out, system, statistics_of(times));
  }
  static void describe(json::Writer& out) { describe_object<Statistics>(out); }
};

}  // namespace tactus::trace
