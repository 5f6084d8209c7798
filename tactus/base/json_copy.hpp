#pragma once

#include "tactus/base/json.hpp"
#include "tactus/base/json_writer.hpp"

namespace tactus::json {

/// Writes a value as it was read; numbers keep their text.
void copy(Writer& out, const Value& value);

}  // namespace tactus::json
