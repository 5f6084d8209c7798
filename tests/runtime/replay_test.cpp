// Nodes that run a graph of the user as a whole: which families run them, where, and what is refused.
#include <gtest/gtest.h>

#include "tactus/runtime/api.hpp"
#include "tests/runtime/support.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::runtime {
namespace {

/// Stands for a captured graph; the emulator never looks into it.
int some_graph = 0;

Workload graph_at(std::string task, std::string node) {
  Workload work;
  work.bind(std::move(task), std::move(node), UserGraph{.graph = &some_graph});
  return work;
}

/// A camera whose network is measured on 8 and 16 SMs, and a lidar with a synthetic kernel.
constexpr const char* kRobot = R"({"tactus":1,"name":"robot","platform":{"elements":[
    {"name":"cpu","kind":"cpu","units":2},{"name":"copy","kind":"copy","units":1},
    {"name":"gpu","kind":"gpu","units":24}]},
  "tasks":[
    {"name":"camera","core":1,"period":40,"deadline":40,"nodes":[
      {"name":"upload","on":"copy","wcet":2},
      {"name":"detect","on":"gpu","times":[{"units":8,"wcet":20},{"units":16,"wcet":12}]},
      {"name":"decide","on":"cpu","wcet":3}],"edges":[["upload","detect"],["detect","decide"]]},
    {"name":"lidar","core":2,"period":40,"deadline":40,"nodes":[
      {"name":"filter","on":"gpu","wcet":9,"parallelism":8}]}]})";

const trace::ObservedNode& node_of(const Ran& seen, std::string_view label) {
  for (const trace::ObservedNode& node : seen.report->nodes) {
    if (node.label == label) return node;
  }
  throw std::runtime_error("no such node");
}

bool notes(const Ran& seen, std::string_view text) {
  for (const std::string& note : seen.report->notes) {
    if (note == text) return true;
  }
  return false;
}

TEST(Replay, RunsInAFileOfGraphsKernelsFunctionsAndCopies) {
  const System system = simulate::read(kRobot);
  Workload work = graph_at("camera", "detect");
  work.bind("lidar", "filter", UserKernel{.function = &some_graph, .body = {}, .blocks = 64});
  char from = 0, to = 0;
  work.bind("camera", "upload", UserCopy{&to, &from, 1});
  work.bind("camera", "decide", [] {});
  for (const char* method : {"gang.swc", "gang.wc", "rtgpu", "rtgpu.greedy", "self-suspension"}) {
    const Ran seen = ran(system, {.method = method, .jobs = 5, .workload = &work});
    ASSERT_TRUE(seen.report) << method << ": " << seen.error;
    EXPECT_TRUE(seen.report->good()) << method;
    expect_sound(system, seen, method);
    for (const char* label : {"upload", "detect", "decide", "filter"}) {
      EXPECT_EQ(node_of(seen, label).runs, 5U) << method << ", " << label;
    }
  }
}

TEST(Replay, RunsInThePartitionOfItsTaskBesideSyntheticWorkCopiesAndCpuWork) {
  const System system = simulate::read(kRobot);
  const Workload work = graph_at("camera", "detect");
  for (const char* method : {"gang.swc", "gang.wc", "rtgpu", "rtgpu.greedy", "self-suspension"}) {
    const Ran seen = ran(system, {.method = method, .jobs = 5, .workload = &work});
    ASSERT_TRUE(seen.report) << method << ": " << seen.error;
    EXPECT_TRUE(seen.report->good()) << method;
    expect_sound(system, seen, method);
    const trace::ObservedNode& graph = node_of(seen, "detect");
    EXPECT_EQ(graph.runs, 5U) << method;
    EXPECT_EQ(graph.narrowest, graph.asked) << method;
    EXPECT_EQ(graph.widest, graph.asked) << method;
    EXPECT_EQ(node_of(seen, "filter").runs, 5U) << method;
    EXPECT_TRUE(
        notes(seen, "the graph of `detect` of task `camera`: emulated by its time in the file"))
        << method;
  }
}

TEST(Replay, TakesTheTimeThatWasMeasuredOnTheWidthOfThePlan) {
  const System system = simulate::read(kRobot);
  const Workload work = graph_at("camera", "detect");
  const Ran seen = ran(system, {.method = "gang.swc", .jobs = 3, .workload = &work});
  ASSERT_TRUE(seen.report) << seen.error;
  const trace::ObservedNode& graph = node_of(seen, "detect");
  EXPECT_EQ(graph.longest, graph.asked == 16 ? Time::from_ms(12) : Time::from_ms(20));
  EXPECT_EQ(graph.bound, graph.longest);
}

TEST(Replay, GivesTheSameResponsesAsTheKernelItStandsFor) {
  const System system = simulate::read(kRobot);
  const Workload work = graph_at("camera", "detect");
  for (const char* method : {"gang.swc", "rtgpu"}) {
    const Ran graph = ran(system, {.method = method, .jobs = 5, .workload = &work});
    const Ran kernel = ran(system, {.method = method, .jobs = 5});
    ASSERT_TRUE(graph.report && kernel.report);
    for (TaskIndex task = 0; task < system.tasks.size(); ++task) {
      EXPECT_EQ(graph.report->tasks[task].responses, kernel.report->tasks[task].responses);
    }
  }
}

TEST(Replay, OnAWiderPartitionThanAskedShowsIt) {
  const System system = simulate::read(kRobot);
  const Workload work = graph_at("camera", "detect");
  const Ran seen =
      ran(system,
          {.method = "gang.swc", .jobs = 2, .sms = 132, .partition_step = 20, .workload = &work});
  ASSERT_TRUE(seen.report) << seen.error;
  EXPECT_EQ(node_of(seen, "detect").widest, 20);
  EXPECT_TRUE(node_of(seen, "detect").width_differs());
}

