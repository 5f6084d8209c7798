#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/paths.hpp"

/// Reading pages, and the tests that they name.
namespace tactus::docs {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The pages of the root, of docs/, and the theory beside the methods.
inline std::vector<std::filesystem::path> all_pages() {
  std::vector<std::filesystem::path> pages = {support::source_path("README.md"),
                                              support::source_path("CHANGELOG.md"),
                                              support::source_path("CONTRIBUTING.md")};
  for (const char* folder : {"docs", "tactus/methods"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(support::source_path(folder))) {
      if (entry.path().extension() == ".md") pages.push_back(entry.path());
    }
  }
  return pages;
}

/// Calls `visit(match)` for every match in the text.
template <typename Visit>
void for_each_match(const std::string& text, const std::regex& pattern, Visit visit) {
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    visit(*match);
  }
}

/// Every `Suite.Name`, `Suite.Beginning...` or `Suite.*` of a page is in the sources of `tests`;
/// returns how many there are.
inline int expect_tests(const std::string& page, const std::string& tests,
                        const std::string& where) {
  static const std::regex kTest(R"(`([A-Z]\w*)\.(\*|[A-Z]\w*)(\.\.\.)?`)");
  int named = 0;
  for_each_match(page, kTest, [&](const std::smatch& test) {
    std::string head = "TEST(" + test[1].str() + ", ";
    if (test[2] != "*") head += test[2].str() + (test[3].matched ? "" : ")");
    EXPECT_NE(tests.find(head), std::string::npos) << where << test[0];
    ++named;
  });
  return named;
}

}  // namespace tactus::docs
