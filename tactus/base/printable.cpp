#include "tactus/base/printable.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "tactus/base/utf8.hpp"

namespace tactus {
namespace {

/// The first bytes of all characters that need a closer look; nearly all text has none of them.
bool is_harmless(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte < 0x7F) || c == '\n' || c == '\t';
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

bool turns_or_hides(char32_t c) {
  const auto in = [&](char32_t first, char32_t last) { return c >= first && c <= last; };
  return c == 0x061C || in(0x200E, 0x200F) || in(0x2028, 0x202E) || in(0x2066, 0x2069) ||
         c == 0xFEFF || in(0xFFF9, 0xFFFB) || in(0xE0000, 0xE007F);
}

/// As JSON writes it: beyond the first 65536 characters in two halves.
std::string escaped(char32_t c) {
  const auto code = static_cast<std::uint32_t>(c);
  if (code < 0x10000) return fmt::format("\\u{:04x}", code);
  const std::uint32_t rest = code - 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

}  // namespace

std::string printable(std::string_view text, std::span<const std::string_view> ours) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto strange = std::find_if_not(text.begin(), text.end(), is_harmless);
    const auto plain = static_cast<std::size_t>(strange - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const auto own = std::find_if(ours.begin(), ours.end(),
                                  [&](std::string_view one) { return text.starts_with(one); });
    if (own != ours.end()) {
      out += *own;
      text.remove_prefix(own->size());
      continue;
    }
    const Utf8Character character = first_utf8_character(text);
    if (character.length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
      continue;
    }
    if (is_control(character.code) || turns_or_hides(character.code)) {
      out += escaped(character.code);
    } else {
      out += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  return out;
}

std::string printable_line(std::string_view text) {
  std::string out = printable(text);
  for (std::size_t at = out.find_first_of("\n\t"); at != std::string::npos;
       at = out.find_first_of("\n\t", at)) {
    out.replace(at, 1, escaped(static_cast<unsigned char>(out[at])));
  }
  return out;
}

bool has_control_characters(std::string_view text) {
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7F; };
  text.remove_prefix(static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) -
                                              text.begin()));
  while (!text.empty()) {
    const Utf8Character character = first_utf8_character(text);
    if (character.length == 0 || is_control(character.code)) return true;
    text.remove_prefix(character.length);
  }
  return false;
}

}  // namespace tactus
