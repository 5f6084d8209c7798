// The times of graphs, measured beside enemies, are written into the file.
#include "tactus/runtime/measure/measure_nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/model/reserve.hpp"
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

class MeasureNodes : public testing::Test {
 protected:
  void SetUp() override {
    fake_cuda::reset();
    state().largest_copy = 4096;
    work.bind("camera", "detect", UserGraph{.graph = &camera_graph});
    work.bind("lidar", "cluster",
              UserGraph{.enqueue = [this](void* stream) { lidar.enqueue(stream); }});
    options.units = std::vector<std::int64_t>{8};
    options.runs = 20;
    options.noisy = true;  // microseconds on a busy machine
  }
  void TearDown() override {
    EXPECT_EQ(state().graphs + state().executables + state().streams + state().partitions, 0U);
  }

  Network camera, lidar;
  fake_cuda::FakeGraph camera_graph = camera.graph();
  Workload work;
  MeasureOptions options;
};

TEST_F(MeasureNodes, WritesTheLongestOfAllPlusTheMarginIntoTheFile) {
  options.pairs = false;
  const auto measured = measure_nodes(robot(), work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->nodes.size(), 2U);
  for (const MeasuredNode& graph : measured->nodes) {
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

TEST_F(MeasureNodes, TakesEveryEnemyEveryPairAndTheOtherGraphs) {
  const auto measured = measure_nodes(robot(), work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  std::set<std::string> beside;
  for (const SeenBeside& seen : measured->nodes.front().widths.front().beside) {
    EXPECT_TRUE(beside.insert(seen.neighbour).second) << seen.neighbour;
  }
  EXPECT_EQ(beside.size(), 1U + 6 + 1 + 15);
  for (const char* name : {"nothing", "compute", "launches", "L2", "streaming", "atomics", "copies",
                           "`cluster` of `lidar`", "L2 and atomics"}) {
    EXPECT_TRUE(beside.contains(name)) << name;
  }
  ASSERT_EQ(measured->nodes.front().widths.back().beside.size(), 1U)
      << "nothing runs beside it on the whole GPU";
  options.pairs = false;
  EXPECT_EQ(measure_nodes(robot(), work, options)->nodes.front().widths.front().beside.size(), 8U);
}

TEST_F(MeasureNodes, CopiesHaveCopiesOfEverySizeDirectionNumberAndMemoryBesideThem) {
  const System robot = *read_system(R"({"tactus":1,"name":"robot","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":16},
      {"name":"copy","kind":"copy","units":1,"sharing":"shared"}]},"tasks":[
      {"name":"camera","period":1000,"deadline":1000,"nodes":[
        {"name":"detect","on":"gpu","load":9},{"name":"boxes","on":"copy","wcet":1}]}]})")
                            .system;
  std::vector<char> from(256), to(256);
  work = Workload();
  work.bind("camera", "boxes", UserCopy{to.data(), from.data(), to.size()});
  options.units = std::vector<std::int64_t>{};
  options.enemies = {"copies", "L2"};
  const auto measured = measure_nodes(robot, work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->nodes.size(), 1U);
  std::set<std::string> beside;
  for (const SeenBeside& seen : measured->nodes.front().widths.front().beside) {
    EXPECT_TRUE(beside.insert(seen.neighbour).second) << seen.neighbour;
  }
  EXPECT_EQ(beside,
            (std::set<std::string>{
                "nothing", "L2", "copies", "copies to the device, long", "copies to the host, long",
                "copies both ways, 64 KiB", "copies to the device, four at a time",
                "copies to the host, four at a time", "copies both ways, pageable"}));
  const Node& node = measured->system.tasks[0].nodes[1];
  ASSERT_TRUE(node.measured && node.measured->enemy);
  const bool alone = *node.measured->enemy == "nothing; not worse beside copies";
  EXPECT_TRUE(alone || node.measured->enemy->find("copies") != std::string::npos)
      << *node.measured->enemy;
}

TEST_F(MeasureNodes, KernelsDoNotHaveTheEnemiesOfCopies) {
  options.enemies = {"copies"};
  const auto measured = measure_nodes(robot(), work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->nodes.front().widths.front().beside.size(), 1U + 1 + 1);
}

