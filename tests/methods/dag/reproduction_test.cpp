#include <gtest/gtest.h>

#include "tactus/generate/recipe.hpp"
#include "tests/methods/dag/sample.hpp"

/// The averages of the paper's figures as an independent prototype found them, within two
/// points.
namespace tactus::dag {
namespace {

constexpr double kTwoPoints = 0.02;

/// Means of bound / (bound of dag.greedy-unaware).
struct Means {
  double printed = 0, safe = 0, greedy = 0, graham = 0;
};

Means means(const std::map<std::string, std::string, std::less<>>& given) {
  const Recipe& recipe = *find_recipe("dag-layered");
  const std::uint64_t count = sweep(300);
  Means sum;
  for (std::uint64_t index = 0; index < count; ++index) {
    const System system = *generate(recipe, Settings(recipe.parameters, given), 1, index);
    const auto bound = [&](std::string_view method, std::string_view variant = kSafe) {
      Options options;
      options.variant = variant;
      return static_cast<double>(bound_of(analyze(*find_method(method), system, options)));
    };
    const double reference = bound("dag.greedy-unaware") * static_cast<double>(count);
    sum.printed += bound("dag.balanced", "paper") / reference;
    sum.safe += bound("dag.balanced") / reference;
    sum.greedy += bound("dag.greedy") / reference;
    sum.graham += bound("dag.graham") / reference;
  }
  return sum;
}

TEST(Figure4, HasTheNormalisedMeansOfThePrototype) {
  const struct {
    const char* sms;
    Means expected;
  } points[] = {
      {"4", {.955, .936, .941, .961}},  {"8", {.918, .865, .887, .916}},
      {"16", {.797, .752, .833, .842}}, {"32", {.615, .601, .861, .738}},
      {"64", {.432, .430, 1, .585}},    {"128", {.317, .316, 1, .431}},
      {"256", {.278, .278, 1, .354}},
  };
  for (const auto& [sms, expected] : points) {
    SCOPED_TRACE(sms);
    const Means found = means({{"sms", sms}});
    EXPECT_NEAR(found.printed, expected.printed, kTwoPoints);
    EXPECT_NEAR(found.safe, expected.safe, kTwoPoints);
    EXPECT_NEAR(found.greedy, expected.greedy, kTwoPoints);
    EXPECT_NEAR(found.graham, expected.graham, kTwoPoints);
  }
}

double below(double a, double b) { return 1 - a / b; }

TEST(Figure5, HasTheGapsOfThePrototype) {
  double printed_graham = 0, safe_graham = 0, printed_greedy = 0, safe_greedy = 0;
  for (int p = 4; p <= 10; ++p) {
    const Means found = means({{"p", std::to_string(p)}});
    if (p == 4 || p == 10) {
      EXPECT_NEAR(below(found.printed, found.graham), p == 4 ? .240 : .140, kTwoPoints);
      EXPECT_NEAR(below(found.safe, found.graham), p == 4 ? .242 : .167, kTwoPoints);
    }
    printed_graham += below(found.printed, found.graham) / 7;
    safe_graham += below(found.safe, found.graham) / 7;
    printed_greedy += below(found.printed, found.greedy) / 7;
    safe_greedy += below(found.safe, found.greedy) / 7;
  }
  EXPECT_NEAR(printed_graham, .186, kTwoPoints);
  EXPECT_NEAR(safe_graham, .200, kTwoPoints);
  EXPECT_NEAR(printed_greedy, .277, kTwoPoints);
  EXPECT_NEAR(safe_greedy, .290, kTwoPoints);
}

TEST(Figure6, HasTheGapsOfThePrototype) {
  const struct {
    const char* depth;
    double printed_graham, printed_greedy, safe_graham, safe_greedy;
  } points[] = {
      {"4", .131, .213, .153, .233},  {"6", .169, .283, .185, .297},  {"8", .177, .311, .198, .329},
      {"10", .188, .326, .206, .341}, {"12", .189, .334, .207, .349},
  };
  for (const auto& point : points) {
    SCOPED_TRACE(point.depth);
    const Means found = means({{"depth-min", point.depth}, {"depth-max", point.depth}});
    EXPECT_NEAR(below(found.printed, found.graham), point.printed_graham, kTwoPoints);
    EXPECT_NEAR(below(found.printed, found.greedy), point.printed_greedy, kTwoPoints);
    EXPECT_NEAR(below(found.safe, found.graham), point.safe_graham, kTwoPoints);
    EXPECT_NEAR(below(found.safe, found.greedy), point.safe_greedy, kTwoPoints);
  }
}

}  // namespace
}  // namespace tactus::dag
