#include "tactus/report/text/csv.hpp"

#include <charconv>

namespace tactus::report {
namespace {

/// A spreadsheet reads a text that begins like this as a formula, and runs it.
bool looks_like_a_formula(std::string_view field) {
  if (field.empty() || std::string_view("=+-@\t\r").find(field.front()) == std::string_view::npos) {
    return false;
  }
  double number = 0;
  const char* end = field.data() + field.size();
  const auto [parsed, problem] = std::from_chars(field.data(), end, number);
  return problem != std::errc() || parsed != end;
}

}  // namespace

std::string csv_line(const std::vector<std::string_view>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) line += ',';
    const std::string_view guard = looks_like_a_formula(fields[i]) ? "'" : "";
    if (fields[i].find_first_of(",\"\r\n") == std::string_view::npos) {
      line += guard;
      line += fields[i];
      continue;
    }
    line += '"';
    line += guard;
    for (char c : fields[i]) line += c == '"' ? "\"\"" : std::string(1, c);
    line += '"';
  }
  return line + '\n';
}

}  // namespace tactus::report
