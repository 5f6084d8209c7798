// The synthetic work of a file, measured on the emulator: what is written is what the file says, plus
// the margin.
#include "tactus/runtime/measure/measure_nodes.hpp"

#include <gtest/gtest.h>

#include "tactus/model/reader.hpp"

namespace tactus::runtime {
namespace {

System robot() {
  return *read_system(R"({"tactus":1,"name":"robot","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":16},{"name":"cpu","kind":"cpu","units":2}]},"tasks":[
      {"name":"camera","period":1000,"deadline":1000,"nodes":[
        {"name":"read","on":"cpu","wcet":2},{"name":"detect","on":"gpu","load":16}]},
      {"name":"lidar","period":1000,"deadline":1000,"nodes":[
        {"name":"cluster","on":"gpu","wcet":7,"parallelism":4}]},
      {"name":"map","period":1000,"deadline":1000,"nodes":[
        {"name":"fuse","on":"gpu","times":[{"units":4,"wcet":9},{"units":8,"wcet":5}]}]},
      {"name":"train","best_effort":true,"nodes":[{"name":"step","on":"gpu","wcet":3}]}]})")
              .system;
}

MeasureOptions emulated() {
  MeasureOptions options;
  options.backend = "emulator";
  options.runs = 5;
  options.margin = 10;
  options.units = std::vector<std::int64_t>{2, 4, 8};
  return options;
}

Time wcet_on(const MeasuredNodes& measured, const char* task, std::int64_t units) {
  for (const MeasuredNode& node : measured.nodes) {
    if (measured.system.tasks[node.task].name != task) continue;
    for (const MeasuredWidth& width : node.widths) {
      if (width.got == units) return width.wcet;
    }
  }
  return Time();
}

TEST(MeasureNodesOnTheEmulator, EveryGpuNodeTakesWhatTheFileSaysOnEachWidth) {
  const auto measured = measure_nodes(robot(), Workload(), emulated());
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->nodes.size(), 3U) << "no best-effort task, nothing on a CPU";
  EXPECT_EQ(wcet_on(*measured, "camera", 2), Time::from_us(8800));
  EXPECT_EQ(wcet_on(*measured, "camera", 8), Time::from_us(2200));
  EXPECT_EQ(wcet_on(*measured, "camera", 0), Time::from_us(1100));
  EXPECT_EQ(wcet_on(*measured, "lidar", 2), Time::from_us(15400)) << "four blocks in two rounds";
  EXPECT_EQ(wcet_on(*measured, "lidar", 4), Time::from_us(7700));
  EXPECT_EQ(wcet_on(*measured, "map", 4), Time::from_us(9900));
  EXPECT_EQ(wcet_on(*measured, "map", 8), Time::from_us(5500));
}

/// Two copies on one element, one of them of a best-effort task.
System copies(std::string_view sharing) {
  return *read_system(R"({"tactus":1,"name":"robot","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":16},
      {"name":"copy","kind":"copy","units":1,"sharing":")" +
                      std::string(sharing) + R"("}]},"tasks":[
      {"name":"camera","period":1000,"deadline":1000,"nodes":[
        {"name":"upload","on":"copy","wcet":1},{"name":"detect","on":"gpu","load":16}]},
      {"name":"map","best_effort":true,"nodes":[{"name":"h2d","on":"copy","wcet":25}]}]})")
              .system;
}

TEST(MeasureNodesOnTheEmulator, CopiesOnASharedElementAreMeasuredBesideEachOther) {
  const auto measured = measure_nodes(copies("shared"), Workload(), emulated());
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->nodes.size(), 2U) << "the copy, and the kernel";
  const MeasuredWidth& upload = measured->nodes.front().widths.front();
  ASSERT_EQ(upload.beside.size(), 3U);
  EXPECT_EQ(upload.beside.back().neighbour, "`h2d` of `map`");
  EXPECT_EQ(upload.wcet, Time::from_us(1100)) << "side by side";
}

