#include <fmt/core.h>

#include "tests/methods/gcaps/support.hpp"

/// What the methods leave to the reader, so that the methods never see it.
namespace tactus::gcaps::tests {
namespace {

constexpr std::string_view kPlatform =
    R"({"elements":[{"name":"cpu","kind":"cpu","units":2},{"name":"gpu","kind":"gpu","units":1,"time_slice":1}]})";
constexpr std::string_view kNode = R"({"name":"n1","on":"cpu","wcet":1})";

std::string task_with(std::string_view members, std::string_view nodes = kNode) {
  return fmt::format(R"({{{},"nodes":[{}]}})", members, nodes);
}

std::string file_with(std::string_view tasks, std::string_view platform = kPlatform,
                      std::string_view head = R"("tactus":1,"time_unit":"ms")") {
  return fmt::format(R"({{{},"platform":{},"tasks":[{}]}})", head, platform, tasks);
}

bool accepted(const std::string& text) { return read_system(text).system.has_value(); }

bool accepts_task(std::string_view members, std::string_view nodes = kNode) {
  return accepted(file_with(task_with(members, nodes)));
}

constexpr std::string_view kGood = R"("name":"a","period":10,"priority":1,"core":1)";

TEST(Malformed, IsEveryFileTheSpecificationCallsSo) {
  ASSERT_TRUE(accepts_task(kGood)) << "the pattern of all files below is fine";
  const std::string good = task_with(kGood);

  EXPECT_FALSE(accepted(file_with(good, kPlatform, R"("time_unit":"ms")"))) << "no version";
  EXPECT_FALSE(accepted(file_with(good, kPlatform, R"("tactus":2,"time_unit":"ms")")));
  EXPECT_FALSE(accepted(file_with(good, kPlatform, R"("tactus":1,"time_unit":"min")")));
  EXPECT_FALSE(accepted(file_with(good + "," + task_with(R"("name":"a","period":9)"))));
  EXPECT_FALSE(accepts_task(kGood, fmt::format("{},{}", kNode, kNode))) << "two nodes n1";
  EXPECT_FALSE(accepted(file_with(
      good,
      R"({"elements":[{"name":"cpu","kind":"cpu","units":2},{"name":"cpu","kind":"gpu","units":1}]})")));
  EXPECT_FALSE(accepts_task(kGood, R"({"name":"n1","on":"dsp","wcet":1})"));
  EXPECT_FALSE(accepts_task(kGood, "")) << "no nodes";
  EXPECT_FALSE(accepts_task(R"("name":"a","period":10,"priority":1.5,"core":1)"));
  EXPECT_FALSE(accepts_task(R"("name":"a","period":10,"priority":"1","core":1)"));
  EXPECT_FALSE(accepts_task(R"("name":"a","period":10,"gpu_priority":0.5,"core":1)"));
  EXPECT_FALSE(accepted(file_with(good + "," + task_with(R"("name":"b","period":9,"priority":1)"))))
      << "equal priorities";
  EXPECT_FALSE(accepts_task(R"("name":"a","period":10,"priority":1,"core":0)"));
  EXPECT_FALSE(accepts_task(R"("name":"a","period":10,"priority":1,"core":1.5)"));
  EXPECT_FALSE(accepted(file_with(
      good,
      R"({"elements":[{"name":"cpu","kind":"cpu","units":2},{"name":"gpu","kind":"gpu","units":1,"time_slice":0}]})")));
}

TEST(Malformed, AreTimesOutOfRange) {
  for (const std::string_view time : {"0", "-1", "1e400", "NaN", "Infinity", "\"9\"", "1e-9"}) {
    EXPECT_FALSE(accepts_task(fmt::format(R"("name":"a","period":{},"core":1)", time))) << time;
    EXPECT_FALSE(accepts_task(fmt::format(R"("name":"a","period":9,"deadline":{})", time))) << time;
  }
  for (const std::string_view time : {"-1", "-0.000001", "1e400", "NaN", "null"}) {
    for (const std::string_view key : {"wcet", "launch"}) {
      EXPECT_FALSE(
          accepts_task(kGood, fmt::format(R"({{"name":"n1","on":"gpu","{}":{}}})", key, time)))
          << key << " " << time;
    }
  }
  EXPECT_TRUE(accepts_task(kGood, R"({"name":"n1","on":"gpu","wcet":0,"launch":0})"));
}

TEST(Malformed, AreEdgesThatMakeNoGraph) {
  const auto with_edges = [](std::string_view edges) {
    return accepted(file_with(
        fmt::format(R"({{{},"nodes":[{},{{"name":"n2","on":"cpu","wcet":1}}],"edges":{}}})", kGood,
                    kNode, edges)));
  };
  EXPECT_TRUE(with_edges(R"([["n2","n1"]])"));
  EXPECT_FALSE(with_edges(R"([["n1","n3"]])")) << "unknown node";
  EXPECT_FALSE(with_edges(R"([["n1","n1"]])")) << "self-edge";
  EXPECT_FALSE(with_edges(R"([["n1","n2"],["n2","n1"]])")) << "cycle";
}

TEST(Rounding, OfTimesBelowANanosecondIsToTheSafeSide) {
  const ReadResult read = read_system(file_with(
      task_with(R"("name":"a","period":10.0000019,"deadline":9.0000019,"priority":1,"core":1)",
                R"({"name":"n1","on":"gpu","wcet":1.0000001,"launch":2.0000001})"),
      R"({"elements":[{"name":"cpu","kind":"cpu","units":2},{"name":"gpu","kind":"gpu","units":1,
          "time_slice":0.0000001,"context_switch":0.0000001,"runlist_update":0.0000001}]})"));
  ASSERT_TRUE(read.system);
  const Task& task = read.system->tasks[0];
  EXPECT_EQ(task.period->ns(), 10'000'001);
  EXPECT_EQ(task.deadline->ns(), 9'000'001);
  EXPECT_EQ(task.nodes[0].wcet->ns(), 1'000'001);
  EXPECT_EQ(task.nodes[0].launch.ns(), 2'000'001);
  const Element& gpu = read.system->platform.elements[1];
  EXPECT_EQ(gpu.time_slice->ns(), 1);
  EXPECT_EQ(gpu.context_switch->ns(), 1);
  EXPECT_EQ(gpu.runlist_update->ns(), 1);
}

}  // namespace
}  // namespace tactus::gcaps::tests
