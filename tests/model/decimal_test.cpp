#include "tactus/base/decimal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tactus/base/random.hpp"

namespace tactus {
namespace {

using Expected = std::optional<std::pair<std::int64_t, bool>>;  // value, exact

Expected read(std::string_view text, int scale, Rounding rounding) {
  const auto number = parse_scaled(text, scale, rounding);
  if (!number) return std::nullopt;
  return std::pair(number->value, number->exact);
}
Expected exactly(std::int64_t value) { return std::pair(value, true); }
Expected about(std::int64_t value) { return std::pair(value, false); }

TEST(Decimal, ReadsTenthsThatADoubleCannotHold) {
  EXPECT_EQ(read("0.1", 6, Rounding::kUp), exactly(100'000));
  EXPECT_EQ(read("0.3", 9, Rounding::kDown), exactly(300'000'000));
  EXPECT_EQ(read("9007199254740993", 0, Rounding::kDown), exactly(9'007'199'254'740'993));
  EXPECT_EQ(read("4.35", 2, Rounding::kDown), exactly(435));
}

TEST(Decimal, RoundsEachWayAsAsked) {
  EXPECT_EQ(read("1.5", 0, Rounding::kUp), about(2));
  EXPECT_EQ(read("1.5", 0, Rounding::kDown), about(1));
  EXPECT_EQ(read("1.000000001", 6, Rounding::kUp), about(1'000'001));
  EXPECT_EQ(read("1.000000001", 6, Rounding::kDown), about(1'000'000));
  EXPECT_EQ(read("1.000000000", 6, Rounding::kUp), exactly(1'000'000));
}

TEST(Decimal, RoundsNegativeNumbersTowardsMinusInfinityWhenDown) {
  EXPECT_EQ(read("-1.5", 0, Rounding::kDown), about(-2));
  EXPECT_EQ(read("-1.5", 0, Rounding::kUp), about(-1));
  EXPECT_EQ(read("-0.1", 0, Rounding::kUp), about(0));
  EXPECT_EQ(read("-0.1", 0, Rounding::kDown), about(-1));
  EXPECT_EQ(read("-0", 6, Rounding::kDown), exactly(0));
  EXPECT_EQ(read("-0.000e5", 6, Rounding::kDown), exactly(0));
}

TEST(Decimal, UnderstandsExponents) {
  for (const char* text : {"12e3", "12E3", "12e+3", "1.2e4", "120000e-1", "0.00012e8", "12e0003"}) {
    EXPECT_EQ(read(text, 0, Rounding::kUp), exactly(12'000)) << text;
  }
  EXPECT_EQ(read("25e-4", 3, Rounding::kUp), about(3));
  EXPECT_EQ(read("25e-4", 3, Rounding::kDown), about(2));
}

TEST(Decimal, RefusesWhatDoesNotFitHoweverItIsWritten) {
  for (const char* text : {"1e400", "-1e400", "1e999999999999", "1e99999999999999999999999999",
                           "9223372036854775808", "-9223372036854775809", "0.1e20"}) {
    EXPECT_EQ(read(text, 0, Rounding::kDown), std::nullopt) << text;
  }
  EXPECT_EQ(read("9223372036854775807.5", 0, Rounding::kUp), std::nullopt);
  EXPECT_EQ(read("-9223372036854775808.5", 0, Rounding::kDown), std::nullopt);
}

TEST(Decimal, HoldsTheLimitsOf64Bits) {
  EXPECT_EQ(read("9223372036854775807", 0, Rounding::kUp), exactly(INT64_MAX));
  EXPECT_EQ(read("-9223372036854775808", 0, Rounding::kUp), exactly(INT64_MIN));
  EXPECT_EQ(read("9223372036.854775807", 9, Rounding::kUp), exactly(INT64_MAX));
  EXPECT_EQ(read("9223372036854775807.5", 0, Rounding::kDown), about(INT64_MAX));
  EXPECT_EQ(read("-9223372036854775808.5", 0, Rounding::kUp), about(INT64_MIN));
}

TEST(Decimal, KeepsATinyNumberFromVanishingUnseen) {
  for (const char* text : {"1e-400", "1e-999999999999", "1e-99999999999999999999999999"}) {
    EXPECT_EQ(read(text, 9, Rounding::kUp), about(1)) << text;
    EXPECT_EQ(read(text, 9, Rounding::kDown), about(0)) << text;
  }
}

TEST(Decimal, TakesZeroWithAnyExponent) {
  for (const char* text : {"0e999999999999", "0e-999999999999", "0.0e400", "-0e400"}) {
    EXPECT_EQ(read(text, 9, Rounding::kUp), exactly(0)) << text;
  }
}

TEST(Decimal, TakesAMillionDigits) {
  const std::string zeros(1'000'000, '0'), nines(1'000'000, '9');
  EXPECT_EQ(read("1." + zeros, 6, Rounding::kUp), exactly(1'000'000));
  EXPECT_EQ(read("1." + zeros + "1", 6, Rounding::kUp), about(1'000'001));
  EXPECT_EQ(read("0." + nines, 6, Rounding::kUp), about(1'000'000));
  EXPECT_EQ(read("0." + nines, 6, Rounding::kDown), about(999'999));
  EXPECT_EQ(read("1" + zeros + "e-1000000", 0, Rounding::kUp), exactly(1));
  EXPECT_EQ(read("0." + zeros + "7e1000001", 0, Rounding::kUp), exactly(7));
  EXPECT_EQ(read(nines, 0, Rounding::kUp), std::nullopt);
}

/// Long-hand: shift the point in the text, cut, count up by one digit after another.
Expected by_long_hand(std::string text, int scale, Rounding rounding) {
  const bool negative = text.front() == '-';
  if (negative) text.erase(0, 1);
  int shift = scale;
  if (const auto e = text.find_first_of("eE"); e != std::string::npos) {
    shift += std::stoi(text.substr(e + 1));
    text.erase(e);
  }
  auto point = text.find('.');
  if (point == std::string::npos) {
    point = text.size();
  } else {
    text.erase(point, 1);
  }
  text.insert(0, 100, '0');
  text.append(100, '0');
  const std::size_t cut = static_cast<std::size_t>(static_cast<int>(point) + 100 + shift);
  std::string whole = text.substr(0, cut);
  const bool exact = text.find_first_not_of('0', cut) == std::string::npos;
  if (!exact && negative == (rounding == Rounding::kDown)) {
    auto digit = whole.rbegin();
    for (; *digit == '9'; ++digit) *digit = '0';
    ++*digit;
  }
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  const std::string limit = negative ? "9223372036854775808" : "9223372036854775807";
  if (std::pair(whole.size(), whole) > std::pair(limit.size(), limit)) return std::nullopt;
  if (whole.empty()) return std::pair(0, exact);
  return std::pair(static_cast<std::int64_t>(std::stoll((negative ? "-" : "") + whole)), exact);
}

std::string random_number(Random& random) {
  const auto digits = [&](std::int64_t least) {
    std::string text;
    for (std::int64_t left = random.integer(least, 22); left > 0; --left) {
      // Runs of zeros and nines are where rounding goes wrong.
      text += random.chance(0.4) ? (random.chance(0.5) ? '0' : '9')
                                 : static_cast<char>('0' + random.integer(0, 9));
    }
    return text;
  };
  std::string text = random.chance(0.4) ? "-" : "";
  std::string whole = digits(0);
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  text += whole.empty() ? "0" : whole;
  if (random.chance(0.7)) text.append(".").append(digits(1));
  if (random.chance(0.5)) {
    text += random.chance(0.5) ? "e" : "E";
    text += std::to_string(random.integer(-30, 30));
  }
  return text;
}

TEST(Decimal, AgreesWithLongHandOnRandomNumbers) {
  int fitting = 0, inexact = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    Random random(1, i);
    const std::string text = random_number(random);
    const auto scale = static_cast<int>(random.integer(0, 9));
    for (Rounding rounding : {Rounding::kDown, Rounding::kUp}) {
      const Expected expected = by_long_hand(text, scale, rounding);
      ASSERT_EQ(read(text, scale, rounding), expected) << text << " at scale " << scale;
      fitting += expected ? 1 : 0;
      inexact += expected && !expected->second ? 1 : 0;
    }
  }
  EXPECT_GT(fitting, 10'000);
  EXPECT_GT(inexact, 5'000);
}

TEST(Decimal, WritesTheShortestText) {
  EXPECT_EQ(format_scaled(0, 6), "0");
  EXPECT_EQ(format_scaled(1, 6), "0.000001");
  EXPECT_EQ(format_scaled(1'500'000, 6), "1.5");
  EXPECT_EQ(format_scaled(-1'500'000, 6), "-1.5");
  EXPECT_EQ(format_scaled(120, 0), "120");
  EXPECT_EQ(format_scaled(INT64_MAX, 9), "9223372036.854775807");
  EXPECT_EQ(format_scaled(INT64_MIN, 0), "-9223372036854775808");
}

TEST(Decimal, ReadsBackWhatItWrites) {
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    Random random(2, i);
    const std::int64_t value = static_cast<std::int64_t>(random.next()) >> random.integer(0, 63);
    for (int scale : {0, 3, 6, 9}) {
      const std::string text = format_scaled(value, scale);
      ASSERT_EQ(read(text, scale, Rounding::kUp), exactly(value)) << text;
      EXPECT_TRUE(scale == 0 || text.find('.') == std::string::npos || text.back() != '0') << text;
    }
  }
}

}  // namespace
}  // namespace tactus
