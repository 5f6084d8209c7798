#pragma once

#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/model/read_context.hpp"

namespace tactus::experiment {

/// What goes with `files` and what does not; fills in what is left out. The files themselves are
/// read later (`find_sets`).
void check_files(const json::Value& source, ReadContext& context, Experiment& experiment);

}  // namespace tactus::experiment
