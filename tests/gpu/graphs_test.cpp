// Graphs of the user on a real GPU; skipped, visibly, where there is none. The graphs are enemies of
// the measurement, which need no CUDA toolkit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tactus/client.h"
#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/runtime/api.hpp"
#include "tactus/runtime/backend.hpp"
#include "tactus/runtime/driver/enemies.hpp"
#include "tactus/runtime/driver/segment_graph.hpp"
#include "tactus/runtime/executors/run_plan.hpp"
#include "tactus/runtime/measure/measure_batches.hpp"
#include "tactus/runtime/measure/measure_nodes.hpp"

namespace tactus::runtime {
namespace {

System read(const std::string& text) {
  auto result = read_system(text);
  EXPECT_TRUE(result.system) << (result.diagnostics.empty() ? ""
                                                            : result.diagnostics.front().message);
  return result.system ? *result.system : System();
}

/// Two tasks and best-effort work, all of them graphs.
System robot(int units, const std::string& time) {
  return read(R"({"tactus":1,"name":"robot","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1},{"name":"gpu","kind":"gpu","units":)" +
              std::to_string(units) + R"(}]},"tasks":[
      {"name":"camera","period":100,"deadline":100,"priority":2,"core":1,"nodes":[{"name":"detect","on":"gpu")" +
              time + R"(}]},
      {"name":"lidar","period":200,"deadline":200,"priority":1,"core":1,"nodes":[{"name":"cluster","on":"gpu")" +
              time + R"(}]},
      {"name":"train","best_effort":true,"nodes":[{"name":"step","on":"gpu","times":[{"units":8,"wcet":20}]}]}]})");
}

class GraphsOnGpu : public testing::Test {
 protected:
  void SetUp() override {
    const auto opened = driver::open_gpu(0);
    if (!opened) GTEST_SKIP() << opened.error().message;
    auto made = driver::Enemies::make(*opened);
    ASSERT_TRUE(made) << made.error().message;
    enemies = std::move(*made);
    work.bind("camera", "detect", UserGraph{.graph = graph("launches")});
    work.bind("lidar", "cluster", UserGraph{.graph = graph("L2")});
    work.bind("train", "step", UserGraph{.graph = graph("streaming")});
  }

  void* graph(std::string_view name) const {
    for (const auto& enemy : enemies->all()) {
      if (enemy.name == name) return enemy.graph;
    }
    return nullptr;
  }

  Result<trace::Observed> run(const System& system, const char* method, const char* backend,
                              RunOptions options = {}) const {
    const Verdict verdict = analyze(*find_method(method), system);
    if (!verdict.plan) return Error{"there is no plan: " + verdict.reason};
    BackendOptions machine;
    machine.workload = &work;
    machine.realtime = true;
    const auto device = open_backend(backend, system, machine);
    if (!device) return device.error();
    options.jobs = 10;
    return run_plan(system, {verdict.method, verdict.plan}, **device, options);
  }

  static bool notes(const trace::Observed& seen, const std::string& text) {
    return std::any_of(seen.notes.begin(), seen.notes.end(), [&](const std::string& note) {
      return note.find(text) != std::string::npos;
    });
  }

  std::unique_ptr<driver::Enemies> enemies;
  Workload work;
};

TEST_F(GraphsOnGpu, AreMeasuredOnEachWidthBesideEnemiesAndTheOthers) {
  for (const char* backend : {"driver", "cuda"}) {
    MeasureOptions options;
    options.backend = backend;
    options.machine.realtime = true;
    options.units = std::vector<std::int64_t>{8, 32};
    options.runs = 20;
    options.enemies = {"streaming", "atomics"};
    options.noisy = true;
    const auto measured = measure_nodes(robot(132, ""), work, options);
    ASSERT_TRUE(measured) << backend << ": " << measured.error().message;
    ASSERT_EQ(measured->nodes.size(), 2U) << "best-effort work is not measured";
    for (const MeasuredNode& node : measured->nodes) {
      ASSERT_EQ(node.widths.size(), 3U);
      EXPECT_EQ(node.widths[0].got, 8);
      EXPECT_EQ(node.widths[0].beside.size(), 1U + 2 + 2 + 1);
      EXPECT_NE(node.widths[0].how.find("moved"), std::string::npos) << node.widths[0].how;
      const Node& written = measured->system.tasks[node.task].nodes[node.node];
      EXPECT_EQ(written.times.size(), 2U);
      EXPECT_EQ(written.wcet, node.widths.back().wcet);
    }
    const MeasuredNode& cluster = measured->nodes.back();
    EXPECT_GT(cluster.widths[0].wcet, cluster.widths[1].wcet) << "it is wide: 8 SMs take longer";
    const auto seen = run(measured->system, "gang.swc", backend);
    ASSERT_TRUE(seen) << backend << ": " << seen.error().message;
    EXPECT_TRUE(seen->failures.empty()) << seen->failures.front();
    EXPECT_GT(seen->tasks[2].responses.size(), 0U) << "best-effort work got something";
  }
}

TEST_F(GraphsOnGpu, CallbacksComeOncePerJob) {
  for (const char* backend : {"driver", "cuda"}) {
    int before = 0, after = 0;
    work.bind("camera", "detect",
              NodeCallbacks{.before = [&] { ++before; }, .after = [&] { ++after; }});
    const auto seen = run(robot(132, R"(,"times":[{"units":32,"wcet":50}])"), "gang.swc", backend);
    ASSERT_TRUE(seen) << backend << ": " << seen.error().message;
    EXPECT_TRUE(seen->failures.empty()) << seen->failures.front();
    EXPECT_EQ(before, static_cast<int>(seen->tasks[0].responses.size()));
    EXPECT_EQ(after, before);
  }
}

TEST_F(GraphsOnGpu, ATableLeavesSmsForBestEffortWorkIfTheFileHasFewerThanTheGpu) {
  for (const bool shares : {false, true}) {
    const System system = robot(shares ? 132 : 64, R"(,"wcet":60)");
    BackendOptions machine;
    machine.workload = &work;
    machine.realtime = true;
    const auto device = open_backend("driver", system, machine);
    ASSERT_TRUE(device) << device.error().message;
    MeasureBatchesOptions options;
    options.repeats = 3;
    options.best_effort_shares = shares;
    const auto measured = measure_batches(system, **device, options);
    ASSERT_TRUE(measured) << measured.error().message;
    RunOptions playing;
    playing.best_effort_shares = shares;
    const auto seen = run(measured->system, "pbs.graph", "driver", playing);
    ASSERT_TRUE(seen) << seen.error().message;
    EXPECT_TRUE(seen->failures.empty()) << seen->failures.front();
    EXPECT_GT(seen->tasks[2].responses.size(), 0U);
    EXPECT_TRUE(notes(*seen, shares ? "at the lowest priority" : "the table has 64 SMs"));
  }
}

TEST_F(GraphsOnGpu, ASegmentRunsItsGraphOnTheWholeGpu) {
  setenv("TACTUS_SOCKET", "/nonexistent/no-arbiter", 0);  // a script may have started one
  const auto made = SegmentGraph::make({.graph = graph("L2")});
  ASSERT_TRUE(made) << made.error().message;
  for (int job = 0; job < 3; ++job) {
    const auto seen = (*made)->run(70);
    ASSERT_TRUE(seen) << seen.error().message;
    EXPECT_GT(seen->ns, 0);
    EXPECT_GE(seen->result, 0) << tactus_result_text(seen->result);
    RecordProperty("segment", tactus_result_text(seen->result));
  }
}

}  // namespace
}  // namespace tactus::runtime
