#pragma once

#include <string_view>

namespace tactus {

/// Where the first byte stands that is not part of well-formed UTF-8 (no overlong forms, no
/// surrogates, nothing above U+10FFFF), or npos.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace tactus