TEST(Replay, IsAMemberOfABatchOnTheWholeGpu) {
  const System system = simulate::read_file("examples/pbs-drone.system.json");
  const Task& task = system.tasks.front();
  const Workload work = graph_at(task.name, task.nodes.front().name);
  const Ran graph = ran(system, {.method = "pbs.graph", .jobs = 10, .workload = &work});
  const Ran kernel = ran(system, {.method = "pbs.graph", .jobs = 10});
  ASSERT_TRUE(graph.report && kernel.report) << graph.error;
  EXPECT_TRUE(graph.report->good());
  EXPECT_EQ(graph.report->batches->played, kernel.report->batches->played);
  EXPECT_EQ(graph.report->batches->overrun, 0U);
}

std::string refusal(const std::string& file, const char* method, std::string task, std::string node,
                    std::int64_t step = 1) {
  const Workload work = graph_at(std::move(task), std::move(node));
  const System system = simulate::read(file);
  const Ran seen =
      ran(system, {.method = method, .sms = 132, .partition_step = step, .workload = &work});
  EXPECT_TRUE(seen.verdict.plan) << "no plan of " << method;
  return seen.error;
}

std::string gpu_file(const std::string& task, const std::string& more = "") {
  return R"({"tactus":1,"name":"g","platform":{"elements":[{"name":"cpu","kind":"cpu","units":1},
      {"name":"gpu","kind":"gpu","units":24)" +
         more + R"(}]},"tasks":[)" + task + "]}";
}

TEST(Replay, IsRefusedByPlansThatCutKernelsIntoBlocks) {
  EXPECT_EQ(refusal(R"({"tactus":1,"name":"g","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":24}]},"tasks":[
      {"name":"t","period":40,"deadline":40,"nodes":[{"name":"k","on":"gpu","load":24}]}]})",
                    "dag.balanced", "t", "k"),
            "`k` of task `t` runs a graph, but plans of dag cut kernels into blocks, which nobody "
            "can do with a graph; gang and rtgpu run it in a partition of its own");
}

TEST(Replay, IsRefusedWhereItWouldShareItsPartition) {
  EXPECT_EQ(
      refusal(gpu_file(R"({"name":"t","period":40,"deadline":40,"nodes":[
      {"name":"a","on":"gpu","wcet":5,"parallelism":8},
      {"name":"b","on":"gpu","wcet":5,"parallelism":8}],"edges":[]})"),
              "gang.swc", "t", "a"),
      "`a` of task `t` runs a graph, which would share its partition with `b`: no edge orders "
      "the two");
}

TEST(Replay, IsRefusedOnLanes) {
  EXPECT_EQ(
      refusal(gpu_file(R"({"name":"t","period":40,"deadline":40,"nodes":[
      {"name":"a","on":"gpu","wcet":5,"parallelism":1,"blocks":4}]})",
                       R"(,"lanes":2)"),
              "gang.swc", "t", "a"),
      "`a` of task `t` runs a graph, which cannot be one of several on an SM (its element has "
      "lanes)");
}

TEST(Replay, IsRefusedByRtgpuWhereItsTimeIsNotMeasured) {
  EXPECT_EQ(
      refusal(gpu_file(R"({"name":"t","core":1,"period":40,"deadline":40,"nodes":[
      {"name":"a","on":"gpu","load":24}]})"),
              "rtgpu", "t", "a"),
      "`a` of task `t` runs a graph, whose time is known only where it was measured: it needs "
      "`times`, not `load`");
}

TEST(Replay, IsRefusedByRtgpuWhereItCouldEndSoonerThanTheAnalysisAssumes) {
  const auto file = [](const std::string& bcet) {
    return gpu_file(R"({"name":"t","core":1,"period":40,"deadline":40,"nodes":[
      {"name":"a","on":"gpu","times":[{"units":6,"wcet":9)" +
                    bcet + "}]}]}");
  };
  EXPECT_EQ(
      refusal(file(R"(,"bcet":4)"), "rtgpu", "t", "a", 8),
      "`a` of task `t` runs a graph, whose least time is known on 6 SMs, but its partition has "
      "8: without `bcet`, more SMs are safe");
  EXPECT_EQ(refusal(file(""), "rtgpu", "t", "a", 8), "");
  EXPECT_EQ(refusal(file(R"(,"bcet":4)"), "rtgpu", "t", "a", 2), "");
}

TEST(Replay, IsRefusedByRtgpuWithoutAPartition) {
  EXPECT_EQ(
      refusal(gpu_file(R"({"name":"t","core":1,"period":40,"deadline":40,"nodes":[
      {"name":"a","on":"gpu","times":[{"units":6,"wcet":9}]}]})"),
              "rtgpu", "t", "a", 200),
      "`a` of task `t` runs a graph, which needs a partition of its own, but the shares of the "
      "plan do not fit");
}

TEST(Replay, IsRefusedByATableUnlessItIsTheWholeTask) {
  EXPECT_EQ(refusal(R"({"tactus":1,"name":"g","platform":{"elements":[
      {"name":"gpu","kind":"gpu","units":24}]},"interference":{"model":"none"},"tasks":[
      {"name":"t","period":40,"deadline":40,"nodes":[
      {"name":"a","on":"gpu","wcet":5},{"name":"b","on":"gpu","wcet":5}],"edges":[["a","b"]]}]})",
                    "pbs.graph", "t", "b"),
            "`b` of task `t` runs a graph, but a table plays the kernels of a task as one: it must "
            "be its only node");
}

}  // namespace
}  // namespace tactus::runtime
