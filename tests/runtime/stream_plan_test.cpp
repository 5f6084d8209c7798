#include "tactus/runtime/stream_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/base/random.hpp"
#include "tests/support/scaled.hpp"

/// Graphs on streams, with events between them.
namespace tactus::runtime {
namespace {

using After = std::vector<std::vector<std::uint32_t>>;

std::vector<GraphNode> graph(const After& after) {
  std::vector<GraphNode> nodes;
  for (const auto& before : after) nodes.push_back({Kernel(), before});
  return nodes;
}

/// Streams and waits keep every edge, and a stream adds none of its own.
void expect_keeps(const std::vector<GraphNode>& nodes, const StreamPlan& plan) {
  std::vector<std::uint32_t> tails(plan.leaders.size(), UINT32_MAX);
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const StreamPlan::Node& node = plan.nodes[i];
    const auto waits_for = [](const std::vector<std::uint32_t>& list, std::uint32_t other) {
      return std::find(list.begin(), list.end(), other) != list.end();
    };
    for (const std::uint32_t before : nodes[i].after) {
      const bool same = plan.nodes[before].stream == node.stream;
      EXPECT_TRUE(same || (waits_for(node.waits, before) && plan.nodes[before].records));
    }
    for (const std::uint32_t before : node.waits) EXPECT_TRUE(waits_for(nodes[i].after, before));
    const std::uint32_t tail = tails[node.stream];
    EXPECT_TRUE(tail == UINT32_MAX || waits_for(nodes[i].after, tail)) << tail << " " << i;
    tails[node.stream] = i;
    const bool is_last = std::none_of(nodes.begin(), nodes.end(), [&](const GraphNode& other) {
      return waits_for(other.after, i);
    });
    EXPECT_EQ(node.last, is_last);
    EXPECT_TRUE(!is_last || node.records) << "nobody would see its end";
  }
}

TEST(StreamPlan, OfFigure1HasThreeStreams) {
  // v1 -> {v2, v3, v4}, {v3, v4} -> v5, v4 -> v6, {v2, v5, v6} -> v7
  const auto nodes = graph({{}, {0}, {0}, {0}, {2, 3}, {3}, {1, 4, 5}});
  const auto plan = streams_of(nodes);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->leaders.size(), 3U);
  expect_keeps(nodes, *plan);
}

TEST(StreamPlan, KeepsTheOrderOfRandomGraphs) {
  int streams = 0;
  for (int round = 0; round < support::scaled(500); ++round) {
    Random random(6, static_cast<std::uint64_t>(round));
    std::vector<GraphNode> nodes(static_cast<std::size_t>(random.integer(1, 25)));
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      if (random.chance(0.9)) {
        nodes[i].kernel.emplace();
        nodes[i].kernel->priority = random.chance(0.2) ? 1 : 0;
        nodes[i].kernel->partition = random.chance(0.2) ? 1 : 0;
      }
      for (std::uint32_t before = 0; before < i; ++before) {
        if (random.chance(0.15)) nodes[i].after.push_back(before);
      }
    }
    const auto plan = streams_of(nodes);
    if (!plan) continue;
    expect_keeps(nodes, *plan);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].kernel) continue;
      const auto& leader = nodes[plan->leaders[plan->nodes[i].stream]].kernel;
      ASSERT_TRUE(leader);
      EXPECT_EQ(leader->partition, nodes[i].kernel->partition);
      EXPECT_EQ(leader->priority, nodes[i].kernel->priority);
    }
    streams = std::max(streams, static_cast<int>(plan->leaders.size()));
  }
  EXPECT_GT(streams, 10);
}

TEST(StreamPlan, IsRefusedWhereTheHardwareHasNoQueuesForIt) {
  EXPECT_TRUE(streams_of(graph(After(30))));
  const auto plan = streams_of(graph(After(31)));
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message,
            "this plan needs 31 streams, and a GPU has queues for 30; run it as `planned`");
}

}  // namespace
}  // namespace tactus::runtime
