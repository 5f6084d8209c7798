#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "tactus/base/diagnostic.hpp"
#include "tactus/base/file.hpp"
#include "tactus/cli/output.hpp"
#include "tactus/cli/question_options.hpp"
#include "tactus/cli/verb.hpp"
#include "tactus/experiment/results/results.hpp"
#include "tactus/experiment/store/runs.hpp"
#include "tactus/report/charts/chart_kinds.hpp"
#include "tactus/report/charts/gnuplot.hpp"
#include "tactus/report/charts/recorded.hpp"
#include "tactus/report/reproduction.hpp"
#include "tactus/verbs/about.hpp"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;
using experiment::Results;

struct PlotArguments {
  std::string results, folder, page, errata;
  std::string kind = "curves", of, style;
  std::vector<std::string> names, formats = {"svg", "pdf"}, lines;
  const Fields* fields = nullptr;
};

constexpr std::string_view kCurves = "curves", kWeighted = "weighted", kHistogram = "histogram",
                           kScatter = "scatter";

/// The style that was asked for; nothing after complaints.
std::optional<report::FigureStyle> style_of(const PlotArguments& arguments) {
  if (arguments.style.empty()) return report::FigureStyle{};
  Result<std::string> text = read_text_file(arguments.style);
  if (!text) {
    complain("tactus: " + text.error().message);
    return std::nullopt;
  }
  report::ReadStyle read = report::read_style(std::move(*text));
  complain_about(arguments.style, read.diagnostics);
  return std::move(read.style);
}

Result<report::Chart> chart_of(const PlotArguments& arguments, const Results& results,
                               const report::FigureStyle& style) {
  using experiment::Measure;
  using experiment::Quantity;
  if (arguments.kind == kCurves) return report::chart_of(results, style);
  if (arguments.kind == kWeighted) return report::weighted_chart(results, style);
  const Measure measure = results.experiment.measure;
  const bool counted = measure == Measure::kAccepted || measure == Measure::kMissed;
  const bool time = arguments.of == "time" || (arguments.of.empty() && counted);
  const Quantity quantity = time ? Quantity::kTime : Quantity::kMeasured;
  const auto values = experiment::read_values(arguments.results, results, quantity);
  if (!values) return values.error();
  if (arguments.kind == kHistogram) {
    return report::histogram_chart(results, *values, quantity, style);
  }
  if (arguments.kind == kScatter) {
    return report::scatter_chart(results, *values, quantity, arguments.lines[0], arguments.lines[1],
                                 style);
  }
  return report::box_chart(results, *values, quantity, style);
}

/// Writes STEM.svg and so on; false after a complaint.
bool write_chart(const report::Chart& chart, const std::vector<report::ChartFormat>& formats,
                 std::string_view stem) {
  for (const report::ChartFormat format : formats) {
    const auto extension = report::kChartFormatNames[static_cast<std::size_t>(format)];
    if (const auto failed =
            report::draw_chart(chart, format, fmt::format("{}.{}", stem, extension))) {
      complain("tactus: " + failed->message);
      return false;
    }
  }
  return true;
}

/// False, with a complaint, if a format needs a program that is missing.
bool can_draw(const std::vector<report::ChartFormat>& formats) {
  if (std::none_of(formats.begin(), formats.end(), report::needs_gnuplot)) return true;
  const auto why = report::why_no_charts();
  if (why) complain("tactus: " + *why);
  return !why;
}

/// NAME.svg, or NAME-box.svg.
bool draw(const PlotArguments& arguments, const std::vector<Results>& all,
          const std::vector<report::ChartFormat>& formats, const std::string& folder,
          const report::FigureStyle& style) {
  const std::string suffix =
      arguments.kind == kCurves ? std::string() : fmt::format("-{}", arguments.kind);
  for (const Results& results : all) {
    const auto chart = chart_of(arguments, results, style);
    if (!chart) {
      complain("tactus: " + chart.error().message);
      return false;
    }
    if (!chart->note.empty()) {
      note(fmt::format("{}: {}", results.experiment.name, chart->note));
    }
    if (!write_chart(*chart, formats,
                     fmt::format("{}/{}{}", folder, results.experiment.name, suffix)))
      return false;
  }
  return true;
}

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

