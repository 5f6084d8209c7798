#pragma once

#include <vector>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/method.hpp"

namespace tactus {

/// What is wrong with a valid file: no method covers it, or it deploys something that does not
/// exist. Nothing is analysed.
std::vector<Diagnostic> check_for_methods(const System& system);

}  // namespace tactus
