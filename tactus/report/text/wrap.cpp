#include "tactus/report/text/wrap.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <vector>

namespace tactus::report {
namespace {

constexpr int kEasilyRead = 100, kNarrowest = 20;

}  // namespace

std::string wrapped(std::string_view head, std::string_view text, int columns, int hang) {
  std::string out(head);
  const std::string indent(static_cast<std::size_t>(hang), ' ');
  int start = display_width(head);
  int column = start;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    // A number and its % stay together.
    if (text.substr(end).starts_with(" %")) end = std::min(text.find(' ', end + 1), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (column + display_width(word) > columns && (column > start || start > hang)) {
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

std::string wrapped(std::string_view head, std::string_view text, int columns) {
  const int wide = display_width(head);
  // Beside a long head there would be a word a line: then the text stands below it.
  if (columns - wide >= kNarrowest) return wrapped(head, text, columns, wide);
  return wrapped("", std::string(head).append(text), columns, 2);
}

std::string heading(std::string_view begin, Ink ink, std::string_view rest, const Style& style) {
  const std::string whole = std::string(begin).append(rest);
  std::string out = style.fold >= kRoomForTables ? whole + '\n' : wrapped("", whole, style.fold, 2);
  // The colour comes last: it must not count as width.
  if (out.starts_with(begin)) out.replace(0, begin.size(), inked(begin, ink, style));
  return out;
}

std::string paragraph(std::string_view head, std::string_view text, const Style& style) {
  return wrapped(head, text, std::min(style.fold, kEasilyRead));
}

std::string list_entry(std::string_view text, const Style& style) {
  return wrapped("  ", text, std::min(style.fold, kEasilyRead), 4);
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
