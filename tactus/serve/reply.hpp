#pragma once

#include <string>
#include <string_view>

#include "tactus/api/c_answer.hpp"
#include "tactus/tactus.h"

namespace tactus::serve {

/// An answer as one JSON object; the answer is freed. @param more members, each after a comma
std::string reply_of(tactus_answer* answer, std::string_view more = {});

}  // namespace tactus::serve
