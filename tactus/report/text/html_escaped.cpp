#include "tactus/report/text/html_escaped.hpp"

#include <algorithm>

#include "tactus/base/markup.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// One character that stands for itself, or what stands for it.
void add_escaped(std::string& out, char c) {
  const bool control = static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
  if (control || c == 0x7F) {
    out += kReplacement;
  } else if (c == '\'') {
    out += "&#39;";
  } else {
    add_markup_escaped(out, c);
  }
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t good = std::min(find_invalid_utf8(text), text.size());
    for (const char c : text.substr(0, good)) add_escaped(out, c);
    text.remove_prefix(good);
    if (text.empty()) break;
    out += kReplacement;
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace tactus::report
