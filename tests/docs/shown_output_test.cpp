// What the documentation shows as output of a command is what the command prints.
//
// A block whose line starts with "$ tactus" is run in the source folder; the lines that follow must
// be its output (standard error included). A line "..." stands for any number of lines; a command
// that ends with a backslash goes on in the next line.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
#include "tests/support/paths.hpp"

namespace tactus {
namespace {

struct Shown {
  std::string file;
  std::size_t line = 0;
  std::string command;
  std::vector<std::string> output;
};

std::string trimmed_end(std::string text) {
  text.erase(text.find_last_not_of(" \r\n") + 1);
  return text;
}

/// The commands shown in one page, in fenced or indented blocks.
std::vector<Shown> shown_in(const std::filesystem::path& page) {
  std::vector<Shown> all;
  std::ifstream file(page);
  std::string line;
  bool fenced = false, open = false;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("```")) {
      fenced = !fenced;
      open = false;
      continue;
    }
    const bool indented = !fenced && line.starts_with("    ");
    const bool blank = trimmed_end(line).empty();
    if (!fenced && !indented && !blank) open = false;
    if (indented) line.erase(0, 4);
    if (open && all.back().command.ends_with('\\')) {  // it goes on, as in a shell
      std::string& command = all.back().command;
      command.back() = ' ';
      command += trimmed_end(line);
    } else if ((fenced || indented) && line.starts_with("$ tactus ")) {
      all.push_back({page.string(), number, trimmed_end(line.substr(9)), {}});
      open = true;
    } else if (open) {
      all.back().output.push_back(trimmed_end(line));
    }
  }
  for (Shown& shown : all) {
    while (!shown.output.empty() && shown.output.back().empty()) shown.output.pop_back();
  }
  return all;
}

std::vector<std::string> printed_by(const std::string& command) {
  const std::string full = "cd '" + support::source_path("") +
                           "' && COLUMNS=100 '" TACTUS_BINARY "' " + command + " 2>&1";
  std::vector<std::string> lines;
  FILE* pipe = popen(full.c_str(), "r");
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) lines.push_back(trimmed_end(buffer));
  pclose(pipe);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

/// Lines equal, with "..." on the left for any run on the right.
bool matches(std::vector<std::string>::const_iterator left,
             std::vector<std::string>::const_iterator left_end,
             std::vector<std::string>::const_iterator right,
             std::vector<std::string>::const_iterator right_end) {
  if (left == left_end) return right == right_end;
  if (*left != "...") {
    return right != right_end && *left == *right &&
           matches(left + 1, left_end, right + 1, right_end);
  }
  for (;; ++right) {
    if (matches(left + 1, left_end, right, right_end)) return true;
    if (right == right_end) return false;
  }
}

TEST(Documentation, ShowsWhatTheCommandsPrint) {
  namespace fs = std::filesystem;
  std::vector<fs::path> pages = {support::source_path("README.md")};
  for (const auto& entry : fs::recursive_directory_iterator(support::source_path("docs"))) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  std::size_t commands = 0;
  for (const fs::path& page : pages) {
    for (const Shown& shown : shown_in(page)) {
      ++commands;
      const std::vector<std::string> printed = printed_by(shown.command);
      std::string actual;
      for (const std::string& line : printed) actual += line + "\n";
      EXPECT_TRUE(matches(shown.output.begin(), shown.output.end(), printed.begin(), printed.end()))
          << shown.file << ":" << shown.line << ": tactus " << shown.command << " prints\n"
          << actual;
    }
  }
  EXPECT_GE(commands, 5U);
}

}  // namespace
}  // namespace tactus
