#include "tactus/report/check.hpp"

#include <fmt/core.h>

#include "tactus/base/json_writer.hpp"
#include "tactus/model/written.hpp"
#include "tactus/report/changes.hpp"

namespace tactus::report {

std::string valid_file_text(const CheckedFile& file) {
  const System& system = *file.result.system;
  std::size_t nodes = 0, edges = 0;
  for (const Task& task : system.tasks) {
    nodes += task.nodes.size();
    edges += task.graph.edge_count();
  }
  return fmt::format("{}: ok: {} elements, {} tasks, {} nodes, {} edges\n", file.name,
                     system.platform.elements.size(), system.tasks.size(), nodes, edges);
}

std::string check_json(std::span<const CheckedFile> files) {
  json::Writer out;
  codec::begin_document(out, "check");
  out.key("files").begin_array();
  for (const CheckedFile& file : files) {
    out.begin_object();
    out.key("file").string(file.name);
    out.key("valid").boolean(file.result.system.has_value());
    write_changes(out, file.edited.changes);
    out.key("diagnostics").begin_array();
    for (const Diagnostic& diagnostic : file.result.diagnostics) {
      out.begin_object();
      out.key("severity").string(diagnostic.severity == Severity::kError ? "error" : "warning");
      if (diagnostic.at.known()) {
        out.key("line").integer(diagnostic.at.line).key("column").integer(diagnostic.at.column);
      }
      out.key("message").string(diagnostic.message);
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace tactus::report
