#include <algorithm>

#include "tactus/base/yaml.hpp"

namespace tactus::yaml {

bool looks_like_yaml(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  text.remove_prefix(start);
  if (text.starts_with('#') || text.starts_with('%') || text.starts_with("---")) return true;
  // A key: letters, digits and `_` up to a colon that ends the line or has a blank behind it.
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos) return false;
  const std::string_view key = text.substr(0, colon);
  const bool word = std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  const std::string_view rest = text.substr(colon + 1);
  return word && (rest.empty() || rest.front() == ' ' || rest.front() == '\n' ||
                  rest.front() == '\r' || rest.front() == '\t');
}

}  // namespace tactus::yaml
