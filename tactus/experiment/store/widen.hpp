#pragma once

#include <cstdint>
#include <string>

#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/experiment/store/sqlite.hpp"

namespace tactus::experiment {

/// Why a store of `before` cannot become one of `now` by judging further lines: something else than
/// its lines differs, or a line is gone or changed. Empty if it can.
std::string why_not_widened(const Experiment& before, const Experiment& now);

/// Makes room in every set for the curves that the experiment has now: those that were not there are
/// "not judged yet". @pre `why_not_widened` is empty. @throws SqliteError
void widen_sets(const Database& database, std::int64_t id, const Experiment& now);

}  // namespace tactus::experiment
