#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "tactus/report/html/document.hpp"
#include "tactus/report/html/html.hpp"

namespace tactus::report {
namespace {

using json::Kind;
using json::Value;

bool is_plain(const Value& value) { return !value.is(Kind::kObject) && !value.is(Kind::kArray); }

std::string text_of(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "-";
    case Kind::kBool:
      return value.boolean() ? "yes" : "no";
    default:
      return std::string(value.text());
  }
}

Align align_of(const Value& value) {
  return value.is(Kind::kNumber) ? Align::kRight : Align::kLeft;
}

/// A list of plain values fits into a cell.
bool fits_a_cell(const Value& value) {
  return is_plain(value) || (value.is(Kind::kArray) &&
                             std::all_of(value.items().begin(), value.items().end(), is_plain));
}

std::string cell_of(const Value& value) {
  if (is_plain(value)) return text_of(value);
  std::string out;
  for (const Value& item : value.items()) {
    if (!out.empty()) out += ", ";
    out += text_of(item);
  }
  return out;
}

/// The cells of an object, with those of objects in it under "outer inner".
using Row = std::vector<std::pair<std::string, const Value*>>;
void add_cells(const Value& object, const std::string& prefix, Row& row) {
  for (const json::Member& member : object.members()) {
    std::string name =
        prefix.empty() ? std::string(member.key) : fmt::format("{} {}", prefix, member.key);
    if (fits_a_cell(member.value)) {
      row.emplace_back(std::move(name), &member.value);
    } else if (member.value.is(Kind::kObject)) {
      add_cells(member.value, name, row);
    } else {
      row.emplace_back(std::move(name), nullptr);  // a list of lists: not in a cell
    }
  }
}

std::string rows_html(std::span<const Value> objects, std::string_view caption) {
  std::vector<Row> rows;
  std::vector<Table::Column> columns;
  for (const Value& object : objects) {
    Row row;
    if (object.is(Kind::kObject)) {
      add_cells(object, {}, row);
    } else {
      row.emplace_back("", &object);
    }
    for (const auto& [name, value] : row) {
      const auto is = [&name = name](const Table::Column& column) { return column.title == name; };
      if (std::any_of(columns.begin(), columns.end(), is)) continue;
      columns.push_back({name, value != nullptr ? align_of(*value) : Align::kLeft});
    }
    rows.push_back(std::move(row));
  }
  Table table(columns);
  for (const Row& row : rows) {
    std::vector<Cell> cells;
    for (const Table::Column& column : columns) {
      const auto found = std::find_if(row.begin(), row.end(),
                                      [&](const auto& cell) { return cell.first == column.title; });
      if (found == row.end()) {
        cells.emplace_back("");
      } else if (found->second == nullptr) {
        cells.emplace_back("...", Ink::kDim);
      } else {
        cells.emplace_back(fits_a_cell(*found->second) ? cell_of(*found->second) : "...");
      }
    }
    table.add(std::move(cells));
  }
  return html_table(table, caption);
}

}  // namespace

std::string members_html(const Value& object) {
  Table plain({{"what"}, {"value"}});
  std::string rest;
  for (const json::Member& member : object.members()) {
    if (member.key == "tactus") continue;  // the version of the format
    if (member.value.is(Kind::kArray) && member.value.items().empty()) continue;
    if (fits_a_cell(member.value)) {
      plain.add({member.key, cell_of(member.value)});
    } else if (member.value.is(Kind::kArray)) {
      rest += rows_html(member.value.items(), member.key);
    } else {
      rest += fmt::format("<h4>{}</h4>\n", html_escaped(member.key)) + members_html(member.value);
    }
  }
  return (plain.empty() ? std::string() : html_table(plain)) + rest;
}

}  // namespace tactus::report
