#include "tactus/runtime/gpu/sm_runs.hpp"

#include <gtest/gtest.h>

namespace tactus::runtime::gpu {
namespace {

TEST(AssignGroups, RoundsEveryWidthUpAndKeepsThemApart) {
  const std::vector<std::int64_t> widths = {8, 33, 10, 1};
  const auto runs = assign_groups(widths, 2, 66);
  ASSERT_TRUE(runs);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const GroupRun& run = (*runs)[i];
    EXPECT_EQ(run.first, next);
    EXPECT_GE(run.sms, widths[i]);
    EXPECT_LT(run.sms, widths[i] + 2);
    EXPECT_EQ(run.sms, run.count * 2);
    next += run.count;
  }
}

TEST(AssignGroups, RefusesWhatDoesNotFitAfterRounding) {
  const std::vector<std::int64_t> fit = {66, 66}, widths = {65, 67};
  EXPECT_TRUE(assign_groups(fit, 2, 66));
  const auto runs = assign_groups(widths, 2, 66);
  ASSERT_FALSE(runs);
  EXPECT_NE(runs.error().message.find("need 134 SMs"), std::string::npos) << runs.error().message;
}

TEST(AssignGroups, RefusesAnEmptyPartition) {
  const std::vector<std::int64_t> none = {4, 0};
  EXPECT_FALSE(assign_groups(none, 2, 66));
}

}  // namespace
}  // namespace tactus::runtime::gpu
