#include "tactus/experiment/store/set_row.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tactus::experiment {
namespace {

TEST(SetRow, SaysInWordsWhatTheCurvesFound) {
  JudgedSet set;
  set.draw_ns = 7;
  set.curves = {{Status::kSchedulable, 12, 100},
                {Status::kUnschedulable, std::nullopt, 200},
                {Status::kNotApplicable, -3, 0}};
  SetRow row;
  write_row(set, row);
  EXPECT_EQ(row.statuses, "013");
  EXPECT_EQ(row.amounts, "12 - -3");
  EXPECT_EQ(row.times, "7 100 200 0");
}

TEST(SetRow, LeavesOutAmountsWhereThereIsNone) {
  JudgedSet set;
  set.curves = {{Status::kUndecided, std::nullopt, 1}};
  SetRow row;
  row.amounts = "of the set before";
  write_row(set, row);
  EXPECT_EQ(row.amounts, "");
}

TEST(SetRow, LeavesOutTimesWhereNoneWasTaken) {
  JudgedSet set;
  set.curves = {{Status::kSchedulable, std::nullopt, std::nullopt},
                {Status::kSchedulable, std::nullopt, std::nullopt}};
  SetRow row;
  row.times = "of the set before";
  write_row(set, row);
  EXPECT_EQ(row.times, "");
  set.curves[1].ns = 5;
  write_row(set, row);
  EXPECT_EQ(row.times, "- - 5");
}

TEST(SetRow, IsReadAsItWasWritten) {
  std::mt19937_64 random(1);
  SetRow row;
  for (int i = 0; i < 2000; ++i) {
    JudgedSet set;
    const bool timed = random() % 2 == 0;
    if (timed) set.draw_ns = static_cast<std::int64_t>(random() >> (random() % 64));
    set.curves.resize(random() % 20);
    for (CurveVerdict& curve : set.curves) {
      curve.status = static_cast<Status>(random() % 4);
      if (timed && random() % 4 != 0) {
        curve.ns = static_cast<std::int64_t>(random() >> (1 + random() % 63));
      }
      if (random() % 3 == 0) curve.value = static_cast<std::int64_t>(random() >> (random() % 64));
    }
    write_row(set, row);
    std::optional<std::int64_t> draw_ns;
    EXPECT_EQ(read_row(row.statuses, row.amounts, row.times, set.curves.size(), &draw_ns),
              set.curves);
    EXPECT_EQ(draw_ns, set.draw_ns);
  }
}

}  // namespace
}  // namespace tactus::experiment
