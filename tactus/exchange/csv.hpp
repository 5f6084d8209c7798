#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/base/diagnostic.hpp"

namespace tactus::exchange {

/// A field of a CSV text, without quotes and blanks around it.
struct CsvField {
  std::string text;
  Position at;
};
using CsvRow = std::vector<CsvField>;

/// The rows of a CSV text that are not empty; fields may be in quotes ("" is a quote). A quote that
/// does not end is a problem.
struct Csv {
  std::vector<CsvRow> rows;
  std::optional<Diagnostic> problem;
};
Csv read_csv(std::string_view text);

/// Where a column is in a row of titles, by one of its names, whatever the case; nothing if it is
/// not there.
std::optional<std::size_t> column_of(const CsvRow& titles,
                                     std::initializer_list<const char*> names);

/// A name in lower case, with single blanks.
std::string plain_title(std::string_view title);

}  // namespace tactus::exchange
