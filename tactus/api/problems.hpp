#pragma once

#include <string>
#include <vector>

#include "tactus/api/c_answer.hpp"
#include "tactus/base/json.hpp"

namespace tactus::api {

/// The JSON of `tactus_answer_problems`.
std::string problems_json(const std::vector<Error>& problems, const Sources& sources);

/// The JSON Pointer (RFC 6901) of the value or key at a place; nothing where no value begins there.
std::optional<std::string> pointer_at(const json::Document& document, Position at);

}  // namespace tactus::api
