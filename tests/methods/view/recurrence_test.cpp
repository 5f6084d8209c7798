#include "tactus/methods/recurrence.hpp"

#include <gtest/gtest.h>

#include <random>

/// The search for the least fixed point on processors that are nearly full, full and more than full.
namespace tactus {
namespace {

struct Summand {
  std::int64_t work, period, jitter;
};
struct Equation {
  std::int64_t constant;
  std::vector<Summand> summands;

  std::int64_t at(std::int64_t window) const {
    std::int64_t sum = constant;
    for (const Summand& s : summands) {
      sum += (window + s.jitter + s.period - 1) / s.period * s.work;
    }
    return sum;
  }
  double load() const {
    double sum = 0;
    for (const Summand& s : summands) {
      sum += static_cast<double>(s.work) / static_cast<double>(s.period);
    }
    return sum;
  }
};

FixedPoint solve(const Equation& equation, std::int64_t deadline) {
  Recurrence r;
  r.add("own", Time::from_ns(equation.constant));
  for (const Summand& s : equation.summands) {
    r.add_demand("others", 0,
                 {.work = Time::from_ns(s.work),
                  .period = Time::from_ns(s.period),
                  .jitter = Time::from_ns(s.jitter)});
  }
  return r.solve(Time::from_ns(deadline));
}

/// By plain steps, however many; nothing when beyond the deadline.
std::optional<std::int64_t> plain(const Equation& equation, std::int64_t deadline) {
  std::int64_t window = std::max<std::int64_t>(1, equation.constant);
  for (;;) {
    const std::int64_t value = equation.at(window);
    if (value > deadline) return std::nullopt;
    if (value == window) return value;
    window = value;
  }
}

using Draw = std::mt19937_64;
std::int64_t draw(Draw& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

/// One to five summands; the last fills the processor up to about 1 - 1 / `gap`.
Equation nearly_full(Draw& random, std::int64_t gap) {
  Equation equation{draw(random, 0, 40), {}};
  double left = 1.0 - 1.0 / static_cast<double>(gap);
  for (std::int64_t more = draw(random, 0, 4); more > 0; --more) {
    const std::int64_t period = draw(random, 2, 200);
    const auto most = static_cast<std::int64_t>(left * static_cast<double>(period) / 2);
    if (most == 0) continue;
    const std::int64_t work = draw(random, 1, most);
    equation.summands.push_back({work, period, draw(random, 0, period)});
    left -= static_cast<double>(work) / static_cast<double>(period);
  }
  const std::int64_t period = draw(random, 50, 20'000);
  const auto work = static_cast<std::int64_t>(left * static_cast<double>(period));
  equation.summands.push_back({std::max<std::int64_t>(1, work), period, 0});
  return equation;
}

TEST(NearlyFullProcessor, HasTheFixedPointThatPlainStepsFind) {
  Draw random(1);
  int found = 0, exceeded = 0, far = 0;
  for (int set = 0; set < 3'000; ++set) {
    const Equation equation = nearly_full(random, draw(random, 10, 100'000));
    const std::int64_t deadline = draw(random, 1'000, 3'000'000);
    const auto expected = plain(equation, deadline);
    const FixedPoint response = solve(equation, deadline);
    ASSERT_EQ(response.found(), expected.has_value()) << "set " << set;
    if (expected) {
      ASSERT_EQ(response.value.ns(), *expected) << "set " << set;
      ++found;
      far += *expected > 100'000 ? 1 : 0;
    } else {
      ASSERT_EQ(response.outcome, FixedPoint::Outcome::kExceeded);
      ASSERT_GT(response.value.ns(), deadline);
      ++exceeded;
    }
  }
  EXPECT_GT(found, 500);
  EXPECT_GT(far, 50) << "else few of them took many steps";
  EXPECT_GT(exceeded, 300);
}

TEST(NearlyFullProcessor, TakesNoMillionSteps) {
  // U = 1 - 10^-6: R is the end of five million periods, about as many plain steps away.
  const Equation equation{5'000'000, {{999'999, 1'000'000, 0}}};
  const FixedPoint response = solve(equation, 1'000'000'000'000'000);
  ASSERT_TRUE(response.found());
  EXPECT_EQ(response.value.ns(), 5'000'000'000'000);
}

TEST(FullProcessor, ExceedsEveryDeadline) {
  for (const Equation& equation : {Equation{1, {{3, 6, 0}, {5, 10, 0}}},     // U = 1 exactly
                                   Equation{0, {{3, 6, 1}, {5, 10, 0}}},     // pushed by a jitter
                                   Equation{1, {{1, 3, 0}, {2, 3, 0}}},      // thirds
                                   Equation{1, {{2, 3, 0}, {4, 11, 0}}}}) {  // more than full
    const FixedPoint response = solve(equation, 4'000'000'000'000'000'000);
    EXPECT_EQ(response.outcome, FixedPoint::Outcome::kExceeded) << equation.load();
    EXPECT_GT(response.value.ns(), 4'000'000'000'000'000'000);
  }
}

TEST(SureStep, NeverPassesAFixedPoint) {
  Draw random(2);
  int longer = 0;
  for (int set = 0; set < 20'000; ++set) {
    Equation equation{draw(random, 1, 30), {}};
    for (std::int64_t more = draw(random, 1, 4); more > 0; --more) {
      const std::int64_t period = draw(random, 2, 30);
      equation.summands.push_back({draw(random, 1, period), period, draw(random, 0, period)});
    }
    const std::int64_t window = draw(random, 1, 100);
    const std::int64_t lead = equation.at(window) - window;
    if (lead <= 0) continue;
    std::vector<Growth> growths;
    for (const Summand& s : equation.summands) {
      growths.push_back(growth_of_jobs(Time::from_ns(window), Time::from_ns(s.period),
                                       Time::from_ns(s.jitter), Time::from_ns(s.work)));
    }
    const Time step = sure_step(Time::from_ns(lead), growths);
    const std::int64_t looked_at = std::min<std::int64_t>(step.ns(), 2'000);
    for (std::int64_t x = 0; x < looked_at; ++x) {
      ASSERT_GT(equation.at(window + x), window + x) << "set " << set << " x " << x;
    }
    longer += step.ns() > lead ? 1 : 0;
  }
  EXPECT_GT(longer, 2'000);
}

}  // namespace
}  // namespace tactus
