#include "tactus/experiment/describe/intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tactus/experiment/work/agenda.hpp"
#include "tactus/experiment/work/wire.hpp"

namespace tactus::experiment {
namespace {

TEST(Wilson, HasTheValuesOfTheTextbook) {
  // Newcombe 1998, Table I, method 3.
  EXPECT_NEAR(wilson(81, 263).low, 0.2553, 5e-5);
  EXPECT_NEAR(wilson(81, 263).high, 0.3662, 5e-5);
  EXPECT_NEAR(wilson(15, 148).low, 0.0624, 5e-5);
  EXPECT_NEAR(wilson(15, 148).high, 0.1605, 5e-5);
  EXPECT_NEAR(wilson(0, 20).low, 0, 1e-12);
  EXPECT_NEAR(wilson(0, 20).high, 0.1611, 5e-5);
  EXPECT_NEAR(wilson(29, 29).low, 0.8830, 5e-5);
  EXPECT_NEAR(wilson(29, 29).high, 1, 1e-12);
  EXPECT_EQ(wilson(0, 0).high, 1);
}

/// Of samples of the same ratio one pair in a thousand may be said to differ, and hardly more.
TEST(RatiosDiffer, RarelyForSamplesOfTheSameRatio) {
  std::mt19937_64 random(3);
  for (const double ratio : {0.0, 0.01, 0.2, 0.5, 0.97}) {
    std::binomial_distribution<int> many(1000, ratio), few(200, ratio);
    int differ = 0;
    constexpr int kPairs = 20'000;
    for (int i = 0; i < kPairs; ++i) {
      const double a = many(random), b = few(random);
      differ += ratios_differ({a / 1000, 1000}, {b / 200, 200}) ? 1 : 0;
    }
    EXPECT_LE(differ, kPairs * 2 / 1000) << ratio;
  }
  EXPECT_TRUE(ratios_differ({0.5, 1000}, {0.58, 1000}));
  EXPECT_FALSE(ratios_differ({0.5, 1000}, {0.56, 1000}));
  EXPECT_TRUE(ratios_differ({0.0, 1000}, {0.02, 1000}));
  EXPECT_FALSE(ratios_differ({0.0, 1000}, {0.005, 1000}));
}

TEST(Spread, GivesMeanIntervalAndQuartiles) {
  std::vector<double> values = {4, 1, 3, 2, 5};
  const Spread spread = spread_of(values);
  EXPECT_DOUBLE_EQ(spread.mean, 3);
  EXPECT_NEAR(spread.high - spread.mean, 2.776445 * std::sqrt(2.5 / 5), 1e-3);
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.quartile1, 2);
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.quartile3, 4);
  EXPECT_EQ(spread.most, 5);
  std::vector<double> none;
  EXPECT_TRUE(std::isnan(spread_of(none).mean));
}

/// Half the width of the interval of the mean, in standard errors.
TEST(Spread, HasTheIntervalOfStudent) {
  const auto half_width = [](std::size_t count) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
    const Spread spread = spread_of(values);
    const auto n = static_cast<double>(count);
    return (spread.high - spread.mean) / std::sqrt((n + 1) / 12);  // variance n (n + 1) / 12
  };
  EXPECT_NEAR(half_width(2), 12.7062, 1e-4);  // any table of the t distribution
  EXPECT_NEAR(half_width(3), 4.3027, 1e-4);
  EXPECT_NEAR(half_width(4), 3.1824, 5e-3);
  EXPECT_NEAR(half_width(11), 2.2281, 1e-4);
  EXPECT_NEAR(half_width(50), 2.0096, 1e-4);
  EXPECT_NEAR(half_width(1001), 1.9623, 1e-4);
}

