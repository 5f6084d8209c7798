#pragma once

#include "tactus/exchange/options.hpp"
#include "tactus/exchange/shape.hpp"

namespace tactus::exchange {

/// What the source says of who started whom: `after` where each job of a task starts one of another
/// and has ended by then, and a chain for every path from a task that nobody starts to one that
/// starts nobody.
/// @param tasks as recorded, in the order of those of the system
void add_triggers(const Recording& recording, const std::vector<RecordedTask>& tasks,
                  const ImportOptions& options, System& system, std::vector<std::string>& notes);

}  // namespace tactus::exchange
