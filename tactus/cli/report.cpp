#include <fmt/core.h>

#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/cli/long_work.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/experiment/results/results.hpp"
#include "tactus/report/html/page.hpp"
#include "tactus/report/html/page_template.hpp"
#include "tactus/tactus.h"
#include "tactus/verbs/report.hpp"

namespace tactus::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> inputs;
  std::string output, pdf;
  bool slack = true;
  int threads = 1;
};

/// The file, or the store of experiments, at a path; nothing after a complaint.
std::optional<verbs::ReportInput> read_input(const std::string& path) {
  constexpr std::string_view kStore = "SQLite format 3";
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  verbs::ReportInput input{.name = shown_name(path), .text = {}};
  if (!folder) {
    auto text = read_text_file(path);
    if (!text) {
      complain("tactus: " + text.error().message);
      return std::nullopt;
    }
    input.text = std::move(*text);
  }
  if (!folder && !input.text.starts_with(kStore)) return input;
  auto results = experiment::read_results(path);
  if (!results) {
    complain("tactus: " + results.error().message);
    return std::nullopt;
  }
  input.text.clear();
  input.results = std::move(*results);
  input.is_store = true;
  return input;
}

/// Writes the page where it was asked for; false after a complaint.
bool write_page(const ReportArguments& arguments, const std::string& page) {
  if (!arguments.output.empty()) {
    if (const auto failed = write_text_file(arguments.output, page)) {
      complain("tactus: " + failed->message);
      return false;
    }
  }
  if (arguments.pdf.empty()) return true;
  const auto failed = report::print_page(page, arguments.pdf);
  if (failed) complain("tactus: " + failed->message);
  return !failed;
}

int run(ReportArguments& arguments) {
  if (report::page_template().empty())
    return fail(fmt::format("this tactus has no page to fill: {}", report::why_no_page()),
                kUnknown);
  if (arguments.output.empty() && arguments.pdf.empty())
    return fail("-o FILE or --pdf FILE must say where the page goes");
  if (!arguments.pdf.empty() && !report::find_browser())
    return fail(
        "--pdf needs a browser that prints, and there is none here (Debian: apt install "
        "chromium)",
        kUnknown);
  verbs::ReportRequest request;
  for (const std::string& path : arguments.inputs) {
    auto input = read_input(path);
    if (!input) return kBadInput;
    request.inputs.push_back(std::move(*input));
  }
  request.slack = arguments.slack;
  request.threads = arguments.threads;
  request.version = tactus_version();
  LongWork work;
  request.stop = work.stop_token();
  request.progress = work.progress();
  const auto reported = verbs::report(request);
  if (!reported) return complain_of(reported.none());
  return write_page(arguments, report::page_with(reported->title, reported->document)) ? kYes
                                                                                       : kBadInput;
}

void describe(ReportArguments& arguments, Fields& is) {
  is("input", arguments.inputs,
     "Systems, plans, traces, results.db, and what run, simulate, analyze, slack and "
     "advise print with --json; - is standard input")
      .positional("INPUT")
      .required();
  is("output", arguments.output, "Write the page (*.html)").letter('o').shows("FILE");
  is("pdf", arguments.pdf, "Also print it, with a headless chromium").shows("FILE");
  is("slack", arguments.slack, "Search how far the values of systems may go")
      .off("Do not search how far the values of systems may go");
  is("threads", arguments.threads, "Methods analysed at a time").letter('j').range(1, 1024);
}

}  // namespace

void add_report(Parser& app, int& exit_code) {
  add_verb<ReportArguments>(
      app, exit_code, "report", "Show systems, plans and runs in one HTML file",

      "Exit code 0: written; 2: an input cannot be read or recognised; 3: this tactus was built\n"
      "without npm, or there is no browser for --pdf.\n"
      "Examples:\n"
      "  tactus report robot.system.json -o robot.html\n"
      "  tactus report robot.system.json robot.plan.json robot.trace.json -o robot.html\n"
      "  tactus report robot.system.json --pdf robot.pdf\n"
      "  tactus report results/results.db -o figures.html",
      run);
}

}  // namespace tactus::cli
