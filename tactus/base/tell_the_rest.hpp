#pragma once

#include <cstddef>
#include <vector>

#include "tactus/base/diagnostic.hpp"

namespace tactus {

/// One line each for the errors and the warnings beyond the first `kMaxProblems` (read_context.hpp),
/// which are not told one by one.
void tell_the_rest(std::size_t errors, std::size_t warnings, std::vector<Diagnostic>& told);

}  // namespace tactus
