// Every link of a page leads to a file that is there, and to a heading that the file has.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "tests/docs/pages.hpp"

namespace tactus {
namespace {

namespace fs = std::filesystem;
using namespace docs;

/// As forges make it of a heading: small letters, digits and `-`.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') anchor += '-';
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80)
      anchor += static_cast<char>(std::tolower(byte));
  }
  return anchor;
}

std::set<std::string> anchors_in(const std::string& text) {
  static const std::regex kHeading("(?:^|\n)#{1,6} ([^\n]*)");
  static const std::regex kNamed("<a id=\"([^\"]*)\">");
  std::set<std::string> anchors;
  for_each_match(text, kHeading,
                 [&](const std::smatch& match) { anchors.insert(anchor_of(match[1])); });
  for_each_match(text, kNamed, [&](const std::smatch& match) { anchors.insert(match[1]); });
  return anchors;
}

/// Without blocks of code: what looks like a link there is none.
std::string prose_of(const std::string& text) {
  std::string prose;
  bool fenced = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) fenced = !fenced;
    if (!fenced && !line.starts_with("    ")) prose += line + '\n';
  }
  return prose;
}

/// What is wrong with a link of the page; empty where nothing is.
std::string fault_of(const fs::path& page, const std::string& file, const std::string& anchor) {
  const fs::path target = file.empty() ? page : page.parent_path() / file;
  if (!fs::exists(target)) return "there is no " + file;
  if (anchor.empty() || target.extension() != ".md") return "";
  return anchors_in(text_of(target)).contains(anchor) ? "" : file + " has no #" + anchor;
}

TEST(Documentation, LinksToWhatIsThere) {
  static const std::regex kLink(R"(\]\(([^)#\s]*)#?([^)\s]*)\))");
  int links = 0;
  for (const fs::path& page : all_pages()) {
    for_each_match(prose_of(text_of(page)), kLink, [&](const std::smatch& link) {
      if (link[1].str().find("://") != std::string::npos) return;
      EXPECT_EQ(fault_of(page, link[1], link[2]), "") << page << ": " << link[0];
      ++links;
    });
  }
  EXPECT_GT(links, 100);
}

TEST(Documentation, FindsALinkThatLeadsNowhere) {
  const fs::path page = support::source_path("docs/README.md");
  EXPECT_EQ(fault_of(page, "use/format.md", "what-the-time-of-a-gpu-node-means"), "");
  EXPECT_EQ(fault_of(page, "use/formats.md", ""), "there is no use/formats.md");
  EXPECT_EQ(fault_of(page, "use/format.md", "x"), "use/format.md has no #x");
}

}  // namespace
}  // namespace tactus
