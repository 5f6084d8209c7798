#pragma once

#include <string>
#include <string_view>

namespace tactus::report {

/// Text that is shown as it is in HTML and in SVG, in an element and between quotes of both kinds.
/// What a parser may not see at all (control characters, bytes that are no UTF-8) becomes U+FFFD.
std::string html_escaped(std::string_view text);

}  // namespace tactus::report
