#include "tactus/report/charts/gnuplot.hpp"

#include <fmt/core.h>

#include "tactus/base/file.hpp"
#include "tactus/report/charts/compact_svg.hpp"
#include "tactus/report/charts/workshop.hpp"

namespace tactus::report {
namespace {

/// Cairo writes the time of day into a PDF; its digits are replaced, so that no offset moves.
void remove_date(std::string& pdf) {
  constexpr std::string_view kKey = "/CreationDate (D:", kFixed = "20000101000000";
  for (std::size_t at = pdf.find(kKey); at != std::string::npos; at = pdf.find(kKey, at + 1)) {
    if (at + kKey.size() + kFixed.size() <= pdf.size()) {
      pdf.replace(at + kKey.size(), kFixed.size(), kFixed);
    }
  }
}

}  // namespace

std::optional<std::string> why_no_charts() {
  if (run_quietly({"gnuplot", "--version"}, "/dev/null") == 0) return std::nullopt;
  return "no figures were drawn: there is no gnuplot here (Debian: apt install gnuplot-nox); "
         "`tactus lab plot` draws them later from the results";
}

std::optional<Error> draw_with_gnuplot(
    const std::function<std::string(std::string_view output)>& script_for, ChartFormat format,
    const std::string& path) {
  const Workshop workshop;
  if (!workshop.usable()) return Error{"cannot make a temporary folder to draw in"};
  const std::string script = workshop.file("chart.gp"), drawn = workshop.file("chart");
  if (auto failed = write_text_file(script, script_for(drawn))) return failed;
  const std::string messages = workshop.file("messages");
  if (run_quietly({"gnuplot", script}, messages) != 0) {
    return Error{fmt::format("{}: gnuplot failed:{}", path, said_in(messages))};
  }
  Result<std::string> picture = read_text_file(drawn);
  if (!picture) return picture.error();
  if (format == ChartFormat::kPdf) remove_date(*picture);
  if (format == ChartFormat::kSvg) *picture = compact_svg(*picture);
  return write_text_file(path, *picture);
}

std::optional<Error> draw_chart(const Chart& chart, ChartFormat format, const std::string& path) {
  if (format == ChartFormat::kTikz) return write_text_file(path, pgfplots_of(chart));
  if (format == ChartFormat::kData) return write_text_file(path, data_of_chart(chart));
  return draw_with_gnuplot(
      [&](std::string_view output) { return chart_script(chart, format, output); }, format, path);
}

std::optional<Error> draw_charts(const std::vector<experiment::Results>& all,
                                 const std::vector<ChartFormat>& formats, const std::string& folder,
                                 const FigureStyle& style) {
  for (const experiment::Results& results : all) {
    const Chart chart = chart_of(results, style);
    for (const ChartFormat format : formats) {
      const std::string path = fmt::format("{}/{}.{}", folder, results.experiment.name,
                                           kChartFormatNames[static_cast<std::size_t>(format)]);
      if (auto failed = draw_chart(chart, format, path)) return failed;
    }
  }
  return std::nullopt;
}

}  // namespace tactus::report
