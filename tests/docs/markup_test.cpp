// The pages are whole: nothing was pasted into the middle of a table or of a name. (What stands in
// blocks is compared by shown_output_test.cpp; this is about what stands outside of them.)
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/docs/pages.hpp"
#include "tests/support/paths.hpp"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using namespace docs;

const std::regex kName(R"(\b(?:tactus|TACTUS)_\w*)");

/// Names of the interface: of functions, constants, environment variables, options of the build.
std::set<std::string> names_in(const std::string& text) {
  std::set<std::string> names;
  for_each_match(text, kName, [&](const std::smatch& name) { names.insert(name[0]); });
  return names;
}

std::set<std::string> names_of_the_sources() {
  std::set<std::string> names;
  std::vector<fs::path> files = {support::source_path("CMakeLists.txt"),
                                 support::source_path("CMakePresets.json"),
                                 support::source_path("test")};
  for (const char* folder : {"tactus", "python", "cmake", "tools", "tests", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(support::source_path(folder))) {
      // The names that this test takes for wrong ones are not there for being here.
      const bool own = entry.path().filename() == "markup_test.cpp";
      if (entry.is_regular_file() && !own) files.push_back(entry.path());
    }
  }
  for (const fs::path& file : files) names.merge(names_in(text_of(file)));
  return names;
}

/// A piece of a page that must be whole by itself: a paragraph, an item, a row of a table.
struct Piece {
  std::size_t line = 0;
  std::string text;
};

struct Page {
  std::vector<Piece> pieces;
  std::string blocks;  ///< what stands in fenced and indented blocks
};

Page page_of(const std::string& text) {
  Page page;
  std::istringstream lines(text);
  std::string line;
  bool fenced = false, open = false;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const std::size_t first = line.find_first_not_of(' ');
    const bool blank = first == std::string::npos;
    if (!blank && line.compare(first, 3, "```") == 0) {
      fenced = !fenced;
      open = false;
    } else if (fenced || (!open && line.starts_with("    "))) {
      page.blocks += line + '\n';
    } else if (blank) {
      open = false;
    } else if (open && !line.starts_with('|')) {
      page.pieces.back().text += '\n' + line;
    } else {
      page.pieces.push_back({number, line});
      open = !line.starts_with('|');
    }
  }
  return page;
}

/// What is wrong with a piece; empty where nothing is.
std::string fault_of(const Piece& piece, const std::set<std::string>& known) {
  if (piece.text.starts_with('|') && !piece.text.ends_with('|')) return "a row without an end";
  if (std::count(piece.text.begin(), piece.text.end(), '`') % 2 != 0) return "code without an end";
  static const std::regex kCode("`([^`]*)`");
  std::string unknown;
  for_each_match(piece.text, kCode, [&](const std::smatch& code) {
    for (const std::string& name : names_in(code[1])) {
      if (!known.contains(name)) unknown = "there is no " + name;
    }
  });
  return unknown;
}

TEST(Documentation, IsWholeOutsideOfItsBlocksToo) {
  const std::set<std::string> sources = names_of_the_sources();
  for (const fs::path& path : all_pages()) {
    const Page page = page_of(text_of(path));
    std::set<std::string> known = names_in(page.blocks);  // what an example sets for itself
    known.insert(sources.begin(), sources.end());
    for (const Piece& piece : page.pieces) {
      EXPECT_EQ(fault_of(piece, known), "")
          << path.string() << ":" << piece.line << ": " << piece.text.substr(0, 200);
    }
  }
}

TEST(Documentation, CountsTheItemsOfItsLists) {
  static const std::regex kItem(R"((^|\n)(\d+)\. )");
  for (const fs::path& path : all_pages()) {
    int last = 0;
    for (const Piece& piece : page_of(text_of(path)).pieces) {
      if (piece.text.starts_with('#')) last = 0;
      for_each_match(piece.text, kItem, [&](const std::smatch& item) {
        const int number = std::stoi(item[2]);
        EXPECT_TRUE(number == 1 || number == last + 1)
            << path.string() << ":" << piece.line << ": " << number << ". after " << last << ".";
        last = number;
      });
    }
  }
}

/// README and docs/, as `wc -w` counts: a page that says more says it in place of something else.
TEST(Documentation, IsShortEnoughToBeRead) {
  std::size_t words = 0;
  for (const fs::path& path : all_pages()) {
    const bool counts =
        path.filename() == "README.md" || path.string().starts_with(support::source_path("docs/"));
    std::istringstream text(text_of(path));
    for (std::string word; counts && text >> word;) ++words;
  }
  EXPECT_GT(words, 30'000U);
  EXPECT_LT(words, 60'000U);
}

/// The test itself: what once stood in a page is found.
TEST(Documentation, IsNotWholeWithABlockPastedIntoAName) {
  const std::set<std::string> known = {"tactus_segment_begin", "TACTUS_DEPLOYED_PRIORITY"};
  const auto fault = [&](const std::string& text) {
    return fault_of(page_of(text).pieces.front(), known);
  };
  EXPECT_EQ(fault("| `gate` | with `tactus_segment_begin(TACTUS_DEPLOYED_PRIORITY)` |\n"), "");
  EXPECT_EQ(fault("| `gate` | with `tactus_segment_begin(TACTUS_units: 11 files\n\n  program\n"),
            "a row without an end");
  EXPECT_EQ(fault("It calls `tactus_segment_begin(TACTUS_units: 11 files\n\n  program\n"),
            "code without an end");
  EXPECT_EQ(fault("It calls `tactus_segment_begin(TACTUS_units: 11 files)`.\n"),
            "there is no TACTUS_units");
}

}  // namespace
}  // namespace tactus
