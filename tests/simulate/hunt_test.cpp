// A hunt that is interrupted tells what it has.
#include "tactus/simulate/hunt.hpp"

#include <gtest/gtest.h>

#include "tactus/simulate/registry.hpp"

namespace tactus::simulate {
namespace {

TEST(Hunt, ThatIsInterruptedShowsWhatItCaughtUntilThen) {
  std::stop_source stop;
  Hunt wanted;
  wanted.method = find_method("gcaps.suspend");
  wanted.recipe = *hunting_ground(*wanted.method);
  wanted.options.variant = "paper";
  wanted.options.stop = stop.get_token();
  wanted.options.progress = [&](std::string_view told) {
    if (told.find(" 0 violations") == std::string_view::npos) stop.request_stop();
  };
  wanted.systems = 1'000'000;
  const Bag bag = hunt(wanted);
  EXPECT_GT(bag.systems, 0U);
  EXPECT_LT(bag.systems, wanted.systems);
  EXPECT_GT(bag.violations, 0U);
  ASSERT_FALSE(bag.catches.empty());
  for (const Catch& caught : bag.catches) {
    EXPECT_GT(caught.violation.observed, caught.violation.bound);
  }
}

}  // namespace
}  // namespace tactus::simulate