TEST_F(MeasureNodes, RunsAsOftenAsAskedAlsoWhereTurnsDoNotFit) {
  options.runs = 33;
  options.pairs = false;
  const auto measured = measure_nodes(robot(), work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  for (const MeasuredWidth& width : measured->nodes.front().widths) {
    for (const SeenBeside& seen : width.beside) EXPECT_EQ(seen.samples.size(), 33U);
  }
}

TEST_F(MeasureNodes, TakesTheEnemiesThatAreNamed) {
  options.enemies = {"L2", "atomics"};
  const auto measured = measure_nodes(robot(), work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->nodes.front().widths.front().beside.size(), 1U + 2 + 1 + 1);
  options.enemies = {"gravity"};
  EXPECT_EQ(measure_nodes(robot(), work, options).error().message,
            "there is no enemy `gravity`; there are compute, launches, L2, streaming, atomics, "
            "copies");
}

TEST_F(MeasureNodes, TheUsualWidthsAreMultiplesOfTheStepAndAllThatCanBeDivided) {
  options.units.reset();
  options.enemies.clear();
  const auto measured = measure_nodes(robot(), work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  std::vector<std::int64_t> units;
  for (const MeasuredWidth& width : measured->nodes.front().widths) units.push_back(width.got);
  EXPECT_EQ(units, (std::vector<std::int64_t>{8, 16, 0}));
}

TEST_F(MeasureNodes, BestEffortWorkIsANeighbourAndIsNotMeasured) {
  System system = robot();
  system.tasks[1].best_effort = true;
  options.enemies.clear();
  const auto measured = measure_nodes(system, work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->nodes.size(), 1U);
  EXPECT_EQ(measured->nodes.front().widths.front().beside.back().neighbour, "`cluster` of `lidar`");
  EXPECT_FALSE(measured->system.tasks[1].nodes[0].measured);
}

TEST_F(MeasureNodes, AFunctionOnTheCpuIsMeasuredBesideWorkOnTheGpu) {
  System system = robot();
  Element cpu;
  cpu.name = "cpu";
  cpu.kind = ElementKind::kCpu;
  system.platform.elements.push_back(cpu);
  Node plan;
  plan.name = "plan";
  plan.on = 1;
  system.tasks[0].nodes.push_back(plan);
  system.tasks[0].graph = Graph::chain(2);
  int calls = 0;
  work.bind("camera", "plan", [&] { ++calls; });
  options.pairs = false;
  options.nodes = {"camera.plan"};
  const auto measured = measure_nodes(system, work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->nodes.size(), 1U);
  const MeasuredNode& node = measured->nodes.front();
  EXPECT_EQ(node.kind, MeasuredNode::Kind::kCpu);
  ASSERT_EQ(node.widths.size(), 1U) << "it has no width";
  EXPECT_EQ(node.widths.front().beside.size(), 1U + 6 + 2);
  EXPECT_EQ(calls, 9 * 21) << "one more run each time, for the caches";
  EXPECT_EQ(measured->system.tasks[0].nodes[1].wcet, node.widths.front().wcet);
  EXPECT_EQ(measured->system.tasks[0].nodes[0], system.tasks[0].nodes[0]) << "it was not asked for";
}

TEST_F(MeasureNodes, TheLeastIsWrittenOnlyOnRequest) {
  options.bcet = true;
  options.enemies.clear();
  const auto measured = measure_nodes(robot(), work, options);
  ASSERT_TRUE(measured) << measured.error().message;
  const Node& node = measured->system.tasks[0].nodes[0];
  const MeasuredWidth& width = measured->nodes.front().widths.front();
  EXPECT_EQ(node.times.front().bcet, width.bcet);
  Time least = Time::max();
  for (const SeenBeside& seen : width.beside) least = std::min(least, seen.statistics.min);
  EXPECT_EQ(width.bcet, (Reserve{options.margin, Reserve::kMeasured}.below(least)));
  EXPECT_LT(width.bcet, least) << "the margin is taken from the least, too";
}

TEST_F(MeasureNodes, IsRefusedWithoutGraphsAndWithoutRoom) {
  EXPECT_EQ(measure_nodes(robot(), Workload(), options).error().message,
            "there is nothing to measure: `detect` of `camera` is not measured: nothing is bound "
            "to it, and the backend `driver` has no synthetic work");
  options.units = std::vector<std::int64_t>{24};
  EXPECT_FALSE(measure_nodes(robot(), work, options));
}

TEST_F(MeasureNodes, EndsWhenItIsInterrupted) {
  std::stop_source stop;
  stop.request_stop();
  options.stop = stop.get_token();
  EXPECT_EQ(measure_nodes(robot(), work, options).error().message, "interrupted");
}

TEST(Noise, IsAGraphThatAloneTakesVeryDifferentTimes) {
  Statistics alone;
  alone.p50 = Time::from_us(1000);
  alone.p99 = Time::from_us(1100);
  EXPECT_FALSE(is_noisy(alone));
  alone.p99 = Time::from_us(1200);
  EXPECT_TRUE(is_noisy(alone));
}

}  // namespace
}  // namespace tactus::runtime
