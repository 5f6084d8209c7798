#pragma once

#include <string>
#include <string_view>

#include "tactus/methods/method.hpp"

namespace tactus {

/// What the run-time owes to a bound of this variant: `Method::needs` without what it says of other
/// variants. A method whose variants need different things writes what all need as a first sentence
/// and then, one after another, the others: "Preemption. safe: a driver; safe-arbiter: a daemon".
std::string needs_of(const Method& method, std::string_view variant);

}  // namespace tactus
