#pragma once

#include <optional>
#include <string>

#include "tactus/base/json.hpp"

namespace tactus {

/// Why `value` does not follow `schema`, or nothing. Knows the keywords of JSON Schema that the
/// schema of the system file uses, and complains about any other: what it does not understand it
/// could not check.
std::optional<std::string> violation(const json::Value& schema, const json::Value& value);

}  // namespace tactus
