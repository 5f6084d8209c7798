#include "tactus/report/text/wrap.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <vector>

namespace tactus::report {
namespace {

constexpr int kEasilyRead = 100;

/// Words behind `head`; further lines begin with `hang` blanks.
std::string fold(std::string_view head, std::string_view text, int hang, int columns) {
  std::string out(head);
  const std::string indent(static_cast<std::size_t>(hang), ' ');
  int start = display_width(head);
  int column = start;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    // A number and its % stay together.
    if (text.substr(end).starts_with(" %")) end = std::min(text.find(' ', end + 1), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (column + display_width(word) > columns && column > start) {
      out.erase(out.find_last_not_of(' ') + 1);
      out += '\n' + indent;
      column = start = hang;
    }
    out += word;
    out += end < text.size() ? " " : "";
    column += display_width(word) + 1;
    at = end + 1;
  }
  return out + '\n';
}

}  // namespace

std::string wrapped(std::string_view head, std::string_view text, int columns) {
  return fold(head, text, display_width(head), columns);
}

std::string paragraph(std::string_view head, std::string_view text, const Style& style) {
  return wrapped(head, text, std::min(style.fold, kEasilyRead));
}

std::string list_entry(std::string_view text, const Style& style) {
  return fold("  ", text, 4, std::min(style.fold, kEasilyRead));
}

std::string shortened(std::string_view name, int columns, const Style& style) {
  if (display_width(name) <= columns) return std::string(name);
  // By what a reader sees as one character.
  std::vector<std::string_view> characters;
  for (std::size_t at = 0; at < name.size();) {
    utf8proc_int32_t code_point = 0;
    const auto used =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(name.data()) + at,
                         static_cast<utf8proc_ssize_t>(name.size() - at), &code_point);
    const std::size_t size = used <= 0 ? 1 : static_cast<std::size_t>(used);
    const std::string_view character = name.substr(at, size);
    if (display_width(character) == 0 && !characters.empty()) {  // joins the one before it
      characters.back() =
          std::string_view(characters.back().data(), characters.back().size() + size);
    } else {
      characters.push_back(character);
    }
    at += size;
  }
  const std::string_view gap = style.unicode ? "…" : "..";
  const int left = std::max(2, columns - display_width(gap));
  std::string front, back;
  int used = 0;
  for (std::size_t a = 0, b = characters.size(); a < b;) {
    const bool at_front = display_width(front) <= display_width(back);
    const std::string_view next = at_front ? characters[a] : characters[b - 1];
    used += display_width(next);
    if (used > left) break;
    if (at_front) {
      front += next;
      ++a;
    } else {
      back.insert(0, next);
      --b;
    }
  }
  return front.append(gap).append(back);
}

}  // namespace tactus::report
