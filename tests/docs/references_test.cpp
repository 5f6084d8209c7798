// The functions of tactus/methods/terms.tsv, and the tests that docs/use/methods name for their
// counterexamples, are really there.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/docs/pages.hpp"
#include "tests/support/paths.hpp"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using namespace docs;

const fs::path kPages = support::source_path("docs/use/methods");
const fs::path kMethods = support::source_path("tactus/methods");

/// Every function of a row: family, term, equation, functions, file.
void expect_row_holds(const std::vector<std::string>& row, const std::string& where) {
  const fs::path source = kMethods / row[4];
  ASSERT_TRUE(fs::exists(source)) << where << source;
  // What is declared in the header may be defined there, too.
  std::string code;
  for (const char* each : {".hpp", ".cpp"})
    code += text_of(fs::path(source).replace_extension(each));
  static const std::regex kName(R"(\w+)");
  int named = 0;
  for_each_match(row[3], kName, [&](const std::smatch& name) {
    const std::regex word("\\b" + name[0].str() + "\\b");
    EXPECT_TRUE(std::regex_search(code, word)) << where << name[0] << " is not in " << row[4];
    ++named;
  });
  EXPECT_GT(named, 0) << where;
}

TEST(TermMap, OfEveryFamilyNamesFunctionsThatExist) {
  std::ifstream file(kMethods / "terms.tsv");
  std::map<std::string, int> rows;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("#")) continue;
    const std::string where = "terms.tsv:" + std::to_string(number) + ": ";
    std::vector<std::string> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) row.push_back(cell);
    ASSERT_EQ(row.size(), 5U) << where << line;
    expect_row_holds(row, where);
    ++rows[row[0]];
  }
  for (const auto& entry : fs::directory_iterator(kPages)) {
    EXPECT_GT(rows[entry.path().stem()], 10) << entry.path();
  }
  EXPECT_EQ(rows.size(), 7U) << "six families, and pipelines";
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
  for (const fs::path& page : all_pages()) {
    const bool theory = page.filename() == "theory.md";
    if (!theory && page.parent_path().filename() != "methods") continue;
    const std::string family = theory ? page.parent_path().filename() : page.stem();
    const int named = expect_tests(text_of(page), tests_of(family), page.string() + ": ");
    EXPECT_TRUE(theory || named > 1) << page;
  }
}

}  // namespace
}  // namespace tactus
