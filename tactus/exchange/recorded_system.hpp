#pragma once

#include "tactus/exchange/recorded_jobs.hpp"

namespace tactus::exchange {

/// The system that a recording shows: tasks folded as asked, times as the longest that was seen plus
/// the margin. `notes` gets what was assumed.
System system_of(const Recording& recording, const RecordedTasks& recorded,
                 const ImportOptions& options, std::vector<std::string>& notes);

}  // namespace tactus::exchange
