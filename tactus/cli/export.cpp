#include <fmt/core.h>
#include <unistd.h>

#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/text/wrap.hpp"
#include "tactus/verbs/import.hpp"

namespace tactus::cli {
namespace {

struct ExportArguments {
  verbs::ExportQuestion question;
  std::string output;
  bool report = false, list = false;
  const Fields* fields = nullptr;
};

void describe(ExportArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  for (AskedField& field : is.all()) field.must = false;  // beside --list
  is("list", arguments.list, "What can be written").excludes({"system"});
  is("output", arguments.output, "Default: standard output").letter('o').shows("FILE");
  is("report", arguments.report, "Say what the format cannot say");
}

/// Beside "set.csv" the edges are in "set.edges.csv".
std::string edges_path(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const bool extension = dot != std::string::npos && path.find('/', dot) == std::string::npos;
  return extension ? path.substr(0, dot) + ".edges" + path.substr(dot) : path + ".edges";
}

int run(ExportArguments& arguments) {
  if (arguments.list) {
    tell_without_effect_but(told_here(), *arguments.fields, {"list"}, "--list only lists");
    const report::Style style = report::Style::of(STDOUT_FILENO);
    std::string text;
    for (const exchange::TargetFormat& format : exchange::target_formats()) {
      text += report::heading("", report::Ink::kPlain,
                              fmt::format("{:<10} {}", format.name, format.what), style);
    }
    return emit(text) ? kYes : kBadInput;
  }
  if (!arguments.question.about.system.given() || arguments.question.to.empty())
    return fail("export needs a FILE and --to FORMAT; `tactus export --list` shows the formats");
  const auto found = answer(arguments.question, told_here());
  if (!found) return complain_of(found.none());
  const auto& [text, edges, notes] = found->exported;
  const std::string& output = arguments.output;
  if (output.empty() && !edges.empty())
    return fail("-o FILE must say where this goes: the edges need a second file beside it");
  // The edges first: without them the jobs would look independent.
  if (!edges.empty() && !save(edges_path(output), edges)) return kBadInput;
  if (!(output.empty() ? emit(text) : save(output, text))) return kBadInput;
  if (arguments.report) {
    for (const std::string& each : notes) note("note: " + each);
  }
  return kYes;
}

}  // namespace

void add_export(Parser& app, int& exit_code) {
  add_verb<ExportArguments>(
      app, exit_code, "export", "Write a system as other tools read it",
      "Exit code 0: written; 2: bad input, or the format cannot say what the system is.\n"
      "Examples:\n"
      "  tactus export robot.system.json --to yaml -o robot.system.yaml\n"
      "  tactus export robot.system.json --to dot | dot -Tsvg > robot.svg\n"
      "  tactus export jobs.system.json --to sag -o jobs.csv --report",
      run);
}

}  // namespace tactus::cli
