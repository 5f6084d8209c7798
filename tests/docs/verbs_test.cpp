// Every command that a page names in its text is a verb that there is: what a page shows with its
// output is run by shown_output_test.cpp.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <regex>
#include <string>

#include "tests/docs/pages.hpp"
#include "tests/support/paths.hpp"

namespace tactus {
namespace {

using namespace docs;

/// "reproduce" or "lab reproduce", with a page that names it.
using Verbs = std::map<std::string, std::string>;

void add_verbs(const std::string& text, const std::string& page, Verbs& verbs) {
  // `./run python` is the script's own.
  static const std::regex kCommand(
      R"((?:`|\n    )(?:tactus|\./run) (?!python\b)((?:lab |gpu )?[a-z][a-z-]*))");
  for_each_match(text, kCommand, [&](const std::smatch& match) { verbs[match[1]] = page; });
}

bool is_verb(const std::string& words) {
  return std::system(("'" TACTUS_BINARY "' " + words + " --help > /dev/null 2>&1").c_str()) == 0;
}

TEST(Documentation, NamesVerbsThatThereAre) {
  Verbs verbs;
  for (const auto& page : all_pages()) {
    // What changed may name what is no more.
    if (page.filename() == "CHANGELOG.md" || page.parent_path().filename() == "release-notes")
      continue;
    add_verbs(text_of(page), page.string(), verbs);
  }
  EXPECT_GT(verbs.size(), 25U);
  for (const auto& [verb, page] : verbs) EXPECT_TRUE(is_verb(verb)) << page << ": tactus " << verb;
}

TEST(Documentation, FindsAVerbThatMoved) {
  Verbs verbs;
  add_verbs("computed by `./run reproduce`, or\n    tactus analyze FILE\n", "README.md", verbs);
  ASSERT_EQ(verbs.size(), 2U);
  EXPECT_TRUE(is_verb("analyze"));
  EXPECT_FALSE(is_verb("reproduce"));
}

}  // namespace
}  // namespace tactus
