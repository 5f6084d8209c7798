#pragma once

#include <string>
#include <string_view>

#include "tactus/base/json_writer.hpp"

namespace tactus::serve {

/// Text as a JSON string.
inline std::string json_text(std::string_view text) {
  json::Writer out(json::Layout::kOneLine);
  out.string(text);
  std::string quoted = out.take();
  quoted.pop_back();  // the newline
  return quoted;
}

}  // namespace tactus::serve