bool write_page(const std::vector<Results>& all, const PlotArguments& arguments,
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

std::vector<report::ChartFormat> formats_of(const PlotArguments& arguments) {
  std::vector<report::ChartFormat> formats;
  for (const std::string& name : arguments.formats) {
    const auto* found =
        std::find(std::begin(report::kChartFormatNames), std::end(report::kChartFormatNames), name);
    formats.push_back(
        static_cast<report::ChartFormat>(found - std::begin(report::kChartFormatNames)));
  }
  return formats;
}

/// Figures whose numbers stand in a file: measured ones, or what a run observed.
int plot_recorded(const PlotArguments& arguments) {
  const auto text = read_text_file(arguments.results);
  if (!text) return fail(text.error().message);
  const report::ReadRecorded read = report::read_recorded(*text);
  for (const Diagnostic& diagnostic : read.diagnostics) {
    complain(to_string(diagnostic, arguments.results));
  }
  if (!read.recorded) return kBadInput;
  if (!arguments.page.empty() || !arguments.style.empty() || arguments.kind != kCurves)
    return fail("--report, --style and --kind go with results of experiments");
  std::vector<std::string_view> known;
  for (const report::RecordedFigure& figure : read.recorded->figures) known.push_back(figure.name);
  for (const std::string& name : arguments.names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return fail(fmt::format("the file has no figure {}{}", quote(name), suggestion(name, known)));
  }
  const std::vector<report::ChartFormat> formats = formats_of(arguments);
  if (!can_draw(formats)) return kUnknown;
  const fs::path beside = fs::path(arguments.results).parent_path();
  const fs::path folder = arguments.folder.empty() ? beside : fs::path(arguments.folder);
  if (!folder.empty() && !make_folder(folder.string())) return kBadInput;
  std::size_t drawn = 0;
  for (const report::RecordedFigure& figure : read.recorded->figures) {
    const auto& names = arguments.names;
    if (!names.empty() && std::find(names.begin(), names.end(), figure.name) == names.end()) {
      continue;
    }
    ++drawn;
    if (!write_chart(report::chart_of(figure), formats, (folder / figure.name).string()))
      return kBadInput;
  }
  return emit(fmt::format("{} figure{} in {}\n", drawn, drawn == 1 ? "" : "s",
                          folder.empty() ? "." : folder.string()))
             ? kYes
             : kBadInput;
}

int run(PlotArguments& arguments) {
  const bool of_sets = arguments.kind == "histogram" || arguments.kind == "box";
  if (!of_sets && arguments.kind != kScatter) {
    tell_without_effect(told_here(), *arguments.fields, {"of"},
                        "it goes with --kind histogram, box and scatter");
  }
  if (arguments.kind != kScatter) {
    tell_without_effect(told_here(), *arguments.fields, {"lines"}, "it goes with --kind scatter");
  }
  if (report::looks_recorded(arguments.results)) return plot_recorded(arguments);
  auto all = experiment::read_results(arguments.results);
  if (!all) return fail(all.error().message);
  if (!select(*all, arguments.names)) return kBadInput;
  std::string folder = arguments.folder;
  if (folder.empty()) {
    const fs::path given(arguments.results);
    folder = fs::is_directory(given) ? given.string() : given.parent_path().string();
    if (folder.empty()) folder = ".";
  }
  const fs::path page = arguments.page.empty() ? fs::path() : fs::absolute(arguments.page);
  if (arguments.kind == kScatter && arguments.lines.size() != 2)
    return fail("--kind scatter needs two lines: --lines A,B");
  const auto style = style_of(arguments);
  const auto errata = read_errata(arguments.errata, page.parent_path());
  if (!style || !errata || !make_folder(folder)) return kBadInput;
  const std::vector<report::ChartFormat> formats = formats_of(arguments);
  if (!can_draw(formats)) return kUnknown;
  if (!draw(arguments, *all, formats, folder, *style)) return kBadInput;
  if (!arguments.page.empty() && !write_page(*all, arguments, folder, *errata)) return kBadInput;
  return emit(fmt::format("{} figure{} in {}\n", all->size(), all->size() == 1 ? "" : "s", folder))
             ? kYes
             : kBadInput;
}

void describe(PlotArguments& arguments, Fields& is) {
  is("results", arguments.results,
     "A results.db, the folder that has one, a file with measured figures, or the document "
     "of a run (run --json, simulate --json)")
      .positional("RESULTS")
      .required();
  is("experiment", arguments.names, "Only these experiments or figures; default: all")
      .positional("EXPERIMENT");
  is("output", arguments.folder, "Folder for NAME.svg, NAME.pdf, ...; default: beside the results")
      .letter('o')
      .shows("DIR");
  is("format", arguments.formats,
     "svg, pdf, png, tikz (for pgfplots), dat (the data), or several with commas")
      .commas()
      .one_of({"svg", "pdf", "png", "tikz", "dat"})
      .shows("FORMAT,...");
  is("kind", arguments.kind,
     "curves; weighted: weighted schedulability of each case; histogram, box: of the "
     "values of all sets; scatter: one line against another, set by set")
      .one_of({"curves", "weighted", "histogram", "box", "scatter"});
  is("of", arguments.of,
     "With histogram, box, scatter: what the experiment measures, or the time of "
     "each analysis; default: value, and time where sets have no value")
      .one_of({"value", "time"});
  is("lines", arguments.lines, "With scatter: the lines (line or line:variant)")
      .commas()
      .shows("A,B");
  is("style", arguments.style,
     "Sizes, letters, colours, order and names: a JSON file (tactus schema style)")
      .shows("FILE");
  is("report", arguments.page,
     "Also write a page in Markdown: every figure beside the paper's numbers")
      .shows("FILE");
  is("errata", arguments.errata,
     "With --report: begin the page with the summary of this page in Markdown, which "
     "is what it has before its first section")
      .shows("FILE")
      .needs("report");
}

}  // namespace

void add_plot(Parser& app, int& exit_code) {
  add_verb<PlotArguments>(
      app, exit_code, "plot", "Draw the figures of recorded experiments and measurements",

      "Exit code 0: drawn; 2: no results, or a file cannot be written; 3: gnuplot is missing.\n"
      "Examples:\n"
      "  tactus lab plot results\n"
      "  tactus lab plot results/results.db gcaps-fig8b --format pdf -o paper/figures\n"
      "  tactus lab plot results --format svg -o docs/images --report docs/results.md\n"
      "  tactus lab plot results gcaps-fig8b --format tikz,dat --style column.json\n"
      "  tactus lab plot results pbs-fig5a --kind box --of time\n"
      "  tactus lab plot results --report docs/results.md --errata docs/errata.md\n"
      "  tactus lab plot bench/results/h200/figures.json --format svg -o docs/images/measured\n"
      "  tactus run robot.system.json --json > run.json; tactus lab plot run.json",
      run);
}

}  // namespace tactus::cli
