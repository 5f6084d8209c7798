#pragma once

#include <string_view>
#include <vector>

#include "tactus/arbiter/client/observer.hpp"

namespace tactus::arbiter::client {

/// The longest that an operation was seen to take; the name is that of a GPU's attribute in system
/// files.
struct SeenCost {
  std::string_view name;
  std::int64_t ns = 0;
};

/// What the arbiter measured. Nothing of what has not happened yet: that is not zero.
std::vector<SeenCost> costs_of(const Snapshot& snapshot);

}  // namespace tactus::arbiter::client
