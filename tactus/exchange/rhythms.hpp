#pragma once

#include <span>
#include <string>
#include <vector>

#include "tactus/exchange/options.hpp"
#include "tactus/model/rhythm.hpp"

/// When the jobs of imported tasks come: `period`, `jitter`, `deadline` and `after`.
namespace tactus::exchange {

/// As asked, as the task says already, or as its jobs show; what was assumed goes into `notes`.
/// @param jobs by start
void add_rhythm(std::span<const SeenJob> jobs, const ImportOptions& options, Task& task,
                std::vector<std::string>& notes);

/// Says which tasks begin when others end, and writes `after` where that is asked for.
/// @param jobs by task
void add_followings(std::span<const std::vector<SeenJob>> jobs, const ImportOptions& options,
                    System& system, std::vector<std::string>& notes);

}  // namespace tactus::exchange
