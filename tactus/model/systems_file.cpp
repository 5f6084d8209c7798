#include "tactus/model/systems_file.hpp"

#include <algorithm>
#include <utility>

#include "tactus/base/tell_the_rest.hpp"
#include "tactus/model/read_context.hpp"

namespace tactus {
namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

/// Takes the first line away from a text.
std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

}  // namespace

bool is_json_lines(std::string_view text) {
  std::size_t lines = 0;
  while (!text.empty() && lines < 2) {
    const std::string_view line = trimmed(next_line(text));
    if (line.empty()) continue;
    if (line.front() != '{' || (lines == 0 && line.back() != '}')) return false;
    ++lines;
  }
  return lines == 2;
}

ReadSystems read_system_lines(std::string_view text) {
  ReadSystems all;
  std::size_t errors = 0, warnings = 0;
  bool failed = false;
  // To the end, however much there is to tell: a line that nobody reads would be judged by nobody.
  for (std::uint32_t number = 1; !text.empty(); ++number) {
    const std::string_view line = next_line(text);
    if (trimmed(line).empty()) continue;
    ReadResult read = read_system(std::string(line));
    failed = failed || !read.system;
    for (Diagnostic& problem : read.diagnostics) {
      std::size_t& count = problem.severity == Severity::kError ? errors : warnings;
      if (++count > kMaxProblems) continue;
      problem.at = {number, std::max(problem.at.column, 1U)};
      all.diagnostics.push_back(std::move(problem));
    }
    if (read.system) all.systems.push_back({number, std::move(*read.system)});
  }
  tell_the_rest(errors, warnings, all.diagnostics);
  if (failed) all.systems.clear();
  return all;
}

}  // namespace tactus
