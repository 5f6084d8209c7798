#include "tactus/generate/rtgpu_table1.hpp"

#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"

namespace tactus::rtgpu {
namespace {

using Given = std::map<std::string, std::string, std::less<>>;

System made(const Given& given, std::uint64_t index, std::uint64_t seed = 1) {
  const auto system = generate(kTable1, Settings(kTable1.parameters, given), seed, index);
  EXPECT_TRUE(system) << (system ? "" : system.error().message);
  return *system;
}

double ms_of(Time time) { return static_cast<double>(time.ns()) / 1e6; }

TEST(RtgpuTable1, IsAmongTheRecipes) { EXPECT_EQ(find_recipe("rtgpu-table1"), &kTable1); }

TEST(RtgpuTable1, DependsOnSeedAndIndexOnly) {
  EXPECT_EQ(made({}, 7), made({}, 7));
  EXPECT_FALSE(made({}, 7) == made({}, 8));
  EXPECT_FALSE(made({}, 7) == made({}, 7, 2));
}

TEST(RtgpuTable1, MakesFilesThatTheReaderTakes) {
  for (std::uint64_t index = 0; index < 50; ++index) {
    const System system = made({{"lower", "0.5"}, {"tasks", "7"}}, index);
    const ReadResult read = read_system(write_system(system));
    ASSERT_TRUE(read.system);
    EXPECT_EQ(*read.system, system);
  }
}

TEST(RtgpuTable1, KeepsToTheRangesOfTheTable) {
  for (std::uint64_t index = 0; index < 100; ++index) {
    const System system = made({{"utilization", "0.8"}}, index);
    ASSERT_EQ(system.tasks.size(), 5U);
    EXPECT_EQ(system.platform.elements[2].units, 10);
    double utilization = 0;
    for (const Task& task : system.tasks) {
      ASSERT_EQ(task.nodes.size(), 5U + 2 * 4 + 4);
      double sum = 0;
      for (const Node& node : task.nodes) {
        const double length = ms_of(node.load ? *node.load : *node.wcet);
        EXPECT_GE(length, 1);
        EXPECT_LE(length, node.on == 1 ? 5 : 20);
        sum += length;
        if (!node.load) {
          EXPECT_EQ(node.bcet, *node.wcet);
          continue;
        }
        EXPECT_EQ(node.load_min, *node.load);
        EXPECT_NEAR(ms_of(node.overhead), 0.12 * length, 0.00051);
        EXPECT_EQ(node.interleave, task.nodes[2].interleave);  // one kernel type a task
      }
      EXPECT_EQ(task.deadline, task.period);
      EXPECT_EQ(task.period->ns() % 1000, 0);
      utilization += sum / ms_of(*task.period);
    }
    EXPECT_NEAR(utilization, 0.8, 0.001);
  }
}

TEST(RtgpuTable1, HasItsOptions) {
  const System one_copy = made({{"copies", "1"}, {"subtasks", "3"}, {"sms", "5"}}, 1);
  EXPECT_EQ(one_copy.tasks[0].nodes.size(), 3U + 2 + 2);
  EXPECT_EQ(one_copy.platform.elements[2].units, 5);
  EXPECT_EQ(made({{"subtasks", "1"}}, 1).tasks[0].nodes.size(), 1U);
  const System stretched = made({{"ratio", "8"}, {"lower", "0"}}, 1);
  Time longest;
  for (const Task& task : stretched.tasks) {
    for (const Node& node : task.nodes) {
      EXPECT_EQ(node.bcet, Time());
      EXPECT_LE(node.wcet.value_or(Time()), Time::from_ms(40));
      longest = std::max(longest, node.load.value_or(Time()));
    }
  }
  EXPECT_GT(longest, Time::from_ms(20));
  EXPECT_LE(longest, Time::from_ms(160));
}

TEST(RtgpuTable1, RefusesNonsense) {
  for (const Given& given :
       {Given{{"copies", "3"}}, Given{{"utilization", "0"}}, Given{{"lower", "2"}},
        Given{{"cpu-max", "0.5"}}, Given{{"taks", "3"}}}) {
    EXPECT_FALSE(generate(kTable1, Settings(kTable1.parameters, given), 1, 1));
  }
}

TEST(RtgpuTable1, AgreesWithTheExperimentsOfThePaperAsRepeatedByThePrototype) {
  const auto accepted = [](std::string_view method, std::string_view variant, const Given& given) {
    Options options;
    options.variant = variant;
    int count = 0;
    for (std::uint64_t index = 0; index < 200; ++index) {
      const Verdict verdict = analyze(*find_method(method), made(given, index), options);
      EXPECT_NE(verdict.status, Status::kUndecided);
      count += verdict.status == Status::kSchedulable ? 1 : 0;
    }
    return count / 2.0;  // percent
  };
  const Given one{{"copies", "1"}, {"utilization", "1.0"}};
  EXPECT_NEAR(accepted("rtgpu", "safe", one), 82, 12);
  EXPECT_NEAR(accepted("stgm", "safe", one), 7, 8);
  const Given two{{"copies", "2"}, {"utilization", "0.8"}};
  EXPECT_NEAR(accepted("rtgpu", "safe", two), 22, 12);
  EXPECT_NEAR(accepted("rtgpu", "tight", two), 95, 8);
  const Given loose{{"copies", "1"}, {"utilization", "1.0"}, {"lower", "0"}};
  EXPECT_NEAR(accepted("rtgpu", "safe", loose), 11, 8);
}

}  // namespace
}  // namespace tactus::rtgpu
