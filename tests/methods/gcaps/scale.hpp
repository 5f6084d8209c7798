#pragma once

#include "tests/support/scaled.hpp"

namespace tactus::gcaps::tests {

using support::scaled;  // the name by which the tests of the run-time know it

}  // namespace tactus::gcaps::tests