TEST(MeasureNodesOnTheEmulator, CopiesOnAnExclusiveElementWaitForEachOther) {
  MeasureOptions options = emulated();
  EXPECT_EQ(measure_nodes(copies("exclusive"), Workload(), options)->nodes.size(), 1U);
  options.nodes = {"camera.upload", "map.h2d"};
  const auto measured = measure_nodes(copies("exclusive"), Workload(), options);
  ASSERT_TRUE(measured) << measured.error().message;
  const MeasuredWidth& upload = measured->nodes.front().widths.front();
  EXPECT_EQ(upload.beside.front().statistics.max, Time::from_us(1000));
  EXPECT_GT(upload.worst().statistics.max, Time::from_us(1000));
  EXPECT_EQ(upload.worst().neighbour, "`h2d` of `map`");
}

TEST(MeasureNodesOnTheEmulator, OtherNodesOfTheFileAreNeighboursAndDisturbNothing) {
  const auto measured = measure_nodes(robot(), Workload(), emulated());
  ASSERT_TRUE(measured) << measured.error().message;
  const MeasuredWidth& width = measured->nodes.front().widths.front();
  ASSERT_EQ(width.beside.size(), 1U + 3);
  EXPECT_EQ(width.beside[1].neighbour, "`cluster` of `lidar`");
  EXPECT_EQ(width.beside[3].neighbour, "`step` of `train`");
  for (const SeenBeside& seen : width.beside) {
    EXPECT_EQ(seen.statistics.min, Time::from_ms(8));
    EXPECT_EQ(seen.statistics.max, Time::from_ms(8));
    EXPECT_FALSE(seen.grew);
  }
}

TEST(MeasureNodesOnTheEmulator, TheFileHasTimesAfterwardsAndCanBeMeasuredAgain) {
  const auto measured = measure_nodes(robot(), Workload(), emulated());
  ASSERT_TRUE(measured) << measured.error().message;
  const Node& node = measured->system.tasks[0].nodes[1];
  ASSERT_EQ(node.times.size(), 3U);
  EXPECT_FALSE(node.load);
  EXPECT_EQ(node.measured->runs, 5 * (3 * 4 + 1));
  EXPECT_EQ(node.measured->on, "emulator");
  EXPECT_EQ(measured->system.tasks[0].nodes[0], robot().tasks[0].nodes[0]) << "not on a GPU";
  MeasureOptions once_more = emulated();
  once_more.margin = 0;
  const auto again = measure_nodes(measured->system, Workload(), once_more);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(wcet_on(*again, "camera", 2), Time::from_us(8800));
}

TEST(MeasureNodesOnTheEmulator, ACpuNodeIsMeasuredIfItIsNamed) {
  MeasureOptions options = emulated();
  options.nodes = {"camera"};
  const auto measured = measure_nodes(robot(), Workload(), options);
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->nodes.size(), 2U);
  EXPECT_EQ(measured->nodes[0].kind, MeasuredNode::Kind::kCpu);
  EXPECT_EQ(measured->system.tasks[0].nodes[0].wcet, Time::from_us(2200));
  options.nodes = {"camera.write"};
  EXPECT_EQ(measure_nodes(robot(), Workload(), options).error().message,
            "there is no task or node `camera.write` (TASK, or TASK.NODE)");
}

TEST(MeasureNodesOnTheEmulator, ANodeWithoutATimeIsLeftOutWithAReason) {
  System system = robot();
  system.tasks[1].nodes[0].wcet.reset();
  const auto measured = measure_nodes(system, Workload(), emulated());
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->nodes.size(), 2U);
  EXPECT_EQ(measured->notes.front(),
            "`cluster` of `lidar` is not measured: the file gives no time for it, and nothing is "
            "bound to it");
}

