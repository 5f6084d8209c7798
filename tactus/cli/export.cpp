#include <fmt/core.h>

#include <memory>

#include "tactus/base/file.hpp"
#include "tactus/cli/numbers.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/cli/what_if.hpp"
#include "tactus/cli/without_effect.hpp"
#include "tactus/exchange/export.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  WhatIf what_if;
  std::string file, to, output;
  bool report = false, list = false;
  const Parser* verb = nullptr;
};

int list_formats() {
  std::string text;
  for (const exchange::TargetFormat& format : exchange::target_formats()) {
    text += fmt::format("{:<10} {}\n", format.name, format.what);
  }
  return emit(text) ? kYes : kBadInput;
}

/// Beside "set.csv" the edges are in "set.edges.csv".
std::string edges_path(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const bool extension = dot != std::string::npos && path.find('/', dot) == std::string::npos;
  return extension ? path.substr(0, dot) + ".edges" + path.substr(dot) : path + ".edges";
}

bool write(const std::string& path, const std::string& text) {
  const auto failed = write_text_file(path, text);
  if (failed) complain("tactus: " + failed->message);
  return !failed;
}

int run(const Arguments& arguments) {
  if (arguments.list) {
    tell_without_effect(*arguments.verb, options_but(*arguments.verb, {"--list"}),
                        "--list only lists");
  }
  if (arguments.list) return list_formats();
  if (arguments.file.empty() || arguments.to.empty()) {
    complain(
        "tactus: export needs a FILE and --to FORMAT; `tactus export --list` shows the formats");
    return kBadInput;
  }
  auto system = system_or_complaint(arguments.file);
  if (!system) return kBadInput;
  const auto edited = arguments.what_if.applied(arguments.file, std::move(*system));
  if (!edited) return kBadInput;
  const auto exported = exchange::export_system(edited->system, arguments.to);
  if (!exported) {
    complain(fmt::format("{}: {}", shown_name(arguments.file), exported.error().message));
    return kBadInput;
  }
  if (arguments.output.empty() && !exported->edges.empty()) {
    complain("tactus: -o FILE must say where this goes: the edges need a second file beside it");
    return kBadInput;
  }
  if (arguments.output.empty()) {
    if (!emit(exported->text)) return kBadInput;
  } else {
    // The edges first: without them the jobs would look independent.
    if (!exported->edges.empty() && !write(edges_path(arguments.output), exported->edges)) {
      return kBadInput;
    }
    if (!write(arguments.output, exported->text)) return kBadInput;
  }
  if (arguments.report) {
    for (const std::string& note : exported->notes) complain("note: " + note);
  }
  return kYes;
}

}  // namespace

void add_export(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("export", "Write a system as other tools read it");
  auto arguments = std::make_shared<Arguments>();
  arguments->verb = verb;
  auto* file = verb->add_option("FILE", arguments->file, "System file; - is standard input");
  auto* list = verb->add_flag("--list", arguments->list, "What can be written");
  file->excludes(list);
  std::vector<std::string> formats;
  for (const exchange::TargetFormat& format : exchange::target_formats()) {
    formats.emplace_back(format.name);
  }
  verb->add_option("--to", arguments->to, "The format")->check(one_of(formats));
  arguments->what_if.add_to(*verb);
  verb->add_option("-o,--output", arguments->output, "Default: standard output")->type_name("FILE");
  verb->add_flag("--report", arguments->report, "Say what the format cannot say");
  verb->footer(
      "Exit code 0: written; 2: bad input, or the format cannot say what the system is.\n"
      "Examples:\n"
      "  tactus export robot.system.json --to yaml -o robot.system.yaml\n"
      "  tactus export robot.system.json --to dot | dot -Tsvg > robot.svg\n"
      "  tactus export jobs.system.json --to sag -o jobs.csv --report");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
