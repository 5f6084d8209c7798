#include <fmt/core.h>

#include <memory>

#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/file.hpp"
#include "tactus/model/format.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::vector<std::string> files;
  bool json = false;
  bool canonical = false;
};

struct Checked {
  std::string file;
  ReadResult result;
  bool unreadable = false;
};

Checked check_file(const std::string& path) {
  Result<std::string> text = read_text_file(path);
  if (text) return {shown_name(path), read_system(std::move(*text))};
  return {shown_name(path), {std::nullopt, {{Severity::kError, {}, text.error().message}}}, true};
}

std::string summary(const System& system) {
  std::size_t nodes = 0, edges = 0;
  for (const Task& task : system.tasks) {
    nodes += task.nodes.size();
    edges += task.graph.edge_count();
  }
  return fmt::format("ok: {} elements, {} tasks, {} nodes, {} edges",
                     system.platform.elements.size(), system.tasks.size(), nodes, edges);
}

void write_json(json::Writer& out, const Checked& checked) {
  out.begin_object();
  out.key("file").string(checked.file);
  out.key("valid").boolean(checked.result.system.has_value());
  out.key("diagnostics").begin_array();
  for (const Diagnostic& diagnostic : checked.result.diagnostics) {
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

int run(const Arguments& arguments) {
  bool good = true;
  json::Writer json;
  json.begin_object().key("tactus").integer(kFormatVersion).key("files").begin_array();
  for (const std::string& path : arguments.files) {
    const Checked checked = check_file(path);
    good = good && checked.result.system.has_value();
    if (arguments.json) {
      write_json(json, checked);
      continue;
    }
    if (checked.unreadable) {
      complain("tactus: " + checked.result.diagnostics.front().message);
    } else {
      complain_about(path, checked.result.diagnostics);
    }
    if (!checked.result.system) continue;
    const std::string text = arguments.canonical ? write_system(*checked.result.system)
                                                 : fmt::format("{}: {}\n", checked.file,
                                                               summary(*checked.result.system));
    if (!emit(text)) return kBadInput;
  }
  json.end_array().end_object();
  if (arguments.json && !emit(json.take())) return kBadInput;
  return good ? kYes : kBadInput;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("check", "Read system files and say what is wrong, and where");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FILE", arguments->files, "System files; - is standard input")->required();
  auto* json = verb->add_flag("--json", arguments->json, "Diagnostics as JSON on standard output");
  verb->add_flag("--canonical", arguments->canonical, "Print the canonical form of each file")
      ->excludes(json);
  verb->footer(
      "Exit code 0 when every file is valid, else 2.\n"
      "Examples:\n"
      "  tactus check robot.system.json\n"
      "  tactus check --json *.system.json\n"
      "  generate-somehow | tactus check -");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
