#include "tactus/report/export.hpp"

#include "tactus/base/json_writer.hpp"
#include "tactus/model/written.hpp"

namespace tactus::report {

std::string export_json(const exchange::Exported& exported, std::string_view format) {
  json::Writer out;
  codec::begin_document(out, "export");
  out.key("format").string(format);
  out.key("text").string(exported.text);
  if (!exported.edges.empty()) out.key("edges").string(exported.edges);
  out.key("notes").begin_array();
  for (const std::string& note : exported.notes) out.string(note);
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
