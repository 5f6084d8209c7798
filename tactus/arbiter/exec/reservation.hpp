#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tactus/arbiter/exec/exec.hpp"

namespace tactus::arbiter::exec {

/// Asks for a reservation for this process, waits if that is wished, and goes to its core.
/// @return whether it was admitted; an error: it was not, and the command must not run
Result<bool> reserve(const Wish& wish, const std::string& socket,
                     const std::function<void(std::string_view)>& tell);

}  // namespace tactus::arbiter::exec
