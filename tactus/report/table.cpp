#include "tactus/report/table.hpp"

#include <algorithm>

namespace tactus::report {
namespace {

constexpr std::string_view kGap = "  ";

std::string blanks(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

}  // namespace

std::string Table::render(const Style& style, std::string_view indent) const {
  std::vector<int> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    int width = display_width(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c].text));
    widths.push_back(width);
  }
  std::string out;
  // Blanks before a cell are written only once the cell follows, so that no line ends in blanks.
  const auto add_line = [&](const auto& cell_of) {
    std::string pending(indent);
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Cell cell = cell_of(c);
      const int rest = widths[c] - display_width(cell.text);
      if (columns_[c].align == Align::kRight) pending += blanks(rest);
      if (!cell.text.empty()) {
        out += pending + inked(cell.text, cell.ink, style);
        pending.clear();
      }
      if (columns_[c].align == Align::kLeft) pending += blanks(rest);
      pending += kGap;
    }
    out += '\n';
  };
  add_line([&](std::size_t c) { return Cell(columns_[c].title, Ink::kDim); });
  if (style.unicode) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (c > 0) line += kGap;
      for (int i = 0; i < widths[c]; ++i) line += "─";
    }
    out += std::string(indent) + inked(line, Ink::kDim, style) + '\n';
  }
  for (const auto& row : rows_) {
    add_line([&](std::size_t c) { return row[c]; });
  }
  return out;
}

}  // namespace tactus::report
