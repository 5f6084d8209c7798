#pragma once

#include <string>
#include <string_view>

#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"

namespace tactus::decide {

/// Which elements of a platform the words of tasks name.
struct SpokenElements {
  ElementIndex cpu = 0, copy = 1, gpu = 2;
};

/// A task in words, as a person says it: its name, how often it runs, then its work in order.
///
///     camera 30 Hz, 2 ms CPU, 0.4 ms copy, 8 ms GPU, deadline 33
///     planner every 200 ms, 30 ms CPU, 5 ms GPU, jitter 4
///     mapping best effort, 40 ms GPU
///
/// Times without a unit are milliseconds. A rate becomes a period that is rounded down, other times
/// are rounded up.
Result<Task> spoken_task(std::string_view words, const SpokenElements& elements);

/// What may take how long from end to end, through tasks of the system:
///
///     camera > planner > wheel, 400 ms
///     see-steer: camera > planner > wheel, reaction 400 ms, age 300 ms
Result<Chain> spoken_chain(std::string_view words, const System& system);

}  // namespace tactus::decide
