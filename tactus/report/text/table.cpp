#include "tactus/report/text/table.hpp"

#include <algorithm>

#include "tactus/report/text/wrap.hpp"

namespace tactus::report {
namespace {

constexpr std::string_view kGap = "  ";

std::string blanks(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

/// The lines of a title.
std::vector<std::string> lines_of(const std::string& title) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= title.size();) {
    const std::size_t end = std::min(title.find('\n', at), title.size());
    lines.push_back(title.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::vector<int> Table::widths() const {
  std::vector<int> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    int width = 0;
    for (const std::string& line : lines_of(columns_[c].title)) {
      width = std::max(width, display_width(line));
    }
    for (const auto& row : rows_) {
      if (!is_heading(row)) width = std::max(width, display_width(row[c].text));
    }
    widths.push_back(width);
  }
  return widths;
}

int Table::width() const {
  int sum = 0;
  for (int width : widths()) sum += width + static_cast<int>(kGap.size());
  return std::max(0, sum - static_cast<int>(kGap.size()));
}

Table Table::part(std::size_t from, std::size_t to) const {
  const auto cut = [&](const auto& all) {
    auto kept = all;
    kept.assign(all.begin(), all.begin() + 1);
    kept.insert(kept.end(), all.begin() + static_cast<std::ptrdiff_t>(from),
                all.begin() + static_cast<std::ptrdiff_t>(to));
    return kept;
  };
  Table out(cut(columns_));
  for (const auto& row : rows_) out.rows_.push_back(is_heading(row) ? row : cut(row));
  return out;
}

/// As many columns as fit below each other, each time beside the first.
std::string Table::in_parts(const Style& style, std::string_view indent) const {
  std::string out;
  for (std::size_t from = 1; from < columns_.size();) {
    std::size_t to = from + 1;
    while (to < columns_.size() && part(from, to + 1).fits(style, indent)) ++to;
    const Table some = part(from, to);
    out += (out.empty() ? "" : "\n") +
           (some.fits(style, indent) ? some.rendered(style, indent) : some.as_list(style, indent));
    from = to;
  }
  return out;
}

/// A line for each row, folded: for what does not fit even beside the first column alone.
std::string Table::as_list(const Style& style, std::string_view indent) const {
  std::string out;
  const auto add = [&](std::string_view first, Ink ink, std::string_view second) {
    const std::string head = std::string(indent).append(first);
    std::string line = wrapped("", second.empty() ? head : head + ": " + std::string(second),
                               style.fold, display_width(indent) + 2);
    line.replace(indent.size(), first.size(), inked(first, ink, style));
    out += line;
  };
  const auto plain = [](std::string title) {
    std::replace(title.begin(), title.end(), '\n', ' ');
    return title;
  };
  add(plain(columns_[0].title), Ink::kDim, plain(columns_[1].title));
  for (const auto& row : rows_) {
    add(row[0].text, row[0].ink, is_heading(row) ? std::string_view() : row[1].text);
  }
  return out;
}

bool Table::fits(const Style& style, std::string_view indent) const {
  return width() + display_width(indent) <= style.fold;
}

std::string Table::render(const Style& style, std::string_view indent) const {
  // On what is no narrow terminal it stays whole, whatever its width.
  const bool whole = style.fold >= kRoomForTables || columns_.size() < 2 || fits(style, indent);
  return whole ? rendered(style, indent) : in_parts(style, indent);
}

std::string Table::rendered(const Style& style, std::string_view indent) const {
  const std::vector<int> widths = this->widths();
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
  std::vector<std::vector<std::string>> titles;
  std::size_t title_lines = 1;
  for (const Column& column : columns_) {
    titles.push_back(lines_of(column.title));
    title_lines = std::max(title_lines, titles.back().size());
  }
  for (std::size_t line = 0; line < title_lines; ++line) {
    add_line([&](std::size_t c) {  // the last lines stand side by side
      const std::size_t above = title_lines - titles[c].size();
      return Cell(line < above ? std::string() : titles[c][line - above], Ink::kDim);
    });
  }
  if (style.unicode) {
    std::string line;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      if (c > 0) line += kGap;
      for (int i = 0; i < widths[c]; ++i) line += "─";
    }
    out += std::string(indent) + inked(line, Ink::kDim, style) + '\n';
  }
  for (const auto& row : rows_) {
    if (is_heading(row)) {
      out += std::string(indent) + inked(row.front().text, row.front().ink, style) + '\n';
    } else {
      add_line([&](std::size_t c) { return row[c]; });
    }
  }
  return out;
}

}  // namespace tactus::report
