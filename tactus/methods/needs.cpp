#include "tactus/methods/needs.hpp"

#include <algorithm>

namespace tactus {
namespace {

/// The variant that a part is about ("safe: a driver"); nothing where it is about all of them.
std::string_view variant_of(const Method& method, std::string_view part) {
  const std::string_view word = part.substr(0, part.find(": "));
  const auto found = std::find(method.variants.begin(), method.variants.end(), word);
  return found == method.variants.end() || word.size() == part.size() ? std::string_view() : word;
}

}  // namespace

std::string needs_of(const Method& method, std::string_view variant) {
  const std::size_t end = method.needs.find(". ");
  std::string all(method.needs.substr(0, end));
  std::string_view rest = end == std::string_view::npos ? "" : method.needs.substr(end + 2);
  while (!rest.empty()) {
    const std::size_t stop = std::min(rest.find("; "), rest.size());
    const std::string_view part = rest.substr(0, stop);
    rest.remove_prefix(std::min(stop + 2, rest.size()));
    const std::string_view whose = variant_of(method, part);
    if (whose.empty()) {
      all.append("; ").append(part);
    } else if (whose == variant) {
      all.append("; ").append(part.substr(whose.size() + 2));
    }
  }
  return all;
}

}  // namespace tactus
