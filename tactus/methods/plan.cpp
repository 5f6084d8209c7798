#include "tactus/methods/plan.hpp"

#include "tactus/model/format.hpp"
#include "tactus/model/writer.hpp"

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

void write_plan(json::Writer& out, const System& system, std::string_view method,
                std::string_view variant, const Plan& plan) {
  out.begin_object();
  out.key("tactus").integer(kFormatVersion);
  out.key("system").string(system.name);
  out.key("fingerprint").string(fingerprint(system));
  out.key("method").string(method);
  out.key("variant").string(variant);
  plan.write_fields(out, system);
  out.end_object();
}

}  // namespace tactus
