#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/methods/rtgpu/rtgpu_plan.hpp"
#include "tests/methods/rtgpu/builder.hpp"
#include "tests/support/read.hpp"

/// The example systems do what the documentation shows.
namespace tactus::rtgpu {
namespace {

using testing::ms;

System example(const std::string& name) {
  return support::read_file("examples/" + name + ".system.json");
}

TEST(Example, SpareSmsIsTheSystemOfTheManual) {
  const System system = example("rtgpu-spare-sms");
  const Verdict verdict = analyze(*find_method("rtgpu"), system);
  EXPECT_EQ(verdict.status, Status::kSchedulable);
  EXPECT_EQ(verdict.tasks[0].bound, ms(12.8));
  EXPECT_EQ(verdict.tasks[1].bound, ms(32.3));
  EXPECT_EQ(analyze(*find_method("rtgpu"), system, testing::with("safe", "hi=7,lo=1")).status,
            Status::kUnschedulable);
}

TEST(Example, PerceptionFitsOnTwoCoresTwoCopyEnginesAndSixteenSms) {
  const System system = example("rtgpu-perception");
  const Verdict verdict = analyze(*find_method("rtgpu"), system);
  ASSERT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
  const auto& plan = dynamic_cast<const AllocationPlan&>(*verdict.plan);
  EXPECT_EQ(plan.entries[0].sms, 3);  // camera
  EXPECT_EQ(plan.entries[1].sms, 5);  // lidar
  EXPECT_EQ(plan.entries[2].sms, 4);  // planner
  EXPECT_EQ(plan.spare_sms, 4);
}

}  // namespace
}  // namespace tactus::rtgpu
