#pragma once

#include <string>
#include <string_view>

#include "tactus/report/charts/chart.hpp"
#include "tactus/report/text/html_escaped.hpp"
#include "tactus/report/text/table.hpp"

/// Tables and charts as parts of a page: the same `Table`, `Cell` and `Chart` that text and figures
/// are made of. What comes from files is text everywhere, never markup: a task may be called
/// `<script>`. Nothing is loaded from elsewhere, and there is no script.
///
///     std::string body = "<h2>" + html_escaped(system.name) + "</h2>" + html_table(table);
///     std::string page = html_page("Verdicts", body);
namespace tactus::report {

/// `text` in the colour of its ink.
std::string html_cell(const Cell& cell);

/// A table with a caption, where there is one.
std::string html_table(const Table& table, std::string_view caption = {});

/// A figure: one drawing per panel and a legend. The same chart gives the same bytes.
std::string html_chart(const Chart& chart);

/// The same in somebody else's page (a cell of a notebook): with the style of these parts alone.
std::string html_part(std::string_view body);

/// A whole page around parts that are HTML already; the title is text. With the style that the
/// parts above are made for, light and dark.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace tactus::report
