#pragma once

#include "tactus/base/contains.hpp"

namespace tactus::support {

using tactus::contains;

}  // namespace tactus::support
