#include "tactus/methods/plan.hpp"

namespace tactus {

std::string dot_escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

void write_time(json::Writer& out, const std::optional<Time>& time, TimeUnit unit) {
  if (time) {
    out.number(format_time(*time, unit));
  } else {
    out.null();
  }
}

}  // namespace tactus
