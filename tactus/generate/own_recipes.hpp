#pragma once

#include <optional>

#include "tactus/base/result.hpp"
#include "tactus/generate/recipe.hpp"

namespace tactus {

/// Adds somebody's own recipe, behind the others, or says why it cannot be added. It must outlive
/// the use of the library. What it draws is checked, system by system, and what it throws is caught.
std::optional<Error> add_recipe(const Recipe& recipe);

/// Is it one of those that were added?
bool is_own(const Recipe& recipe);

}  // namespace tactus
