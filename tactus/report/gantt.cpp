#include "tactus/report/gantt.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace tactus::report {
namespace {

/// Paints one bar into a row of single-column cells.
void paint(std::vector<std::string>& row, std::size_t from, std::size_t to,
           const std::string& label, const Style& style) {
  if (from >= row.size()) return;
  to = std::clamp(to, from + 1, row.size());
  for (std::size_t i = from; i < to; ++i) row[i] = style.unicode ? "─" : "-";
  row[from] = style.unicode ? "├" : "|";
  std::size_t at = from + 1;
  for (char c : label) {
    // Labels are cut, and only ASCII goes in: one character, one column.
    if (at >= to || static_cast<unsigned char>(c) >= 0x80) break;
    row[at++] = std::string(1, c);
  }
}

}  // namespace

std::string render_gantt(std::span<const GanttRow> rows, TimeUnit unit, const Style& style,
                         Time from) {
  Time end = from;
  int name_width = 4;
  for (const GanttRow& row : rows) {
    name_width = std::max(name_width, display_width(row.name));
    for (const GanttBar& bar : row.bars) end = std::max(end, bar.end);
  }
  if (end == from) return {};

  const auto columns = std::clamp(style.width - name_width - 4, 20, 200);
  const auto column_of = [&](Time t) {
    return static_cast<std::size_t>(static_cast<__int128>((t - from).ns()) * columns /
                                    (end - from).ns());
  };
  const auto line = [&](std::string_view name, std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return fmt::format("  {}{} {}\n",
                       std::string(static_cast<std::size_t>(name_width - display_width(name)), ' '),
                       name, text);
  };
  std::string out;
  for (const GanttRow& row : rows) {
    std::vector<std::string> cells(static_cast<std::size_t>(columns), " ");
    for (const GanttBar& bar : row.bars) {
      paint(cells, column_of(bar.start), column_of(bar.end), bar.label, style);
    }
    std::string text;
    for (const std::string& cell : cells) text += cell;
    out += line(row.name, std::move(text));
  }
  const std::string first = format_time(from, unit);
  return out + line("time", fmt::format("{}{:>{}}", first, format_time(end, unit),
                                        std::max(columns - static_cast<int>(first.size()), 1)));
}

std::string render_gantt(std::span<const PlanBar> bars, TimeUnit unit, const Style& style) {
  std::map<std::int64_t, std::vector<GanttBar>> by_unit;
  for (const PlanBar& bar : bars) by_unit[bar.unit].push_back({bar.start, bar.end, bar.label});
  const auto same = [](const std::vector<GanttBar>& a, const std::vector<GanttBar>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
      return x.start == y.start && x.end == y.end && x.label == y.label;
    });
  };
  std::vector<GanttRow> rows;
  for (auto first = by_unit.begin(); first != by_unit.end();) {
    auto last = first;
    for (auto next = std::next(last); next != by_unit.end() && next->first == last->first + 1 &&
                                      same(next->second, first->second);
         ++next) {
      last = next;
    }
    rows.push_back({first == last ? std::to_string(first->first)
                                  : fmt::format("{}-{}", first->first, last->first),
                    first->second});
    first = std::next(last);
  }
  return render_gantt(rows, unit, style);
}

}  // namespace tactus::report
