#pragma once

#include <span>
#include <string>
#include <string_view>

#include "include/tactus/tactus.h"

/// The questions of the HTTP interface that have a body. They are those of the C interface, with the
/// documents in one JSON object; nothing here knows of HTTP.
namespace tactus::serve {

struct Question {
  std::string_view name;
  /// @return { "status": as exit codes, "document": ..., "problems": [...] }
  std::string (*ask)(const std::string& body, tactus_call* call);
};

std::span<const Question> questions();

/// Null where there is none of that name.
const Question* find_question(std::string_view name);

}  // namespace tactus::serve
