#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/printable.hpp"
#include "tactus/report/text/terminal.hpp"

namespace tactus::report {

struct Cell {
  std::string text;
  Ink ink = Ink::kPlain;

  /// Always on one line: a text from a file must not look like further rows.
  Cell(std::string_view content, Ink colour = Ink::kPlain)
      : text(printable_line(content)), ink(colour) {}
  Cell(const std::string& content, Ink colour = Ink::kPlain)
      : Cell(std::string_view(content), colour) {}
  Cell(const char* content, Ink colour = Ink::kPlain) : Cell(std::string_view(content), colour) {}
};

enum class Align { kLeft, kRight };

/// Rows in aligned columns, as text here and as HTML in html.hpp. Widths are those of the screen,
/// so that names in any script line up.
///
///     Table table({{"task"}, {"bound", Align::kRight}});
///     table.add({"camera", "16"});
///     std::string text = table.render(style, "  ");
class Table {
 public:
  struct Column {
    std::string title;  ///< several lines where it has line breaks
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// @pre as many cells as columns.
  void add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  /// A line of its own across all columns.
  void add_heading(Cell heading) { rows_.push_back({std::move(heading)}); }
  bool empty() const { return rows_.empty(); }
  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<std::vector<Cell>>& rows() const { return rows_; }

  /// Every line starts with `indent` and ends without trailing blanks. On a narrow terminal the
  /// columns that do not fit stand below, beside the first one again.
  std::string render(const Style& style, std::string_view indent = {}) const;
  /// How wide that is, headings aside.
  int width() const;

 private:
  std::vector<int> widths() const;
  bool fits(const Style& style, std::string_view indent) const;
  /// The first column, and those from `from` up to `to`.
  Table part(std::size_t from, std::size_t to) const;
  std::string in_parts(const Style& style, std::string_view indent) const;
  std::string as_list(const Style& style, std::string_view indent) const;
  std::string rendered(const Style& style, std::string_view indent) const;
  bool is_heading(const std::vector<Cell>& row) const {
    return row.size() == 1 && columns_.size() > 1;
  }

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace tactus::report
