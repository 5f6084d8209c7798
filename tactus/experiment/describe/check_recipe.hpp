#pragma once

#include "tactus/experiment/describe/experiment.hpp"
#include "tactus/model/field.hpp"

namespace tactus::experiment {

/// What must hold of `recipe`, `settings`, `sweep` and `cases` together: known names, values that
/// the recipe can draw with, not too many points. An experiment without cases gets its one.
void check_recipe(const json::Value& source, ReadContext& context, Experiment& experiment);

}  // namespace tactus::experiment
