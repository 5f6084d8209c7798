#include "tactus/report/wrap.hpp"

#include <algorithm>

namespace tactus::report {

std::string wrapped(std::string_view head, std::string_view text) {
  constexpr std::size_t kColumns = 80;
  std::string out(head);
  const std::string indent(head.size(), ' ');
  std::size_t column = head.size();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (column + word.size() > kColumns && column > head.size()) {
      out.erase(out.find_last_not_of(' ') + 1);
      out += '\n' + indent;
      column = head.size();
    }
    out += word;
    out += end < text.size() ? " " : "";
    column += word.size() + 1;
    at = end + 1;
  }
  return out + '\n';
}

}  // namespace tactus::report
