// A user's graph goes into a partition, with everything in it, and its results stay the same.
#include "tactus/runtime/driver/prepared_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/driver/network.hpp"

namespace tactus::runtime::driver {
namespace {

using fake_cuda::FakeContext;
using fake_cuda::FakeGraph;
using fake_cuda::Network;
using fake_cuda::state;

class InPartition : public testing::Test {
 protected:
  void SetUp() override {
    fake_cuda::reset();
    loaded = *load_driver();
    mark = *load_mark_kernel(loaded);
    const std::int64_t widths[] = {4, 6};
    partitions = std::move(*carve(loaded, 0, widths, Splitting::kFinest));
  }
  void TearDown() override {
    partitions.clear();
    EXPECT_EQ(state().graphs, 0U);
    EXPECT_EQ(state().executables, 0U);
    EXPECT_EQ(state().streams, 0U);
    EXPECT_EQ(state().partitions, 0U);
  }

  Result<std::unique_ptr<PreparedGraph>> make(const UserGraph& source, bool whole = false) {
    const SmPartition all(loaded, 16, &state().whole);
    return PreparedGraph::make(loaded, source, whole ? all : partitions[1], mark, 0);
  }
  std::string refusal(const UserGraph& source) {
    const auto made = make(source);
    return made ? "taken: " + (*made)->how() : made.error().message;
  }

  /// Everything that ran, ran on these SMs.
  static void expect_all_on(int first, int count) {
    EXPECT_FALSE(state().ran.empty());
    for (const fake_cuda::Ran& ran : state().ran) {
      EXPECT_EQ(ran.where.first, first) << static_cast<int>(ran.type) << " " << ran.kernel;
      EXPECT_EQ(ran.where.count, count) << static_cast<int>(ran.type) << " " << ran.kernel;
    }
  }

