#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tactus/base/file.hpp"
#include "tactus/base/random.hpp"
#include "tactus/model/writer.hpp"
#include "tests/model/marked_text.hpp"
#include "tests/support/paths.hpp"

/// Damaged files must be refused in words, never by a crash: run under the sanitizers as well.
namespace tactus {
namespace {

std::vector<std::string> example_texts() {
  std::vector<std::string> paths, texts;
  for (const char* folder : {"examples", "tests/data/cases"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(support::source_path(folder))) {
      if (entry.path().string().ends_with(".system.json")) paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());  // the same files, the same mutations
  for (const std::string& path : paths) texts.push_back(*read_text_file(path));
  return texts;
}

class Damage {
 public:
  Damage(Random& random, const std::vector<std::string>& texts) : random_(random), texts_(texts) {}

  std::string make() {
    std::string text = any_text();
    for (std::int64_t left = random_.integer(1, 4); left > 0; --left) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t limit) {
    return limit == 0
               ? 0
               : static_cast<std::size_t>(random_.integer(0, static_cast<std::int64_t>(limit) - 1));
  }
  const std::string& any_text() { return texts_[below(texts_.size())]; }

  void change(std::string& text) {
    static const char* const kTokens[] = {"{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ":",
                                          "\"",
                                          "\\",
                                          "\\u0000",
                                          "\\ud800",
                                          "\\udc00",
                                          "//",
                                          "/*",
                                          "*/",
                                          "null",
                                          "true",
                                          "-",
                                          "1e400",
                                          "1e-400",
                                          "9223372036854775808",
                                          "0",
                                          "\"edges\":",
                                          "\"nodes\":",
                                          "\"name\":",
                                          "\xEF\xBB\xBF",
                                          "\xC3",
                                          "\xED\xA0\x80",
                                          "\n"};
    const std::size_t at = below(text.size() + 1), length = below(20);
    switch (random_.integer(0, 6)) {
      case 0:  // one byte, any value
        if (at < text.size()) text[at] = static_cast<char>(random_.integer(0, 255));
        return;
      case 1:  // one bit
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random_.integer(0, 7)));
        return;
      case 2:
        text.erase(at, length);
        return;
      case 3:
        text.insert(at, text.substr(below(text.size()), length));
        return;
      case 4:
        text.insert(at, kTokens[below(std::size(kTokens))]);
        return;
      case 5:  // the end missing
        if (random_.chance(0.2)) text.resize(at);
        return;
      default: {  // a piece of another file in the place of one here
        const std::string& other = any_text();
        text.replace(at, below(200), other.substr(below(other.size()), below(200)));
      }
    }
  }

  Random& random_;
  const std::vector<std::string>& texts_;
};

/// What must hold for the answer to any text at all.
void expect_sound(const std::string& text, const ReadResult& result) {
  std::size_t errors = 0;
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    errors += diagnostic.severity == Severity::kError ? 1 : 0;
    EXPECT_LE(diagnostic.at.line, lines);
    EXPECT_LE(diagnostic.at.column, text.size() + 1);
    EXPECT_TRUE(std::none_of(diagnostic.message.begin(), diagnostic.message.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    })) << diagnostic.message;
  }
  EXPECT_EQ(result.system.has_value(), errors == 0);
  EXPECT_LE(result.diagnostics.size(), 42U);
  if (!result.system) return;
  const ReadResult again = read_system(write_system(*result.system));
  ASSERT_TRUE(again.system);
  EXPECT_EQ(*again.system, *result.system);
}

TEST(DamagedFile, IsRefusedInWordsOrReadSoundly) {
  const std::vector<std::string> texts = example_texts();
  ASSERT_GT(texts.size(), 20U);
  int refused = 0;
  constexpr int kCount = 20'000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    Random random(10, i);
    const std::string text = Damage(random, texts).make();
    const ReadResult result = read_system(text);
    expect_sound(text, result);
    if (testing::Test::HasFailure()) FAIL() << "mutation " << i << ":\n" << text;
    refused += result.system ? 0 : 1;
  }
  EXPECT_GT(refused, kCount / 2);
  EXPECT_LT(refused, kCount) << "some damage only changes a number";
}

TEST(DamagedFile, IsReadAtEveryTruncation) {
  const Result<std::string> text =
      read_text_file(support::source_path("examples/robot.system.json"));
  ASSERT_TRUE(text);
  const std::size_t end = text->rfind('}');
  for (std::size_t length = 0; length <= end; ++length) {
    const ReadResult result = read_system(text->substr(0, length));
    ASSERT_FALSE(result.system);
    ASSERT_EQ(result.diagnostics.size(), 1U) << "a syntax error is the only one";
  }
  EXPECT_TRUE(read_system(text->substr(0, end + 1)).system);
}

}  // namespace
}  // namespace tactus
