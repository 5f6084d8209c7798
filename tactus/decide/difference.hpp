#pragma once

#include <vector>

#include "tactus/decide/edit.hpp"

namespace tactus::decide {

/// What must be changed in one system to make it the other, attribute by attribute.
/// @pre they have the same elements, tasks and nodes, by name and in this order
std::vector<Change> changes_between(const System& from, const System& to);

}  // namespace tactus::decide
