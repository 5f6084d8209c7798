#include "tactus/methods/gpu_time.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/support/read.hpp"

/// What the time of a GPU node means, description by description.
namespace tactus {
namespace {

/// A task `t` with one node `n` on a GPU with these attributes.
System with_node(const std::string& node, const std::string& gpu = R"("units": 16)") {
  return support::read(fmt::format(
      R"({{"tactus": 1, "platform": {{"elements": [{{"name": "gpu", "kind": "gpu", {}}}]}},
          "tasks": [{{"name": "t", "period": 100, "nodes": [{{"name": "n", "on": "gpu", {}}}]}}]}})",
      gpu, node));
}

const Node& node_of(const System& system) { return system.tasks[0].nodes[0]; }
const Element& element_of(const System& system) { return system.platform.elements[0]; }

WholeGpuTime whole(const System& system) {
  const auto found = whole_gpu_time(system, system.tasks[0], node_of(system));
  EXPECT_TRUE(found);
  return found.value_or(WholeGpuTime{});
}

TEST(WholeGpuTime, IsTheWcetOfTheFileWhereThereIsOne) {
  for (const char* beside : {"", R"(, "parallelism": 4)", R"(, "load": 90)",
                             R"(, "times": [{"units": 8, "wcet": 3}])"}) {
    const WholeGpuTime found = whole(with_node(R"("wcet": 9, "bcet": 2)" + std::string(beside)));
    EXPECT_EQ(found.wcet, Time::from_ms(9)) << beside;
    EXPECT_EQ(found.bcet, Time::from_ms(2)) << beside;
    EXPECT_EQ(found.note, "") << beside;
  }
}

TEST(WholeGpuTime, SpreadsTheLoadOverAllUnitsAndRoundsUp) {
  const WholeGpuTime found =
      whole(with_node(R"("load": 33.000001, "load_min": 30, "overhead": 1)"));
  // (33.000001 - 1) / 16 = 2.0000000625, up to the nanosecond.
  EXPECT_EQ(found.wcet, Time::from_ns(3'000'001));
  EXPECT_EQ(found.bcet, Time());
  EXPECT_EQ(found.note,
            "task `t`: node `n`: its time with all 16 units follows from `load`: 3.000001");
}

TEST(WholeGpuTime, OfALoadIsNotBelowTheShortestKernelOfTheGpu) {
  const System system = with_node(R"("load": 16)", R"("units": 16, "t_min": 2.5)");
  EXPECT_EQ(whole(system).wcet, Time::from_us(2500));
}

TEST(WholeGpuTime, TakesTheEntryWithAllUnitsEvenWhereAnotherIsShorter) {
  const WholeGpuTime found = whole(with_node(
      R"("times": [{"units": 8, "wcet": 2, "bcet": 1}, {"units": 16, "wcet": 3, "bcet": 1.5}])"));
  EXPECT_EQ(found.wcet, Time::from_ms(3));
  EXPECT_EQ(found.bcet, Time::from_us(1500));
  EXPECT_EQ(found.note, "");
}

TEST(WholeGpuTime, ElseTakesTheShortestEntryAndAsksToConfineTheKernel) {
  const WholeGpuTime found = whole(with_node(
      R"("times": [{"units": 4, "wcet": 5}, {"units": 8, "wcet": 2, "bcet": 1},
                   {"units": 12, "wcet": 2}])"));
  EXPECT_EQ(found.wcet, Time::from_ms(2));
  EXPECT_EQ(found.bcet, Time::from_ms(1)) << "of the same entry: the narrowest of the shortest";
  EXPECT_EQ(found.note, "task `t`: node `n`: time of 8 of 16 units; confine it to 8 units");
}

TEST(WholeGpuTime, IsUnknownWhereTheFileGivesNoTime) {
  const System system = with_node(R"("blocks": 3)");
  EXPECT_FALSE(whole_gpu_time(system, system.tasks[0], node_of(system)));
}

TEST(EntryForAShare, IsTheShortestThatFitsAndOfEqualOnesTheNarrowest) {
  const System system = with_node(
      R"("times": [{"units": 2, "wcet": 9}, {"units": 4, "wcet": 5}, {"units": 6, "wcet": 7},
                   {"units": 8, "wcet": 5}, {"units": 10, "wcet": 4}])");
  const auto units_on = [&](std::int64_t share) {
    const TimesEntry* entry = entry_for(node_of(system).times, share);
    return entry == nullptr ? 0 : entry->units;
  };
  EXPECT_EQ(units_on(1), 0) << "below the first entry there is none";
  EXPECT_EQ(units_on(2), 2);
  EXPECT_EQ(units_on(3), 2);
  EXPECT_EQ(units_on(4), 4);
  EXPECT_EQ(units_on(7), 4) << "6 units were slower than 4";
  EXPECT_EQ(units_on(8), 4) << "8 units are no faster";
  EXPECT_EQ(units_on(16), 10);
}

TEST(WholeTimeOnly, IsSaidOfAWcetWithoutAnyWidthOrCurve) {
  const auto only = [](const std::string& node, const std::string& gpu = R"("units": 16)") {
    const System system = with_node(node, gpu);
    return says_whole_time_only(element_of(system), node_of(system));
  };
  EXPECT_TRUE(only(R"("wcet": 9)"));
  EXPECT_TRUE(only(R"("wcet": 9, "threads": 64)")) << "the GPU has no lanes";
  EXPECT_TRUE(only(R"("wcet": 9)", R"("units": 1, "lanes": 32)"));
  EXPECT_FALSE(only(R"("wcet": 9)", R"("units": 1)")) << "one unit is the whole GPU";
  EXPECT_FALSE(only(R"("wcet": 9, "parallelism": 1)"));
  EXPECT_FALSE(only(R"("wcet": 9, "threads": 32)", R"("units": 2, "lanes": 32)"));
  EXPECT_FALSE(only(R"("wcet": 9, "load": 90)"));
  EXPECT_FALSE(only(R"("wcet": 9, "times": [{"units": 8, "wcet": 10}])"));
  EXPECT_FALSE(only(R"("load": 90)"));
}

TEST(WholeTimeOnly, IsRefusedWithTheNodeAndWhatToGive) {
  const System system = with_node(R"("wcet": 9)");
  Obstacles obstacles;
  lacks_time_on_fewer(obstacles, system.tasks[0], node_of(system), {"load"});
  const Refusal refusal = std::move(obstacles).refusal();
  EXPECT_EQ(refusal.reason,
            "task `t`: node `n` says its time on the whole GPU only; this method divides the SMs "
            "and must know its time on fewer: give `load`");
  EXPECT_TRUE(refusal.at.known());
}

}  // namespace
}  // namespace tactus
