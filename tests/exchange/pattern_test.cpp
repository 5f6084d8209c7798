#include "tactus/exchange/pattern.hpp"

#include <gtest/gtest.h>

namespace tactus::exchange {
namespace {

TEST(Pattern, StarMatchesAnyTextAndQuestionMarkOneCharacter) {
  EXPECT_TRUE(matches("job_*", "job_12"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(matches("job_?", "job_1"));
  EXPECT_FALSE(matches("job_?", "job_12"));
  EXPECT_FALSE(matches("job", "jobs"));
  EXPECT_TRUE(matches("ProfilerStep#*", "ProfilerStep#7"));
}

}  // namespace
}  // namespace tactus::exchange
