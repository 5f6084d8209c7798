#pragma once

#include <string_view>

namespace tactus {

/// Does `part` stand anywhere in `text`?
inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace tactus
