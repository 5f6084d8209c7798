#include "tactus/exchange/node_names.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/printable.hpp"
#include "tactus/base/utf8.hpp"

namespace tactus::exchange {

std::string clean_name(std::string_view name) {
  constexpr std::size_t kLongest = 200;
  std::string clean;
  while (!name.empty() && clean.size() < kLongest) {
    const Utf8Character next = first_utf8_character(name);
    const std::size_t length = std::max<std::size_t>(1, next.length);
    const std::string_view character = name.substr(0, length);
    const bool good = next.length > 0 && !has_control_characters(character);
    clean += good ? character : std::string_view("?");
    name.remove_prefix(length);
  }
  return clean.empty() ? "unnamed" : clean;
}

std::string short_name(std::string_view name) {
  std::string_view text = name;
  if (text.starts_with("void ")) text.remove_prefix(5);
  // Up to the first bracket that is not part of "(anonymous namespace)::" or "<lambda>".
  std::string kept;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && text.substr(i).starts_with("(anonymous namespace)")) {
      i += std::string_view("(anonymous namespace)").size() - 1;
      continue;
    }
    if (c == '(' && depth == 0) break;
    if (c == '<' || c == '(') ++depth;
    if (depth == 0) kept += c;
    if ((c == '>' || c == ')') && depth > 0) --depth;
  }
  const std::size_t colons = kept.rfind("::");
  if (colons != std::string::npos) kept.erase(0, colons + 2);
  const std::size_t first = kept.find_first_not_of(' '), last = kept.find_last_not_of(' ');
  kept = first == std::string::npos ? std::string(name) : kept.substr(first, last - first + 1);
  return clean_name(kept.substr(0, 80));
}

std::string UniqueNames::make(const std::string& name) {
  std::size_t& count = used_[name];
  std::string made = count == 0 ? name : fmt::format("{}.{}", name, count + 1);
  ++count;
  while (made != name && !used_.try_emplace(made, 1).second) {
    made = fmt::format("{}.{}", name, ++used_[name]);
  }
  return made;
}

}  // namespace tactus::exchange
