#pragma once

#include <cstddef>

namespace tactus::tests {

/// How often this thread has allocated memory since it began.
std::size_t allocations();

}  // namespace tactus::tests
