// A whole plan on the driver alone: graphs in partitions, copies, CPU functions and callbacks.
#include <gtest/gtest.h>

#include "tactus/methods/method.hpp"
#include "tactus/model/reader.hpp"
#include "tactus/runtime/api.hpp"
#include "tactus/runtime/driver/driver_device.hpp"
#include "tactus/runtime/executors/run_plan.hpp"
#include "tests/driver/network.hpp"

namespace tactus::runtime {
namespace {

using fake_cuda::Network;
using fake_cuda::state;

const System& robot() {
  static const System system = *read_system(R"({"tactus":1,"name":"robot","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":1},{"name":"copy","kind":"copy","units":1},
      {"name":"gpu","kind":"gpu","units":16}]},"tasks":[
      {"name":"camera","core":1,"period":10,"deadline":10,"nodes":[
        {"name":"upload","on":"copy","wcet":2},
        {"name":"detect","on":"gpu","times":[{"units":4,"wcet":3}]},
        {"name":"decide","on":"cpu","wcet":2}],
        "edges":[["upload","detect"],["detect","decide"]]},
      {"name":"lidar","core":1,"period":10,"deadline":10,"nodes":[
        {"name":"cluster","on":"gpu","times":[{"units":6,"wcet":4}]}]}]})")
                                    .system;
  return system;
}

class OnDriver : public testing::Test {
 protected:
  void SetUp() override { fake_cuda::reset(); }
  void TearDown() override {
    EXPECT_EQ(state().graphs + state().executables + state().streams + state().partitions, 0U);
  }

  /// Everything of the robot's but what a test leaves out.
  Workload all_bound() {
    Workload work;
    work.bind("camera", "upload", UserCopy{&camera.input, &frame, sizeof frame});
    work.bind("camera", "detect", UserGraph{.graph = &camera_graph});
    work.bind("camera", "decide", std::function<void()>([&] { decided.push_back(camera.output); }));
    work.bind("lidar", "cluster",
              UserGraph{.enqueue = [&](void* stream) { lidar.enqueue(stream, true); }});
    return work;
  }

  Result<trace::Observed> run(const Workload& work, std::string_view method = "gang.swc") {
    const Verdict verdict = analyze(*find_method(method), robot());
    EXPECT_TRUE(verdict.plan) << verdict.reason;
    BackendOptions backend;
    backend.workload = &work;
    auto device = open_driver_device(robot(), backend);
    if (!device) return device.error();
    RunOptions options;
    options.jobs = 4;
    return run_plan(robot(), {verdict.method, verdict.plan}, **device, options);
  }

  Network camera, lidar;
  fake_cuda::FakeGraph camera_graph = camera.graph();
  std::array<std::uint64_t, 4> frame = {9, 8, 7, 6};
  std::vector<std::uint64_t> decided;
};

std::uint64_t answer_to(const std::array<std::uint64_t, 4>& input) {
  std::uint64_t sum = 0;
  for (const std::uint64_t factor : {2, 3, 5}) {
    for (const std::uint64_t item : input) sum = sum * factor + item;
  }
  return sum;
}

TEST_F(OnDriver, EveryJobCopiesRunsItsGraphAndDecidesOnItsResult) {
  for (const char* method : {"gang.swc", "rtgpu"}) {
    fake_cuda::reset();
    decided.clear();
    const auto seen = run(all_bound(), method);
    ASSERT_TRUE(seen) << method << ": " << seen.error().message;
    EXPECT_EQ(seen->failed, 0U);
    EXPECT_EQ(decided, std::vector<std::uint64_t>(4, answer_to(frame))) << method;
    EXPECT_EQ(lidar.output, answer_to({1, 2, 3, 4}));
    EXPECT_EQ(seen->machine->name, "fake GPU");
    const auto noted = [&](std::string_view text) {
      return std::find(seen->notes.begin(), seen->notes.end(), text) != seen->notes.end();
    };
    EXPECT_TRUE(noted("the graph of `detect` of task `camera`: 3 kernels, 1 memset, 1 copy moved"));
    EXPECT_TRUE(
        noted("the graph of `cluster` of task `lidar`: captured in the partition: 3 "
              "kernels, 1 memset, 1 copy"));
    for (const trace::ObservedNode& node : seen->nodes) {
      if (node.label == "detect") {
        EXPECT_EQ(node.widest, 8) << "in groups that clusters fit into";
      } else if (node.label == "cluster") {
        EXPECT_EQ(node.widest, 8);
      }
    }
  }
}

TEST_F(OnDriver, CallbacksComeRightBeforeAndAfterTheirNode) {
  Workload work = all_bound();
  std::vector<std::string> calls;
  work.bind("camera", "detect",
            NodeCallbacks{.before =
                              [&] {
                                calls.push_back("before");
                                camera.output = 0;
                              },
                          .after =
                              [&] {
                                EXPECT_EQ(camera.output, answer_to(frame));
                                calls.push_back("after");
                              }});
  const auto seen = run(work);
  ASSERT_TRUE(seen) << seen.error().message;
  std::vector<std::string> expected;
  for (int job = 0; job < 4; ++job) expected.insert(expected.end(), {"before", "after"});
  EXPECT_EQ(calls, expected);
}

TEST_F(OnDriver, ACallbackThatThrowsIsAFailureOfTheRun) {
  Workload work = all_bound();
  work.bind("camera", "detect",
            NodeCallbacks{.before = [] { throw std::runtime_error("no frame"); }, .after = {}});
  const auto seen = run(work);
  ASSERT_TRUE(seen) << seen.error().message;
  EXPECT_EQ(seen->failed, 4U);
  EXPECT_NE(seen->failures.front().find("no frame"), std::string::npos);
}

TEST_F(OnDriver, WorkThatIsNotBoundIsRefused) {
  Workload work;
  work.bind("camera", "upload", UserCopy{&camera.input, &frame, sizeof frame});
  work.bind("camera", "detect", UserGraph{.graph = &camera_graph});
  const auto seen = run(work);
  ASSERT_FALSE(seen);
  EXPECT_EQ(
      seen.error().message,
      "no graph is bound to `cluster` of task `lidar`, and this backend has no kernels of its "
      "own (a tactus built with nvcc has)");
}

TEST_F(OnDriver, APlanThatDoesNotFitIsRefused) {
  state().whole.count = 8;
  const auto seen = run(all_bound());
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().message, "the plan needs 10 SMs; the fake GPU has 8");
}

TEST_F(OnDriver, ALostGpuEndsTheRun) {
  BackendOptions backend;
  const Workload work = all_bound();
  backend.workload = &work;
  const auto device = open_driver_device(robot(), backend);
  ASSERT_TRUE(device);
  Replay replay;
  replay.node = 1;
  ASSERT_TRUE((*device)->prepare(replay));
  ASSERT_FALSE((*device)->start());
  state().silent = true;
  ASSERT_FALSE((*device)->launch(replay, 1));
  const auto done = (*device)->wait(std::nullopt);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "the GPU cannot go on with a graph: unspecified launch failure");
}

}  // namespace
}  // namespace tactus::runtime