TEST(MeasureNodesOnTheEmulator, ABoundGraphTakesItsTimeOfTheFile) {
  Workload work;
  work.bind("map", "fuse", UserGraph{.enqueue = [](void*) {}});
  const auto measured = measure_nodes(robot(), work, emulated());
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->nodes.size(), 1U) << "only what is bound";
  EXPECT_EQ(measured->nodes.front().kind, MeasuredNode::Kind::kGraph);
  EXPECT_EQ(wcet_on(*measured, "map", 8), Time::from_us(5500));
}

TEST(MeasureNodesOnTheEmulator, EveryKindOfBoundWorkIsMeasuredAsSuch) {
  static int anything = 0;
  Workload work;
  work.bind("map", "fuse", UserGraph{.graph = &anything});
  work.bind("camera", "detect", UserKernel{.function = &anything, .body = {}, .blocks = 64});
  work.bind("camera", "read", [] {});
  const auto measured = measure_nodes(robot(), work, emulated());
  ASSERT_TRUE(measured) << measured.error().message;
  ASSERT_EQ(measured->nodes.size(), 3U);
  EXPECT_EQ(measured->nodes[0].kind, MeasuredNode::Kind::kCpu);
  EXPECT_EQ(measured->nodes[1].kind, MeasuredNode::Kind::kKernel);
  EXPECT_EQ(measured->nodes[2].kind, MeasuredNode::Kind::kGraph);
  EXPECT_EQ(measured->nodes[1].widths.front().beside.size(), 1U + 3)
      << "what is not bound is a neighbour as well";
}

TEST(MeasureNodesOnTheEmulator, ANoisyMachineIsRefusedUnlessItIsAccepted) {
  System system = robot();
  system.tasks[1].nodes[0].bcet = Time::from_ms(1);
  MeasureOptions options = emulated();
  options.runs = 100;
  options.machine.scenario = *trace::parse_scenario("offsets,uniform", 1);
  options.nodes = {"lidar"};
  system.tasks[1].period = Time::from_ms(20);
  const auto refused = measure_nodes(system, Workload(), options);
  ASSERT_FALSE(refused) << "its blocks take between 1 and 7 ms";
  EXPECT_TRUE(refused.error().message.starts_with("the machine is noisy: `cluster` of `lidar`"))
      << refused.error().message;
  options.noisy = true;
  const auto accepted = measure_nodes(system, Workload(), options);
  ASSERT_TRUE(accepted) << accepted.error().message;
  EXPECT_LE(wcet_on(*accepted, "lidar", 4), Time::from_ms(9)) << "the fitted tail adds to it";
}

TEST(MeasureNodesOnTheEmulator, NoiseThatIsLittleBesideThePeriodIsNoReason) {
  System system = robot();
  system.tasks[1].nodes[0].bcet = Time::from_ms(1);
  system.tasks[1].period = Time::from_ms(400);
  MeasureOptions options = emulated();
  options.runs = 100;
  options.machine.scenario = *trace::parse_scenario("offsets,uniform", 1);
  options.nodes = {"lidar"};
  EXPECT_TRUE(measure_nodes(system, Workload(), options));
}

TEST(MeasureNodesOnTheEmulator, AnInterruptedMeasurementKeepsTheWidthsThatAreDone) {
  std::stop_source stop;
  MeasureOptions options = emulated();
  options.units = std::vector<std::int64_t>{2, 4, 8};
  options.nodes = {"lidar"};
  options.stop = stop.get_token();
  options.progress = [&](std::string_view text) {
    if (text.starts_with("2 of 4 widths")) stop.request_stop();
  };
  const auto measured = measure_nodes(robot(), Workload(), options);
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->system.tasks[1].nodes[0].times.size(), 1U);
  EXPECT_NE(std::find(measured->notes.begin(), measured->notes.end(),
                      "interrupted: 2 of 4 widths were measured"),
            measured->notes.end());
}

TEST(MeasureNodesOnTheEmulator, WidthsThatDoNotFitAreRefused) {
  MeasureOptions options = emulated();
  options.units = std::vector<std::int64_t>{17};
  EXPECT_FALSE(measure_nodes(robot(), Workload(), options));
}

}  // namespace
}  // namespace tactus::runtime
