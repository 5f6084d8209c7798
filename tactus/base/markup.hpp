#pragma once

#include <string>
#include <string_view>

namespace tactus {

/// One character of a text in XML or HTML, also inside double quotes.
inline void add_markup_escaped(std::string& out, char c) {
  switch (c) {
    case '&':
      out += "&amp;";
      return;
    case '<':
      out += "&lt;";
      return;
    case '>':
      out += "&gt;";
      return;
    case '"':
      out += "&quot;";
      return;
    default:
      out += c;
  }
}

inline std::string markup_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) add_markup_escaped(out, c);
  return out;
}

}  // namespace tactus
