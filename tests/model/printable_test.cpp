#include "tactus/base/printable.hpp"

#include <gtest/gtest.h>

#include "tactus/base/diagnostic.hpp"

/// What reaches a terminal cannot steer it.
namespace tactus {
namespace {

TEST(Printable, LeavesTextInAnyScriptAsItIs) {
  for (const std::string text : {"", "plain", "two\nlines\tand a tab", "Kamera für José", "カメラ",
                                 "камера", "مصور", "👩‍🚀", "─ █"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\033[2Jb\rc\007\177"), R"(a\u001b[2Jb\u000dc\u0007\u007f)");
  EXPECT_EQ(printable(std::string_view("\0", 1)), R"(\u0000)");
  EXPECT_EQ(printable("\u009b31m\u0085"), R"(\u009b31m\u0085)") << "C1: ESC [ in one character";
}

TEST(Printable, EscapesWhatTurnsTextAroundOrHidesIt) {
  EXPECT_EQ(printable("\u202eabc\u2066\u2069\u200f\u061c"), R"(\u202eabc\u2066\u2069\u200f\u061c)");
  EXPECT_EQ(printable("\u2028\ufeff"), R"(\u2028\ufeff)");
  EXPECT_EQ(printable("\U000e0041"), R"(\udb40\udc41)");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("\xff\x9b"
                      "a\xe2\x80"),
            R"(\xff\x9ba\xe2\x80)");
}

TEST(Printable, LeavesOurOwnSequences) {
  constexpr std::string_view kOurs[] = {"\033[1m", "\033[0m"};
  EXPECT_EQ(printable("\033[1mx\033[0m\033[2J\033[1", kOurs), "\033[1mx\033[0m\\u001b[2J\\u001b[1");
}

TEST(Printable, KeepsALineOne) { EXPECT_EQ(printable_line("a\nb\tc"), R"(a\u000ab\u0009c)"); }

TEST(Printable, IsItsOwnPrintableForm) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(printable(printable(all)), printable(all));
}

TEST(Quote, LetsNothingSteerTheTerminal) {
  EXPECT_EQ(quote("a\033[2J\u202eb\u009b"), R"(`a\x1b[2J\u202eb\u009b`)");
}

TEST(ControlCharacters, AreThoseOfLatin1Too) {
  EXPECT_TRUE(has_control_characters("a\nb"));
  EXPECT_TRUE(has_control_characters("\u0085"));
  EXPECT_TRUE(has_control_characters("\177"));
  EXPECT_FALSE(has_control_characters("für カメラ"));
}

}  // namespace
}  // namespace tactus
