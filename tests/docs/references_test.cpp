// What docs/use/methods refer to in the sources and in the tests is really there: the functions of the
// tables "Where each term is computed", and the tests that keep the counterexamples.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "tests/docs/pages.hpp"
#include "tests/support/paths.hpp"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using namespace docs;

const fs::path kMethods = support::source_path("docs/use/methods");
constexpr std::string_view kHeading = "### Where each term is computed";

/// Every function of a row | term | equation | `function`, ... | [file](link) |.
void expect_row_holds(const std::string& row, const std::string& where) {
  static const std::regex kRow(R"(^\|[^|]+\|[^|]+\|([^|]+)\| \[([^\]]+)\]\(([^)]+)\) \|$)");
  static const std::regex kName(R"(`(\w+)`)");
  std::smatch parts;
  ASSERT_TRUE(std::regex_match(row, parts, kRow)) << where << row;
  const fs::path source = kMethods / parts[3].str();
  ASSERT_TRUE(fs::exists(source)) << where << source;
  EXPECT_EQ(source.filename(), parts[2].str()) << where;
  // What is declared in the header may be defined there, too.
  std::string code;
  for (const char* each : {".hpp", ".cpp"})
    code += text_of(fs::path(source).replace_extension(each));
  int named = 0;
  for_each_match(parts[1], kName, [&](const std::smatch& name) {
    const std::regex word("\\b" + name[1].str() + "\\b");
    EXPECT_TRUE(std::regex_search(code, word)) << where << name[1] << " is not in " << parts[2];
    ++named;
  });
  EXPECT_GT(named, 0) << where << row;
}

TEST(TermMap, OfEveryFamilyNamesFunctionsThatExist) {
  int pages = 0;
  for (const auto& entry : fs::directory_iterator(kMethods)) {
    std::ifstream page(entry.path());
    std::string line;
    bool inside = false;
    int rows = 0;
    for (int number = 1; std::getline(page, line); ++number) {
      if (line.starts_with("#")) inside = line == kHeading;
      const bool row = line.starts_with("|") && !line.starts_with("|---");
      if (!inside || !row || line.starts_with("| term |")) continue;
      ++rows;
      expect_row_holds(line,
                       entry.path().filename().string() + ":" + std::to_string(number) + ": ");
    }
    EXPECT_GT(rows, 10) << entry.path();
    ++pages;
  }
  EXPECT_EQ(pages, 6);
}

/// Of a family, all in one; its folder may be part of another one's.
std::string tests_of(const std::string& family) {
  std::string all;
  for (const auto& entry :
       fs::recursive_directory_iterator(support::source_path("tests/methods"))) {
    const bool own = entry.path().string().find("/" + family + "/") != std::string::npos;
    if (own && entry.is_regular_file()) all += text_of(entry.path());
  }
  return all;
}

TEST(Findings, AreKeptByTheTestsThatThePagesName) {
  for (const auto& entry : fs::directory_iterator(kMethods)) {
    const std::string tests = tests_of(entry.path().stem().string());
    const int named =
        expect_tests(text_of(entry.path()), tests, entry.path().filename().string() + ": ");
    EXPECT_GT(named, 1) << entry.path();
  }
}

}  // namespace
}  // namespace tactus
