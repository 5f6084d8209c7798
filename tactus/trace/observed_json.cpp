#include "tactus/trace/observed_json.hpp"

#include "tactus/model/whole_document.hpp"
#include "tactus/trace/observed_fields.hpp"

namespace tactus::trace {

std::string observed_json(const System& system, const Observed& observed) {
  json::Writer out;
  write_object(out, system, observed);
  return out.take();
}

std::string observed_schema() {
  return schema_of<Observed>("observed",
                             "What Tactus observed of a run; times are in the unit of the system");
}

}  // namespace tactus::trace
