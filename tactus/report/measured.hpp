#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tactus/model/written.hpp"
#include "tactus/report/text/terminal.hpp"

/// Where the times of a file come from, as far as it says so: a bound that rests on a measurement is
/// as good as that is.
namespace tactus {
namespace report {

/// One line per node with `measured`, of one task or of all; a warning where its `wcet` is below what
/// was seen. Empty where nothing was measured.
std::string measured_text(const System& system, std::optional<TaskIndex> task, const Style& style);

/// One of them, and all.
struct MeasuredTimes {
  TaskIndex task = 0;
  const Node* node = nullptr;
};
std::vector<MeasuredTimes> measured_times(const System& system);

}  // namespace report

template <>
std::span<const Field<report::MeasuredTimes>> fields<report::MeasuredTimes>();

}  // namespace tactus
