#include "tactus/trace/observed_json.hpp"

#include "tactus/model/field.hpp"
#include "tactus/trace/observed_fields.hpp"

namespace tactus::trace {

std::string observed_json(const System& system, const Observed& observed) {
  json::Writer out;
  write_object(out, system, observed);
  return out.take();
}

std::string observed_schema() {
  json::Writer out;
  out.begin_object();
  out.key("$schema").string("https://json-schema.org/draft/2020-12/schema");
  out.key("title").string("What Tactus observed of a run; times are in the unit of the system");
  describe_object<Observed>(out);
  out.end_object();
  return out.take();
}

}  // namespace tactus::trace
