#pragma once

#include <cstddef>
#include <string_view>

namespace tactus {

/// The place of the first byte that is not part of well-formed UTF-8 (no overlong forms, no
/// surrogates, nothing above U+10FFFF), or npos.
std::size_t find_invalid_utf8(std::string_view text);

struct Utf8Character {
  char32_t code = 0;
  std::size_t length = 0;  ///< in bytes; 0 if it is not well-formed
};

/// The character that a text begins with. @pre the text is not empty.
Utf8Character first_utf8_character(std::string_view text);

}  // namespace tactus
