// The times of graphs, measured beside enemies, are written into the file.
#include "tactus/runtime/measure_graphs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tests/driver/network.hpp"

namespace tactus::runtime {
namespace {

using fake_cuda::Network;
using fake_cuda::state;

System robot() {
  return *read_system(R"({"tactus":1,"name":"robot","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":16}]},"tasks":[
      {"name":"camera","period":1000,"deadline":1000,"nodes":[{"name":"detect","on":"gpu","load":9}]},
      {"name":"lidar","period":1000,"deadline":1000,"nodes":[
        {"name":"cluster","on":"gpu","wcet":7,"parallelism":4}]}]})")
              .system;
}

class MeasureGraphs : public testing::Test {
 protected:
  void SetUp() override {
    fake_cuda::reset();
    state().largest_copy = 4096;
    work.bind("camera", "detect", UserGraph{.graph = &camera_graph});
    work.bind("lidar", "cluster",
              UserGraph{.enqueue = [this](void* stream) { lidar.enqueue(stream); }});
    options.units = {8};
    options.runs = 20;
    options.noisy = true;  // microseconds on a busy machine
  }
  void TearDown() override {
    EXPECT_EQ(state().graphs + state().executables + state().streams + state().partitions, 0U);
  }

  Network camera, lidar;
  fake_cuda::FakeGraph camera_graph = camera.graph();
  Workload work;
  MeasureGraphsOptions options;
};

TEST_F(MeasureGraphs, WritesTheLongestOfAllPlusTheMarginIntoTheFile) {
  options.pairs = false;
  const auto measured = measure_graphs(robot(), work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->graphs.size(), 2U);
  for (const MeasuredGraph& graph : measured->graphs) {
    const Node& node = measured->system.tasks[graph.task].nodes[graph.node];
    ASSERT_EQ(graph.widths.size(), 2U);
    const MeasuredWidth& width = graph.widths.front();
    Time longest;
    for (const SeenBeside& seen : width.beside) {
      EXPECT_EQ(seen.samples.size(), 20U) << seen.neighbour;
      longest = std::max(longest, *std::max_element(seen.samples.begin(), seen.samples.end()));
    }
    EXPECT_GE(width.wcet, mul_div_up(longest, 120, 100));
    EXPECT_LT(width.wcet, mul_div_up(longest, 120, 100) + Time::from_us(1));
    EXPECT_EQ(width.wcet.ns() % 1000, 0);
    ASSERT_EQ(node.times.size(), 1U);
    EXPECT_EQ(node.times.front().units, 8);
    EXPECT_EQ(node.times.front().wcet, width.wcet);
    EXPECT_EQ(node.times.front().bcet, Time()) << "the least that was seen is no lower bound";
    EXPECT_EQ(node.wcet, graph.widths.back().wcet) << "on the whole GPU";
    EXPECT_FALSE(node.load);
    EXPECT_EQ(node.measured->on, "fake GPU");
    EXPECT_EQ(node.measured->enemy, width.worst().neighbour);
  }
  const Verdict verdict = analyze(*find_method("gang.swc"), measured->system);
  EXPECT_TRUE(verdict.plan) << "the file can be planned with: " << verdict.reason;
}

TEST_F(MeasureGraphs, TakesEveryEnemyEveryPairAndTheOtherGraphs) {
  const auto measured = measure_graphs(robot(), work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  std::set<std::string> beside;
  for (const SeenBeside& seen : measured->graphs.front().widths.front().beside) {
    EXPECT_TRUE(beside.insert(seen.neighbour).second) << seen.neighbour;
  }
  EXPECT_EQ(beside.size(), 1U + 6 + 1 + 15);
  for (const char* name : {"nothing", "compute", "launches", "L2", "streaming", "atomics", "copies",
                           "`cluster` of `lidar`", "L2 and atomics"}) {
    EXPECT_TRUE(beside.contains(name)) << name;
  }
  ASSERT_EQ(measured->graphs.front().widths.back().beside.size(), 1U)
      << "nothing runs beside it on the whole GPU";
  options.pairs = false;
  EXPECT_EQ(measure_graphs(robot(), work, options)->graphs.front().widths.front().beside.size(),
            8U);
}

TEST_F(MeasureGraphs, IsRefusedWithoutGraphsAndWithoutRoom) {
  EXPECT_EQ(measure_graphs(robot(), Workload(), options).error().message,
            "no graph is bound to any node");
  options.units = {24};
  EXPECT_FALSE(measure_graphs(robot(), work, options));
}

TEST_F(MeasureGraphs, EndsWhenItIsInterrupted) {
  std::stop_source stop;
  stop.request_stop();
  options.stop = stop.get_token();
  EXPECT_EQ(measure_graphs(robot(), work, options).error().message, "interrupted");
}

TEST(Noise, IsAGraphThatAloneTakesVeryDifferentTimes) {
  trace::Statistics alone;
  alone.p50 = Time::from_us(1000);
  alone.p99 = Time::from_us(1100);
  EXPECT_FALSE(is_noisy(alone));
  alone.p99 = Time::from_us(1200);
  EXPECT_TRUE(is_noisy(alone));
}

}  // namespace
}  // namespace tactus::runtime