  Driver loaded;
  Kernel mark = nullptr;
  std::vector<SmPartition> partitions;
};

/// What the network computes by itself.
std::uint64_t right_answer() {
  std::uint64_t sum = 0;
  for (const std::uint64_t factor : {2, 3, 5}) {
    for (std::uint64_t input = 1; input <= 4; ++input) sum = sum * factor + input;
  }
  return sum;
}

TEST_F(InPartition, EveryKernelMemsetAndCopyOfAGraphRunsOnItsSms) {
  Network network;
  FakeGraph graph = network.graph();
  const auto made = make({.graph = &graph});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ((*made)->how(), "3 kernels, 1 memset, 1 copy moved");
  EXPECT_EQ((*made)->sms(), 6);
  ASSERT_FALSE((*made)->launch());
  EXPECT_EQ(network.output, right_answer());
  EXPECT_EQ(state().ran.size(), 7U);  // and two marks
  expect_all_on(4, 6);
}

TEST_F(InPartition, MarksStandBeforeAndBehindEverything) {
  Network network;
  FakeGraph graph = network.graph();
  const auto made = make({.graph = &graph});
  ASSERT_TRUE(made);
  EXPECT_FALSE((*made)->ended());
  for (int run = 0; run < 3; ++run) {
    state().ran.clear();
    network.output = 0;
    ASSERT_FALSE((*made)->launch());
    EXPECT_EQ(state().ran.front().kernel, "mark");
    EXPECT_EQ(state().ran.back().kernel, "mark");
    EXPECT_TRUE((*made)->ended());
    EXPECT_LE((*made)->start().time, (*made)->end().time);
    EXPECT_EQ((*made)->end().sm_and_1, 5U);
    EXPECT_EQ(network.output, right_answer());
  }
}

TEST_F(InPartition, TheOriginalStaysAsItIs) {
  Network network;
  FakeGraph graph = network.graph();
  const auto made = make({.graph = &graph});
  ASSERT_TRUE(made);
  EXPECT_EQ(graph.nodes.size(), 4U);
  EXPECT_EQ(*kernels_outside(loaded, &graph, &state().whole), 0U);
}

TEST_F(InPartition, OnTheWholeGpuNothingIsMoved) {
  Network network;
  FakeGraph graph = network.graph(true);
  const auto made = make({.graph = &graph}, true);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ((*made)->how(), "3 kernels, 1 memset, 1 copy, on the whole GPU");
  ASSERT_FALSE((*made)->launch());
  EXPECT_EQ(network.output, right_answer());
  expect_all_on(0, 16);
}

TEST_F(InPartition, AFunctionIsCapturedThere) {
  Network network;
  const auto made = make({.enqueue = [&](void* stream) { network.enqueue(stream); }});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ((*made)->how(), "captured in the partition: 3 kernels, 1 memset, 1 copy");
  EXPECT_EQ(network.output, 0U) << "captured, not run";
  ASSERT_FALSE((*made)->launch());
  EXPECT_EQ(network.output, right_answer());
  expect_all_on(4, 6);
}

TEST_F(InPartition, KernelsThatCannotBeMovedAreCapturedThere) {
  Network network;
  FakeGraph graph = network.graph(true);
  const auto made =
      make({.graph = &graph, .enqueue = [&](void* stream) { network.enqueue(stream, true); }});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ((*made)->how(), "captured in the partition: 1 of 3 kernels cannot be moved");
  ASSERT_FALSE((*made)->launch());
  EXPECT_EQ(network.output, right_answer());
  expect_all_on(4, 6);
}

TEST_F(InPartition, KernelsThatCannotBeMovedAreRefusedWhereNothingCanBeCaptured) {
  Network network;
  FakeGraph graph = network.graph(true);
  EXPECT_EQ(refusal({.graph = &graph}),
            "1 of 3 kernels cannot be moved into a partition (they have no `kern` handle, as those "
            "of Triton and torch.compile); bind a function that enqueues them instead, which is "
            "captured in the partition");
}

TEST_F(InPartition, AKernelThatTheFunctionPutsElsewhereIsMovedOrRefused) {
  Network network;
  // A stream of another partition, into which the capture has forked.
  const auto elsewhere = [&](void* stream, bool fixed) {
    network.enqueue(stream, fixed);
    static_cast<fake_cuda::FakeStream*>(stream)->captured->nodes[1]->kernel.context =
        partitions[0].context();
  };
  EXPECT_EQ(refusal({.enqueue = [&](void* stream) { elsewhere(stream, false); }}),
            "taken: captured in the partition: 3 kernels, 1 memset, 1 copy");
  EXPECT_EQ(
      refusal({.enqueue = [&](void* stream) { elsewhere(stream, true); }}),
      "1 of its 3 kernels are outside of the partition: the function enqueued them on a stream "
      "of its own");
}

TEST_F(InPartition, NodesThatNoPlanCoversAreRefusedByName) {
  const auto with = [&](NodeType type, bool in_child) {
    Network network;
    FakeGraph graph = network.graph();
    if (in_child) {
      graph.nodes[1]->child->add(type);
    } else {
      graph.add(type);
    }
    return refusal({.graph = &graph});
  };
  for (const bool in_child : {false, true}) {
    EXPECT_EQ(with(NodeType::kWaitEvent, in_child),
              "it waits for an event from outside (an event-wait node), for no known time");
    EXPECT_EQ(with(NodeType::kConditional, in_child),
              "it has a conditional node: what runs is decided on the device, and such a graph "
              "cannot be cloned");
    for (const NodeType type : {NodeType::kAllocate, NodeType::kFree}) {
      EXPECT_EQ(with(type, in_child),
                "it allocates or frees memory (memory nodes), and such a graph cannot be cloned");
    }
    for (const NodeType type : {NodeType::kSignalSemaphore, NodeType::kWaitSemaphore}) {
      EXPECT_EQ(with(type, in_child),
                "it uses an external semaphore, so it waits for others, or they for it");
    }
    EXPECT_EQ(with(NodeType::kBatchMemory, in_child),
              "it has batched memory operations, which can wait for a word in memory");
    EXPECT_EQ(with(static_cast<NodeType>(99), in_child), "it has a node of an unknown type");
    EXPECT_EQ(with(NodeType::kEmpty, in_child), "taken: 3 kernels, 1 memset, 1 copy moved");
    EXPECT_EQ(with(NodeType::kRecordEvent, in_child), "taken: 3 kernels, 1 memset, 1 copy moved");
    EXPECT_EQ(with(NodeType::kHost, in_child),
              "taken: 3 kernels, 1 memset, 1 copy moved; 1 host functions run on a thread of the "
              "driver");
  }
}

TEST_F(InPartition, AnEmptyGraphIsRefused) {
  FakeGraph graph;
  EXPECT_EQ(refusal({.graph = &graph}), "it is empty");
}

TEST_F(InPartition, AFunctionThatThrowsIsReported) {
  EXPECT_EQ(refusal({.enqueue = [](void*) { throw std::runtime_error("no weights"); }}),
            "the function that enqueues it failed: no weights");
  EXPECT_EQ(refusal({.enqueue = [](void*) { throw 7; }}),
            "the function that enqueues it failed: an unknown exception");
}

/// Whatever the driver refuses is one line, and nothing is left behind (`TearDown`).
TEST_F(InPartition, WhatTheDriverRefusesIsReported) {
  Network network;
  FakeGraph graph = network.graph();
  for (const auto& [call, doing] :
       std::map<std::string, std::string>{{"cuGraphClone", "clone a graph"},
                                          {"cuGraphKernelNodeSetParams_v2", "move a kernel"},
                                          {"cuGraphAddMemsetNode", "move a memset"},
                                          {"cuGraphInstantiateWithFlags", "make a graph ready"}}) {
    state().fails = {{call, 801}};
    EXPECT_EQ(refusal({.graph = &graph}), "the GPU cannot " + doing + ": operation not supported");
  }
}

}  // namespace
}  // namespace tactus::runtime::driver
