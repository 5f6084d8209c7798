#include "tactus/base/utf8.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tactus {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

std::string encode(unsigned code_point) {
  const auto byte = [](unsigned value) { return static_cast<char>(value); };
  const auto tail = [&](unsigned shift) { return byte(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) return {byte(code_point)};
  if (code_point < 0x800) return {byte(0xC0 | (code_point >> 6)), tail(0)};
  if (code_point < 0x10000) return {byte(0xE0 | (code_point >> 12)), tail(6), tail(0)};
  return {byte(0xF0 | (code_point >> 18)), tail(12), tail(6), tail(0)};
}

TEST(Utf8, AcceptsEveryCodePointButTheSurrogates) {
  for (unsigned code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
    ASSERT_EQ(find_invalid_utf8(encode(code_point)), surrogate ? 0 : kNone) << code_point;
  }
}

TEST(Utf8, RefusesWhatIsAboveTheLastCodePoint) {
  for (unsigned code_point = 0x110000; code_point < 0x200000; code_point += 0x101) {
    ASSERT_EQ(find_invalid_utf8(encode(code_point)), 0U) << code_point;
  }
}

TEST(Utf8, RefusesOverlongForms) {
  for (const char* text : {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF"}) {
    EXPECT_EQ(find_invalid_utf8(text), 0U);
  }
}

TEST(Utf8, RefusesTruncatedSequencesWhereTheyBegin) {
  for (const std::string whole : {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    for (std::size_t length = 1; length < whole.size(); ++length) {
      EXPECT_EQ(find_invalid_utf8("ab" + whole.substr(0, length)), 2U);
      EXPECT_EQ(find_invalid_utf8("ab" + whole.substr(0, length) + "cdefghijk"), 2U);
    }
  }
}

TEST(Utf8, SaysWhereTheFirstBadByteIs) {
  for (std::size_t at = 0; at < 40; ++at) {
    std::string text(40, 'x');
    text[at] = '\xFF';
    EXPECT_EQ(find_invalid_utf8(text), at);
  }
}

}  // namespace
}  // namespace tactus
