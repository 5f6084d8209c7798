#include <unistd.h>

#include <memory>

#include "include/tactus/tactus.h"
#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/bibliography.hpp"
#include "tactus/report/catalogue.hpp"

namespace tactus::cli {
namespace {

struct Arguments {
  std::string list = "all";
  bool json = false, bibtex = false;
};

int run(const Arguments& arguments) {
  const Result<std::vector<const Method*>> methods = select_methods(arguments.list);
  if (!methods) {
    complain("tactus: " + methods.error().message);
    return kBadInput;
  }
  if (arguments.bibtex) return emit(report::bibtex(*methods, tactus_version())) ? kYes : kBadInput;
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text = arguments.json         ? report::methods_json(*methods)
                           : methods->size() == 1 ? report::method_text(*methods->front(), style)
                                                  : report::methods_text(*methods, style);
  return emit(text) ? kYes : kBadInput;
}

}  // namespace

void add_methods(Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("methods", "The methods: what each proves, assumes and needs");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("ID", arguments->list, "Ids or wildcards, comma-separated (default: all)");
  auto* json = verb->add_flag("--json", arguments->json, "As JSON");
  verb->add_flag("--bibtex", arguments->bibtex, "What to cite: their papers and Tactus, as BibTeX")
      ->excludes(json);
  verb->footer(
      "Examples:\n  tactus methods\n  tactus methods 'gcaps.*'\n  tactus methods mpcp.suspend\n"
      "  tactus methods 'gcaps.*' --bibtex > references.bib");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
