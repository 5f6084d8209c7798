#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/methods/plan.hpp"
#include "tests/methods/rtgpu/builder.hpp"

/// Copies on a shared element: nobody waits for anybody.
namespace tactus::rtgpu {
namespace {

using namespace testing;

/// Three tasks, of which one is best effort. @param own each copies on an element of its own
System three(bool own) {
  Builder builder(4, 1, 3);
  const auto bus = [&](int number) { return own ? number : 0; };
  builder.task("a", 40).cpu(1).copy(3, 2, bus(0)).kernel(8, 4).copy(2, 1, bus(0)).cpu(1);
  builder.task("b", 60).cpu(2).copy(5, 5, bus(1)).kernel(12, 12).cpu(1);
  builder.best_effort("x").copy(25, 0, bus(2)).cpu(1);
  return builder.build();
}

TEST(SharedCopies, AreLikeCopiesOnElementsOfTheirOwn) {
  System shared = three(false);
  shared.platform.elements[1].sharing = CopySharing::kShared;
  const System apart = three(true);
  for (const std::string_view id : {"rtgpu", "rtgpu.greedy", "stgm", "self-suspension"}) {
    const Method& method = *find_method(id);
    for (const std::string_view variant : method.variants) {
      const Verdict one = analyze(method, shared, with(variant));
      const Verdict other = analyze(method, apart, with(variant));
      ASSERT_EQ(one.status, other.status) << id << " " << one.reason;
      for (std::size_t i = 0; i < one.tasks.size(); ++i) {
        EXPECT_EQ(one.tasks[i].bound, other.tasks[i].bound) << id << " " << variant << " " << i;
      }
    }
  }
}

TEST(SharedCopies, AreNotBlockedByTheLongCopyOfABestEffortTask) {
  System shared = three(false);
  EXPECT_NE(analyze(*find_method("rtgpu"), shared).status, Status::kSchedulable);
  shared.platform.elements[1].sharing = CopySharing::kShared;
  const Verdict verdict = analyze(*find_method("rtgpu"), shared);
  ASSERT_EQ(verdict.status, Status::kSchedulable) << verdict.reason;
  EXPECT_EQ(verdict.warnings.back().substr(0, 46),
            "copies on element `copy` are shared, but `meas");
  // The checker of plans shares no code with the search.
  json::Writer out;
  write_plan(out, shared, "rtgpu", "safe", *verdict.plan);
  const auto parsed = json::Document::parse(out.take());
  const json::Document& plan = std::get<json::Document>(parsed);
  EXPECT_TRUE(find_method("rtgpu")->check_plan(shared, plan.root()).empty());
}

TEST(SharedCopies, MayHaveSeveralUnits) {
  System shared = three(false);
  shared.platform.elements[1].units = 3;
  EXPECT_EQ(analyze(*find_method("rtgpu"), shared).status, Status::kNotApplicable);
  shared.platform.elements[1].sharing = CopySharing::kShared;
  EXPECT_EQ(analyze(*find_method("rtgpu"), shared).status, Status::kSchedulable);
}

}  // namespace
}  // namespace tactus::rtgpu
