#include "tactus/methods/rtgpu/workload.hpp"

#include <gtest/gtest.h>

#include "tactus/methods/rtgpu/kernel.hpp"
#include "tests/methods/rtgpu/builder.hpp"
#include "tests/methods/rtgpu/reference.hpp"

/// The workload function (Lemmas 2.1, 5.2, 5.4) and the kernel model (Lemma 5.1).
namespace tactus::rtgpu {
namespace {

using testing::ms;

Time ns(std::int64_t value) { return Time::from_ns(value); }

std::vector<Piece> pieces_of(const std::vector<reference::Part>& parts) {
  std::vector<Piece> pieces;
  for (const reference::Part& part : parts) {
    pieces.push_back(
        {part.on == reference::kNobodyElse ? kPrivate : static_cast<ResourceIndex>(part.on),
         ns(part.upper), ns(part.lower)});
  }
  return pieces;
}

/// A chain with lengths of a few nanoseconds on the resources 1, 2 and 0 (nobody else's).
std::vector<reference::Part> random_parts(Random& random) {
  std::vector<reference::Part> parts;
  for (std::int64_t left = random.integer(1, 8); left > 0; --left) {
    const std::int64_t upper = random.integer(0, 9);
    parts.push_back({static_cast<int>(random.integer(0, 2)), upper, random.integer(0, upper)});
  }
  parts.push_back({1, random.integer(1, 9), 0});
  return parts;
}

TEST(Workload, EqualsThePlainSumsInEveryWindow) {
  Random random(1, 0);
  for (int set = 0; set < testing::sets(3000); ++set) {
    const auto parts = random_parts(random);
    // Also periods too short for the job, where the gap between later jobs is clamped.
    const std::int64_t period = random.integer(1, 80);
    const std::int64_t deadline = random.integer(1, period);
    const Workload workload(pieces_of(parts), 1, ns(period), ns(deadline));
    for (std::int64_t t = 0; t <= 200; ++t) {
      ASSERT_EQ(workload.at(ns(t)).ns(), reference::workload(parts, 1, period, deadline, t))
          << "set " << set << " t " << t;
    }
  }
}

TEST(Workload, GrowsAsFastAsTheWindowUntilTheTimeItSays) {
  Random random(2, 0);
  for (int set = 0; set < testing::sets(1000); ++set) {
    const std::int64_t period = random.integer(20, 80);
    const Workload workload(pieces_of(random_parts(random)), 1, ns(period),
                            ns(random.integer(1, period)));
    for (std::int64_t t = 0; t <= 150; ++t) {
      const auto reach = workload.furthest(ns(t));
      for (std::int64_t later = t; later <= reach.busy_until.ns(); ++later) {
        ASSERT_GE(workload.at(ns(later)) - reach.work, ns(later - t)) << "set " << set;
      }
    }
  }
}

TEST(Workload, GrowsAtLeastAsItSays) {
  Random random(4, 0);
  for (int set = 0; set < testing::sets(1000); ++set) {
    // Also periods too short for the job, and jobs longer than their deadline.
    const std::int64_t period = random.integer(1, 80);
    const Workload workload(pieces_of(random_parts(random)), 1, ns(period),
                            ns(random.integer(1, period)));
    for (std::int64_t t = 0; t <= 150; t += 7) {
      const Time work = workload.at(ns(t));
      const Growth growth = workload.growth(ns(t), work);
      for (std::int64_t x = 0; x <= 400; ++x) {
        const std::int64_t grown = (workload.at(ns(t + x)) - work).ns();
        ASSERT_GE(grown * growth.period, (x - growth.slack.ns()) * growth.work)
            << "set " << set << " t " << t << " x " << x;
      }
    }
  }
}

TEST(Workload, NeverShrinksWhenLowerBoundsDo) {
  Random random(3, 0);
  for (int set = 0; set < testing::sets(1000); ++set) {
    auto parts = random_parts(random);
    const std::int64_t period = random.integer(20, 80), deadline = random.integer(1, period);
    const Workload before(pieces_of(parts), 1, ns(period), ns(deadline));
    for (auto& part : parts) part.lower = random.integer(0, part.lower);
    const Workload after(pieces_of(parts), 1, ns(period), ns(deadline));
    for (std::int64_t t = 0; t <= 150; ++t) ASSERT_LE(before.at(ns(t)), after.at(ns(t)));
  }
}

TEST(Workload, OfAWindowShorterThanAnySegmentIsTheWindow) {
  // The empty sum is always allowed: l = h - 1.
  const Workload workload(std::vector<Piece>{{1, ms(3), ms(3)}}, 1, ms(20), ms(10));
  EXPECT_EQ(workload.at(ms(2)), ms(2));
  EXPECT_EQ(workload.at(ms(3)), ms(3));
  EXPECT_EQ(workload.at(ms(13)), ms(3));  // T - D after the carry-in job the next one starts
  EXPECT_EQ(workload.at(ms(14)), ms(4));
  EXPECT_EQ(workload.at(ms(33)), ms(6));  // only the first job is a carry-in job
  EXPECT_EQ(workload.at(ms(34)), ms(7));
}

/// The public code for l < h: l = 0 when h = 0, so that the segment is charged in full and a
/// negative remainder is taken off again. One segment, as far as that code matters here.
std::int64_t trap_workload(std::int64_t e, std::int64_t period, std::int64_t deadline,
                           std::int64_t t) {
  const auto gap = [&](std::int64_t j) { return j == 0 ? period - deadline : period - e; };
  std::int64_t sum = e + gap(0), work = e;
  for (std::int64_t j = 1; sum + e + gap(j) <= t; ++j) {
    sum += e + gap(j);
    work += e;
  }
  return work + std::min(e, t - sum);
}

TEST(Workload, IsNotThatOfThePublicCodeWhichIsUnsound) {
  // Two CPU-only tasks of 3: by the public code the less urgent one is never disturbed ...
  EXPECT_EQ(3 + trap_workload(3, 20, 17, 3), 3);
  // ... but released together with the other it takes 6, which the right function says.
  const Workload workload(std::vector<Piece>{{1, ns(3), ns(3)}}, 1, ns(20), ns(17));
  EXPECT_EQ(workload.at(ns(3)).ns(), 3);
  EXPECT_EQ(3 + workload.at(ns(6)).ns(), 6);
}

TEST(Kernel, TakesTheTimesOfLemma51) {
  Kernel kernel;
  kernel.work = ms(8);
  kernel.work_min = ms(4);
  kernel.overhead = ms(1);
  kernel.alpha = 1'800'000;
  EXPECT_EQ(kernel.longest(1, Interleaving::kSelf), ms(7.7));  // 1 + (14.4 - 1) / 2
  EXPECT_EQ(kernel.shortest(1, Interleaving::kSelf), ms(2));
  EXPECT_EQ(kernel.longest(3, Interleaving::kSelf), Time::from_ns(3'233'334));  // rounded up
  EXPECT_EQ(kernel.shortest(3, Interleaving::kSelf), Time::from_ns(666'666));   // rounded down
  EXPECT_EQ(kernel.longest(2, Interleaving::kNone), ms(4.5));  // baselines: alpha 1, GN
  EXPECT_EQ(kernel.shortest(2, Interleaving::kNone), ms(2));
}

TEST(Kernel, NeedsNoMoreThanSixtyFourBitsForItsResult) {
  Kernel kernel;
  kernel.work = Time::max();
  kernel.alpha = 1'800'000;
  EXPECT_EQ(kernel.longest(1, Interleaving::kSelf).ns(), 8'301'034'833'169'298'227);
  kernel.alpha = 9'000'000;
  EXPECT_THROW(kernel.longest(1, Interleaving::kSelf), OverflowError);
}

}  // namespace
}  // namespace tactus::rtgpu
