#include "tactus/experiment/describe/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tactus::experiment {
namespace {

/// Curves a = 1 2 3 and b-x.y = 4 4 0; `nothing` has no value.
Source sample() {
  Source source;
  source.curve = [](const CurveName& name) -> Source::Points {
    if (name.line == "nothing") return std::vector<double>{std::nan("")};
    if (name.line == "a" && name.x == "p 2") return std::vector<double>{2};
    if (name.line == "a") return std::vector<double>{1, 2, 3};
    if (name.line == "b-x.y") return std::vector<double>{4, 4, 0};
    return Error{"there is no line " + name.line};
  };
  source.accepted = [](const CurveName& name) -> Source::Points {
    return std::vector<double>{10, name.variant == "paper" ? 90.0 : 20.0};
  };
  source.sets = [](const CurveName& name) -> Source::Points {
    if (name.line == "b-x.y") return std::vector<double>{1000, 1000, 50};
    return std::vector<double>{1000, 1000, 1000};
  };
  source.spread = [](const CurveName& name) -> Source::Points {
    return std::vector<double>{name.x == "p 2" ? 3.0 : 12.0};
  };
  source.weighted = [](const CurveName& name) -> Source::Points {
    return std::vector<double>{name.case_name == "heavy" ? 42.0 : 7.0};
  };
  source.lost = [](const CurveName& loser, const CurveName& winner) -> Source::Points {
    return std::vector<double>{loser.line == "a" && winner.variant == "safe" ? 5.0 : 6.0};
  };
  return source;
}

double value_of(std::string_view text) {
  const auto result = evaluate(text, sample());
  if (!result) {
    ADD_FAILURE() << text << ": " << result.error().message;
    return std::nan("");
  }
  return *result;
}

std::string error_of(std::string_view text) {
  const auto result = evaluate(text, sample());
  if (result) return "no error";
  return std::to_string(result.error().at.column - 1) + ": " + result.error().message;
}

TEST(Expression, FollowsThePrecedenceOfArithmetic) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3 - 4 / 2"), 7);
  EXPECT_EQ(value_of("-2 * -3"), 6);
  EXPECT_EQ(value_of("10 - 3 - 2"), 5);
  EXPECT_EQ(value_of("1.5e1"), 15);
}

TEST(Expression, WorksPointByPointOnCurves) {
  EXPECT_EQ(value_of("mean(a)"), 2);
  EXPECT_EQ(value_of("sum(a * 2)"), 12);
  EXPECT_EQ(value_of("max(b-x.y - a)"), 3);
  EXPECT_EQ(value_of("sum(max(a, b-x.y))"), 11);
  EXPECT_EQ(value_of("sum(min(a, b-x.y, 2))"), 3);
  EXPECT_EQ(value_of("max(abs(a - 3))"), 2);
  EXPECT_EQ(value_of("log10(1000)"), 3);
  EXPECT_EQ(value_of("a[p 2]"), 2);
}

TEST(Expression, PassesNamesOfCasesAndVariantsOn) {
  EXPECT_EQ(value_of("weighted(a{heavy})"), 42);
  EXPECT_EQ(value_of("lost(a, b-x.y:safe)"), 5);
  EXPECT_EQ(value_of("spread(a) / spread(a[p 2])"), 4);
  EXPECT_EQ(value_of("mean(accepted(a:paper) - accepted(a))"), 35);
}

TEST(Expression, ComparesWithPublishedValues) {
  EXPECT_EQ(value_of("sum([1, -2.5, 3])"), 1.5);
  EXPECT_EQ(value_of("max(abs(a - [1, 2.5, 1]))"), 2);
  EXPECT_EQ(value_of("outside(a, [1, 2, 3], 1000)"), 0);
  // 3.1 standard deviations at most: 3 and 5.8 % of 1000 are within, 3 and 6.4 % are not.
  EXPECT_EQ(value_of("outside(a, [1, 2, 5.8], 1000)"), 0);
  EXPECT_EQ(value_of("outside(a, [1, 2, 6.4], 1000)"), 1);
  EXPECT_EQ(value_of("outside(a, [5, 7, 6.4], 1000)"), 3);
  // Of 50 sets, none accepted says little about 6.4 %; of 1000 it does.
  EXPECT_EQ(value_of("outside(a - a, [6.4, 6.4, 6.4], 1000)"), 3);
  EXPECT_EQ(value_of("outside(b-x.y, [4, 4, 6.4], 1000)"), 0);
  EXPECT_EQ(value_of("outside(b-x.y - b-x.y, [6.4, 6.4, 6.4], 1000)"), 2);
  EXPECT_TRUE(std::isnan(value_of("outside(nothing, [1], 1000)")));
}

TEST(Expression, CarriesMissingValuesThrough) {
  EXPECT_TRUE(std::isnan(value_of("nothing + 1")));
  EXPECT_TRUE(std::isnan(value_of("max(nothing, 1)")));
  EXPECT_TRUE(std::isnan(value_of("1 / 0")));
  EXPECT_TRUE(std::isnan(value_of("log10(0)")));
}

TEST(Expression, SaysWhereItIsWrong) {
  EXPECT_EQ(error_of(""), "0: something is missing");
  EXPECT_EQ(error_of("1 +"), "3: something is missing");
  EXPECT_EQ(error_of("(1"), "2: expected `)`");
  EXPECT_EQ(error_of("1 2"), "2: unexpected `2`");
  EXPECT_EQ(error_of("a"), "0: this is a list of 3 numbers; take the mean, min, max or sum of it");
  EXPECT_EQ(error_of("1 + c"), "4: there is no line c");
  EXPECT_EQ(error_of("a[p 2"), "2: `]` is missing");
  EXPECT_EQ(error_of("mean(a, a)"), "10: mean takes one argument");
  EXPECT_EQ(error_of("men(a)"),
            "0: there is no function `men`; there are min, max, mean, sum, abs, log10, accepted, "
            "spread, weighted, lost, outside");
  EXPECT_EQ(error_of("sum([1, 2)"), "9: expected `]`");
  EXPECT_EQ(error_of("sum([a])"), "5: expected a number");
  EXPECT_EQ(error_of("outside(a, [1, 2], 1000)"), "17: lists of 3 and 2 points do not match");
  EXPECT_EQ(error_of("outside([1], [1], 1000)"),
            "11: outside needs a curve before the published values");
  EXPECT_EQ(error_of(std::string(1000, '(')), "100: nested too deeply");
  EXPECT_EQ(error_of("$"), "0: expected a number or a name");
}

}  // namespace
}  // namespace tactus::experiment
