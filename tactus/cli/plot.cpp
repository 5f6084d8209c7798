#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "tactus/cli/output.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/experiment/results.hpp"
#include "tactus/experiment/runs.hpp"
#include "tactus/model/diagnostic.hpp"
#include "tactus/model/file.hpp"
#include "tactus/report/gnuplot.hpp"
#include "tactus/report/reproduction.hpp"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;
using experiment::Results;

struct Arguments {
  std::string results, folder, page, errata;
  std::vector<std::string> names, formats = {"svg", "pdf"};
};

/// Keeps those that are named; false, with a complaint, if there is no such experiment.
bool select(std::vector<Results>& all, const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  known.reserve(all.size());
  for (const Results& results : all) known.push_back(results.experiment.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    complain(fmt::format("tactus: the results have no experiment {}{}", quote(name),
                         suggestion(name, known)));
    return false;
  }
  if (names.empty()) return true;
  std::erase_if(all, [&](const Results& results) {
    return std::find(names.begin(), names.end(), results.experiment.name) == names.end();
  });
  return true;
}

/// What stands before the first section of the page about errata, as a section of its own; nothing,
/// with a complaint, if there is no such page.
std::optional<std::string> read_errata(const std::string& path, const fs::path& beside) {
  if (path.empty()) return "";
  const auto text = read_text_file(path);
  if (!text) {
    complain("tactus: " + text.error().message);
    return std::nullopt;
  }
  const std::size_t begin = std::min(text->find('\n'), text->size());  // of the title
  const std::string summary = text->substr(begin, text->find("\n## ", begin) - begin);
  return fmt::format("## Errata{}\nMore: [{}]({}).\n\n", summary,
                     fs::path(path).filename().string(),
                     fs::absolute(path).lexically_relative(beside).string());
}

bool write_page(const std::vector<Results>& all, const Arguments& arguments,
                const std::string& folder, const std::string& errata) {
  const auto history = experiment::read_history(arguments.results);
  if (!history) {
    complain("tactus: " + history.error().message);
    return false;
  }
  const bool drawn = std::find(arguments.formats.begin(), arguments.formats.end(), "svg") !=
                     arguments.formats.end();
  const fs::path page = fs::absolute(arguments.page).parent_path();
  const std::string images = drawn ? fs::absolute(folder).lexically_relative(page).string() : "";
  const std::string text = report::reproduction_page(all, *history, images, errata);
  if (const auto failed = write_text_file(arguments.page, text)) {
    complain("tactus: " + failed->message);
    return false;
  }
  return true;
}

int run(const Arguments& arguments) {
  auto all = experiment::read_results(arguments.results);
  if (!all) {
    complain("tactus: " + all.error().message);
    return kBadInput;
  }
  if (!select(*all, arguments.names)) return kBadInput;
  std::string folder = arguments.folder;
  if (folder.empty()) {
    const fs::path given(arguments.results);
    folder = fs::is_directory(given) ? given.string() : given.parent_path().string();
    if (folder.empty()) folder = ".";
  }
  const fs::path page = arguments.page.empty() ? fs::path() : fs::absolute(arguments.page);
  const auto errata = read_errata(arguments.errata, page.parent_path());
  if (!errata || !make_folder(folder)) return kBadInput;
  if (const auto why = report::why_no_charts()) {
    complain("tactus: " + *why);
    return kUnknown;
  }
  std::vector<report::ChartFormat> formats;
  for (const std::string& name : arguments.formats) {
    const auto* found =
        std::find(std::begin(report::kChartFormatNames), std::end(report::kChartFormatNames), name);
    formats.push_back(
        static_cast<report::ChartFormat>(found - std::begin(report::kChartFormatNames)));
  }
  if (const auto failed = report::draw_charts(*all, formats, folder)) {
    complain("tactus: " + failed->message);
    return kBadInput;
  }
  if (!arguments.page.empty() && !write_page(*all, arguments, folder, *errata)) return kBadInput;
  return emit(fmt::format("{} figure{} in {}\n", all->size(), all->size() == 1 ? "" : "s", folder))
             ? kYes
             : kBadInput;
}

}  // namespace

void add_plot(CLI::App& app, int& exit_code) {
  auto* verb = app.add_subcommand("plot", "Draw the figures of recorded experiments");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("RESULTS", arguments->results, "A results.db, or the folder that has one")
      ->required();
  verb->add_option("EXPERIMENT", arguments->names, "Only these; default: all in the results");
  verb->add_option("-o,--output", arguments->folder,
                   "Folder for NAME.svg, NAME.pdf, ...; default: beside the results")
      ->type_name("DIR");
  verb->add_option("--format", arguments->formats, "svg, pdf, png, or several with commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"svg", "pdf", "png"}))
      ->type_name("FORMAT,...")
      ->capture_default_str();
  verb->add_option("--report", arguments->page,
                   "Also write a page in Markdown: every figure beside the paper's numbers")
      ->type_name("FILE");
  verb->add_option("--errata", arguments->errata,
                   "With --report: begin the page with the summary of this page in Markdown, which "
                   "is what it has before its first section")
      ->type_name("FILE")
      ->needs("--report");
  verb->footer(
      "Exit code 0: drawn; 2: no results, or a file cannot be written; 3: gnuplot is missing.\n"
      "Examples:\n"
      "  tactus plot results\n"
      "  tactus plot results/results.db gcaps-fig8b --format pdf -o paper/figures\n"
      "  tactus plot results --format svg -o docs/images --report docs/results.md\n"
      "  tactus plot results --report docs/results.md --errata docs/errata.md");
  verb->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace tactus::cli
