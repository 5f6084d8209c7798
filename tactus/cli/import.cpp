#include "tactus/verbs/import.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>

#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/report/import.hpp"
#include "tactus/report/text/wrap.hpp"

namespace tactus::cli {
namespace {

struct ImportArguments {
  verbs::ImportQuestion question;
  std::string output;
  bool report = false, json = false, list = false;
  const Fields* fields = nullptr;
};

void describe(ImportArguments& arguments, Fields& is) {
  verbs::describe(arguments.question, is);
  is("list", arguments.list, "What can be imported").excludes({"file"});
  is("output", arguments.output, "Write the system; default: standard output")
      .letter('o')
      .shows("FILE");
  is("report", arguments.report, "Say what was assumed, and what was left out");
  is("json", arguments.json, "The report as JSON; with the system in it, if there is no -o");
}

int run(ImportArguments& arguments) {
  if (arguments.list) {
    tell_without_effect_but(told_here(), *arguments.fields, {"list"}, "--list only lists");
    const report::Style style = report::Style::of(STDOUT_FILENO);
    std::string text;
    for (const exchange::SourceFormat& format : exchange::source_formats()) {
      text += report::heading("", report::Ink::kPlain,
                              fmt::format("{:<10} {}", format.name, format.what), style);
    }
    return emit(text) ? kYes : kBadInput;
  }
  if (arguments.question.file.empty()) {
    complain("tactus: import needs a SOURCE; `tactus import --list` shows what can be imported");
    return kBadInput;
  }
  const auto found = [&] {
    // From a pipe nobody knows how long it takes, and what waits there must end at once.
    const std::string& file = arguments.question.file;
    if (!std::filesystem::is_regular_file(file) && !std::filesystem::is_directory(file))
      return answer(arguments.question, told_here());
    LongWork work;
    return answer(arguments.question, work.companion());
  }();
  if (!found) return complain_of(found.none());
  const std::string text = write_system(found->imported.system);
  const bool written = !arguments.output.empty();
  if (written && !save(arguments.output, text)) return kBadInput;
  if (arguments.json) return emit(found->json(!written)) ? kYes : kBadInput;
  if (!written && !emit(text)) return kBadInput;
  const std::string told = report::import_text(found->imported, found->name, arguments.report,
                                               report::Style::of(STDOUT_FILENO));
  if (written) return emit(told) ? kYes : kBadInput;
  // Standard output has the system.
  if (arguments.report) complain(std::string_view(told).substr(0, told.size() - 1));
  return kYes;
}

}  // namespace

void add_import(Parser& app, int& exit_code) {
  add_verb<ImportArguments>(
      app, exit_code, "import", "A system from a profile, or from another tool's file",
      "Exit code 0: imported; 2: bad input, 3: interrupted, and nothing is written.\n"
      "Examples:\n"
      "  tactus import profile.json.gz -o net.system.json --period 33 --report\n"
      "  tactus import profile.json.gz --jobs 'job_*' --fold task --margin 20 -o net.system.json\n"
      "  tactus import profile.json.gz --jobs idle --gap 2 --fold none > net.system.json",
      run);
}

}  // namespace tactus::cli
