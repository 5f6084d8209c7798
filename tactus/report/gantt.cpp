#include "tactus/report/gantt.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <vector>

namespace tactus::report {
namespace {

/// Paints one bar into a row of single-column cells.
void paint(std::vector<std::string>& row, std::size_t from, std::size_t to,
           const std::string& label, const Style& style) {
  if (to <= from || from >= row.size()) return;
  to = std::min(to, row.size());
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

std::string render_gantt(std::span<const PlanBar> bars, TimeUnit unit, const Style& style) {
  Time end;
  std::map<std::int64_t, std::vector<const PlanBar*>> rows;
  for (const PlanBar& bar : bars) {
    end = std::max(end, bar.end);
    rows[bar.unit].push_back(&bar);
  }
  if (end == Time()) return {};

  constexpr int kMargin = 12;
  const auto columns = static_cast<std::size_t>(std::clamp(style.width - kMargin, 20, 200));
  const auto column_of = [&](Time t) {
    return static_cast<std::size_t>(static_cast<__int128>(t.ns()) *
                                    static_cast<std::int64_t>(columns) / end.ns());
  };
  struct Line {
    std::int64_t first, last;
    std::string text;
  };
  std::vector<Line> lines;
  for (const auto& [number, row_bars] : rows) {
    std::vector<std::string> cells(columns, " ");
    for (const PlanBar* bar : row_bars) {
      const std::size_t from = column_of(bar->start);
      paint(cells, from, std::max(column_of(bar->end), from + 1), bar->label, style);
    }
    std::string text;
    for (const std::string& cell : cells) text += cell;
    if (!lines.empty() && lines.back().text == text && lines.back().last + 1 == number) {
      lines.back().last = number;
    } else {
      lines.push_back({number, number, std::move(text)});
    }
  }
  std::string out;
  for (const Line& line : lines) {
    const std::string name = line.first == line.last ? std::to_string(line.first)
                                                     : fmt::format("{}-{}", line.first, line.last);
    out += fmt::format("{:>9} {}\n", name, line.text);
  }
  const std::string last = format_time(end, unit);
  out += fmt::format("{:>9} 0{:>{}}\n", "time", last, columns - 1);
  return out;
}

}  // namespace tactus::report
