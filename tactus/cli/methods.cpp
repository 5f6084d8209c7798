#include "tactus/verbs/methods.hpp"

#include <unistd.h>

#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/report/bibliography.hpp"
#include "tactus/report/catalogue.hpp"
#include "tactus/tactus.h"

namespace tactus::cli {
namespace {

struct MethodsArguments {
  verbs::MethodsQuestion question;
  bool json = false, bibtex = false;
};

void describe(MethodsArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("json", arguments.json, "As JSON");
  is("bibtex", arguments.bibtex, "What to cite: their papers and Tactus, as BibTeX")
      .excludes({"json"});
}

int run(MethodsArguments& arguments) {
  const auto found = answer(arguments.question, told_here());
  if (!found) return complain_of(found.none());
  const verbs::Methods& methods = found->methods;
  const report::Style style = report::Style::of(STDOUT_FILENO);
  const std::string text = arguments.bibtex      ? report::bibtex(methods, tactus_version())
                           : arguments.json      ? found->json()
                           : methods.size() == 1 ? report::method_text(*methods.front(), style)
                                                 : report::methods_text(methods, style);
  return emit(text) ? kYes : kBadInput;
}

}  // namespace

void add_methods(Parser& app, int& exit_code) {
  add_verb<MethodsArguments>(
      app, exit_code, "methods", "The methods: what each proves, assumes and needs",
      "Examples:\n  tactus methods\n  tactus methods 'gcaps.*'\n  tactus methods mpcp.suspend\n"
      "  tactus methods 'gcaps.*' --bibtex > references.bib",
      run);
}

}  // namespace tactus::cli
