// A graph of the user as a GPU segment; without an arbiter everything works, and nobody is held off.
#include "tactus/runtime/driver/segment_graph.hpp"

#include <gtest/gtest.h>

#include "tactus/client.h"
#include "tests/driver/network.hpp"

namespace tactus::runtime {
namespace {

using fake_cuda::Network;
using fake_cuda::state;

class Segment : public testing::Test {
 protected:
  void SetUp() override {
    fake_cuda::reset();
    setenv("TACTUS_SOCKET", "/nonexistent/no-arbiter", 1);
  }
  void TearDown() override {
    EXPECT_EQ(state().graphs + state().executables + state().streams, 0U);
  }
};

TEST_F(Segment, RunsTheGraphOnTheWholeGpuEachTime) {
  Network network;
  fake_cuda::FakeGraph graph = network.graph(true);
  const auto made = SegmentGraph::make({.graph = &graph});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ((*made)->how(), "3 kernels, 1 memset, 1 copy, on the whole GPU");
  for (int job = 0; job < 3; ++job) {
    network.output = 0;
    const auto seen = (*made)->run(70);
    ASSERT_TRUE(seen) << seen.error().message;
    EXPECT_EQ(seen->result, TACTUS_UNARBITRATED);
    EXPECT_GE(seen->ns, 0);
    EXPECT_NE(network.output, 0U);
  }
}

TEST_F(Segment, IsRefusedInsideAnotherOne) {
  Network network;
  fake_cuda::FakeGraph graph = network.graph();
  const auto made = SegmentGraph::make({.graph = &graph});
  ASSERT_TRUE(made);
  const GpuSegment outer(10);
  EXPECT_FALSE((*made)->run(70));
  EXPECT_EQ(network.output, 0U);
}

TEST_F(Segment, ThatTheGpuCannotRunIsReportedAndEnded) {
  Network network;
  fake_cuda::FakeGraph graph = network.graph();
  const auto made = SegmentGraph::make({.graph = &graph});
  ASSERT_TRUE(made);
  state().fails = {{"cuGraphLaunch", 801}};
  EXPECT_EQ((*made)->run(70).error().message,
            "the GPU cannot launch a graph: operation not supported");
  state().fails.clear();
  EXPECT_TRUE((*made)->run(70)) << "the segment before has ended";
}

}  // namespace
}  // namespace tactus::runtime
