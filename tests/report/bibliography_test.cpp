#include "tactus/report/bibliography.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/base/file.hpp"
#include "tests/support/paths.hpp"

namespace tactus::report {
namespace {

std::size_t entries_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '@'));
}

TEST(Bibliography, HasThePaperOfEveryMethodAndTactusEachOnce) {
  const std::string all = bibtex(registry(), "1.2.3");
  EXPECT_EQ(entries_in(all), 6U) << all;
  EXPECT_EQ(all.find("@misc"), std::string::npos) << "a method whose paper is not known";
  EXPECT_NE(all.find("version = {1.2.3}"), std::string::npos);
  EXPECT_EQ(std::count(all.begin(), all.end(), '{'), std::count(all.begin(), all.end(), '}'));
  for (const Method* method : registry()) {
    const Method* const one[] = {method};
    const bool of_tactus = method->paper.starts_with("Tactus: ");
    EXPECT_EQ(entries_in(bibtex(one, "1")), of_tactus ? 1U : 2U) << method->id;
  }
}

TEST(Bibliography, SaysOfAForeignMethodWhatItSaysOfItself) {
  Method method;
  method.id = "my.method";
  method.paper = "Bounds} for 100 % of \\us";
  const Method* const one[] = {&method};
  const std::string text = bibtex(one, "1");
  EXPECT_NE(text.find("@misc{my-method,\n  title = {Bounds for 100 \\% of us}"), std::string::npos)
      << text;
}

TEST(Bibliography, IsThatOfTheCitationFile) {
  const auto file = read_text_file(support::source_path("CITATION.cff"));
  ASSERT_TRUE(file);
  const std::string all = bibtex(registry(), "1");
  for (const char* key : {"doi     = {", "doi       = {"}) {
    for (std::size_t at = all.find(key); at != std::string::npos; at = all.find(key, at + 1)) {
      const std::size_t from = at + std::string_view(key).size();
      const std::string doi = all.substr(from, all.find('}', from) - from);
      EXPECT_NE(file->find(doi), std::string::npos) << doi;
    }
  }
}

}  // namespace
}  // namespace tactus::report
