#include "tactus/report/html/html.hpp"

#include <fmt/core.h>

#include "tactus/base/words.hpp"
#include "tactus/report/text/html_escaped.hpp"

namespace tactus::report {
namespace {

constexpr std::string_view kPageStyle = R"(
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; })";

constexpr std::string_view kStyle = R"(
.tactus-table { border-collapse: collapse; margin: 1rem 0; }
.tactus-table caption { text-align: left; font-weight: 600; padding: .2rem 0; }
.tactus-table th, .tactus-table td { text-align: left; padding: .2rem .8rem .2rem 0; unicode-bidi: isolate; white-space: pre-wrap; }
.tactus-table th { border-bottom: 1px solid; font-weight: 500; opacity: .75; }
.tactus-table .tactus-right { text-align: right; font-variant-numeric: tabular-nums; }
.tactus-bold { font-weight: 600; }
.tactus-dim { opacity: .65; }
.tactus-green { color: light-dark(#05683f, #57cf9f); }
.tactus-red { color: light-dark(#b3261e, #ff8a80); }
.tactus-yellow { color: light-dark(#7a5200, #f2c14e); }
.tactus-chart { margin: 1rem 0; }
.tactus-panels { display: grid; gap: 1rem; }
.tactus-panels svg { width: 100%; max-width: 34rem; height: auto; background: #fff; }
.tactus-legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; }
.tactus-legend svg { vertical-align: middle; background: #fff; }
)";

std::string_view class_of(Ink ink) {
  static constexpr auto kWords = words_up_to<Ink::kYellow>(
      "", "tactus-bold", "tactus-dim", "tactus-green", "tactus-red", "tactus-yellow");
  return word_of(ink, kWords);
}

std::string attribute_of(Align align) {
  return align == Align::kRight ? " class=\"tactus-right\"" : "";
}

}  // namespace

std::string html_cell(const Cell& cell) {
  const std::string text = html_escaped(cell.text);
  const std::string_view name = class_of(cell.ink);
  return name.empty() ? text : fmt::format("<span class=\"{}\">{}</span>", name, text);
}

std::string html_table(const Table& table, std::string_view caption) {
  std::string out = "<table class=\"tactus-table\">\n";
  if (!caption.empty()) out += fmt::format("<caption>{}</caption>\n", html_escaped(caption));
  out += "<thead><tr>";
  for (const Table::Column& column : table.columns()) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", attribute_of(column.align),
                       html_escaped(column.title));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : table.rows()) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      out +=
          fmt::format("<td{}>{}</td>", attribute_of(table.columns()[c].align), html_cell(row[c]));
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n";
}

std::string html_part(std::string_view body) {
  return fmt::format("<div class=\"tactus\">\n<style>{}</style>\n{}</div>\n", kStyle, body);
}

std::string html_page(std::string_view title, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      html_escaped(title), kPageStyle, kStyle, body);
}

}  // namespace tactus::report