TEST(Agenda, TakesAnyNumberOfSetsAtOnce) {
  Agenda agenda(2);
  agenda.add(0, 0, 1'000'000'000'000, {false, true});
  EXPECT_EQ(agenda.left(), 999'999'999'999);
  EXPECT_EQ(agenda.next(16).count, 1);
  EXPECT_EQ(agenda.next(16).first, 2);
  EXPECT_EQ(agenda.next(500).count, 500);
}

TEST(Agenda, GivesEverySetOnceAndNoneThatIsDone) {
  Agenda agenda(3);
  std::vector<bool> done(20);
  done[0] = done[7] = done[8] = done[19] = true;
  agenda.add(2, 5, 50, done);
  agenda.add(2, 6, 3, {true, true, true, true});
  EXPECT_EQ(agenda.left(), 46);
  std::vector<int> given(50);
  for (Chunk chunk = agenda.next(16); chunk.count > 0; chunk = agenda.next(16)) {
    EXPECT_EQ(chunk.experiment, 2);
    EXPECT_EQ(chunk.point, 5);
    for (std::int64_t i = 0; i < chunk.count; ++i) {
      ++given[static_cast<std::size_t>(chunk.first + i)];
    }
  }
  for (std::size_t set = 0; set < given.size(); ++set) {
    EXPECT_EQ(given[set], set < done.size() && done[set] ? 0 : 1) << set;
  }
}

TEST(Portion, GrowsWhileSetsAreJudgedFastAndShrinksWhileTheyAreNot) {
  Portion portion;
  const std::int64_t first = portion.sets();
  portion.took(1'000'000, first - 1);
  EXPECT_EQ(portion.sets(), first) << "fewer were left: their time says nothing about so many";
  for (int i = 0; i < 20; ++i) portion.took(1'000'000, portion.sets());
  const std::int64_t most = portion.sets();
  EXPECT_GT(most, 10 * first);
  portion.took(20'000'000, most);
  EXPECT_EQ(portion.sets(), most) << "long enough, and not too long";
  for (int i = 0; i < 20; ++i) portion.took(10'000'000'000, portion.sets());
  EXPECT_EQ(portion.sets(), first);
}

TEST(Mcnemar, IsTheBinomialForFewPairs) {
  EXPECT_DOUBLE_EQ(mcnemar(0, 0), 1);
  EXPECT_DOUBLE_EQ(mcnemar(4, 4), 1);
  EXPECT_NEAR(mcnemar(0, 5), 2.0 / 32, 1e-12);
  EXPECT_NEAR(mcnemar(5, 0), 2.0 / 32, 1e-12);
  EXPECT_NEAR(mcnemar(1, 9), 2 * (1 + 10) / 1024.0, 1e-12);
  EXPECT_NEAR(mcnemar(10, 25), 0.01667384780, 1e-9);  // 2 * the sum of C(35, 0..10) / 2^35
}

TEST(Mcnemar, HardlyChangesWhereTheNormalDistributionTakesOver) {
  const double exact = mcnemar(4900, 5100);
  const double approximate = mcnemar(4901, 5100);  // one pair more than is computed exactly
  EXPECT_NEAR(exact, approximate, 0.002);
  EXPECT_LT(mcnemar(40'000, 60'000), 1e-100);
}

TEST(WilsonWeighted, IsWilsonForEqualWeights) {
  const Interval plain = wilson(30, 100), weighted = wilson_weighted(30 * 0.7, 70, 100 * 0.49);
  EXPECT_NEAR(plain.low, weighted.low, 1e-12);
  EXPECT_NEAR(plain.high, weighted.high, 1e-12);
  EXPECT_EQ(wilson_weighted(0, 0, 0).high, 1);
}

/// 2,000 experiments of 200 sets each, whose weights and chances are drawn together.
TEST(WilsonWeighted, ContainsTheTruthInAbout95OfHundred) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  int inside = 0;
  constexpr int kRuns = 2000;
  for (int run = 0; run < kRuns; ++run) {
    double hits = 0, sum = 0, squares = 0, expected = 0;
    for (int set = 0; set < 200; ++set) {
      const double weight = 0.1 + uniform(random), chance = std::min(1.0, 1.3 - weight);
      sum += weight;
      squares += weight * weight;
      expected += weight * chance;
      if (uniform(random) < chance) hits += weight;
    }
    const Interval interval = wilson_weighted(hits, sum, squares);
    inside += interval.low <= expected / sum && expected / sum <= interval.high ? 1 : 0;
  }
  EXPECT_GT(inside, kRuns * 94 / 100);
}

TEST(Wire, CarriesSetsAndChunks) {
  JudgedSet set{3, 1, 17, 400'000, 55, {}, {{1, "no core"}}, true};
  set.curves.push_back({Status::kSchedulable, std::nullopt, 9});
  set.curves.push_back({Status::kUndecided, -4, INT64_MAX});
  const std::vector<JudgedSet> sets = {set, {}, set};
  const std::vector<std::string> request = wire::encode_request(64, sets);
  ASSERT_EQ(request.size(), 1U);
  EXPECT_EQ(wire::decode_request(request[0]).most, 64);
  EXPECT_EQ(wire::decode_sets(wire::decode_request(request[0]).found), sets);
  EXPECT_TRUE(wire::decode_request(wire::encode_request(16, {})[0]).found.empty());
  const Chunk chunk = wire::decode_chunk(wire::encode(Chunk{1, 2, 3, 4, true}));
  EXPECT_EQ(chunk.first, 3);
  EXPECT_TRUE(chunk.added);
  EXPECT_EQ(chunk.count, 4);
  EXPECT_EQ(wire::decode_chunk("").count, 0);
  const std::string bytes = wire::Encoder().number(7).text("two words").take();
  wire::Decoder in(bytes);
  EXPECT_EQ(in.number(), 7);
  EXPECT_EQ(in.text(), "two words");
  EXPECT_TRUE(in.empty());
}

TEST(Wire, CarriesEveryNumberAndSmallOnesInOneByte) {
  const std::vector<std::int64_t> numbers = {
      0, -1, 1, -64, 63, 64, -65, 1'000, -123'456, INT64_MAX, INT64_MIN, INT32_MAX, INT32_MIN};
  wire::Encoder out;
  for (const std::int64_t number : numbers) out.number(number);
  const std::string bytes = out.take();
  wire::Decoder in(bytes);
  for (const std::int64_t number : numbers) EXPECT_EQ(in.number(), number);
  EXPECT_TRUE(in.empty());
  EXPECT_EQ(wire::Encoder().number(63).take().size(), 1U);
  EXPECT_EQ(wire::Encoder().number(-64).take().size(), 1U);
  EXPECT_EQ(wire::Encoder().number(64).take().size(), 2U);
  EXPECT_EQ(wire::Decoder("").number(), 0) << "nothing was sent";
}

TEST(Wire, SendsManySetsInShortMessagesAndAsksWithTheLast) {
  std::vector<JudgedSet> sets(2'000);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    sets[i].set = static_cast<std::int64_t>(i);
    sets[i].curves.resize(8);
    sets[i].curves[i % 8].judged = i % 3 != 0;
    sets[i].curves[i % 7].status = static_cast<Status>(i % 4);
    if (i % 5 == 0) sets[i].curves[i % 6].value = -static_cast<std::int64_t>(i);
  }
  const std::vector<std::string> messages = wire::encode_request(64, sets);
  EXPECT_GT(messages.size(), 2U);
  std::vector<JudgedSet> found;
  for (const std::string& message : messages) {
    EXPECT_LT(message.size(), 4096U);
    const wire::Request request = wire::decode_request(message);
    EXPECT_EQ(request.most, &message == &messages.back() ? 64 : wire::Request::kContinued);
    for (JudgedSet& set : wire::decode_sets(request.found)) found.push_back(std::move(set));
  }
  EXPECT_EQ(found, sets);
}

}  // namespace
}  // namespace tactus::experiment
