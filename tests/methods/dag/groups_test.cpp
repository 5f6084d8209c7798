#include "tactus/methods/dag/groups.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/methods/dag/slow.hpp"

/// The facts about blocks and groups that docs/use/methods/dag.md states.
namespace tactus::dag {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::vector<std::size_t> place_in(const NodeLists& lists, NodeIndex size) {
  std::vector<std::size_t> place(size, kNone);
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (NodeIndex node : lists[i]) {
      EXPECT_EQ(place[node], kNone) << "a node is in two lists";
      place[node] = i;
    }
  }
  return place;
}

/// Calls `check(kernels, ancestry)` for many random graphs.
template <typename Check>
void for_many(Check check) {
  for (std::uint64_t index = 0; index < sweep(20'000); ++index) {
    const Sample sample = random_sample(index);
    const System system = system_of(sample);
    const auto made = make_kernel_graph(system);
    const auto& kernels = std::get<KernelGraph>(made);
    check(kernels, make_ancestry(kernels));
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << describe(sample);
      return;
    }
  }
}

TEST(Blocks, HoldEveryNodeOnceAndNoEdgeLeadsBack) {
  for_many([](const KernelGraph& kernels, const Ancestry& ancestry) {
    const auto block = place_in(ancestry.blocks, kernels.size());
    for (NodeIndex node = 0; node < kernels.size(); ++node) EXPECT_NE(block[node], kNone);
    for (const auto& [from, to] : kernels.graph->edges()) EXPECT_LE(block[from], block[to]);
  });
}

TEST(Blocks, AreForestsOfOutTrees) {
  for_many([](const KernelGraph& kernels, const Ancestry& ancestry) {
    const auto block = place_in(ancestry.blocks, kernels.size());
    for (NodeIndex node = 0; node < kernels.size(); ++node) {
      int inside = 0;
      for (NodeIndex before : kernels.graph->predecessors(node)) {
        inside += block[before] == block[node] ? 1 : 0;
      }
      EXPECT_LE(inside, 1);
    }
  });
}

TEST(Blocks, NeverHoldTheJoinNodeTheyLeadTo) {
  for_many([](const KernelGraph& kernels, const Ancestry& ancestry) {
    const auto block = place_in(ancestry.blocks, kernels.size());
    for (NodeIndex node = 0; node < kernels.size(); ++node) {
      const auto before = kernels.graph->predecessors(node);
      if (before.size() < 2) continue;
      // The block that theta closes holds the last of its ancestors to be placed.
      for (NodeIndex p : before) EXPECT_LT(block[p], block[node]);
    }
  });
}

TEST(Groups, AreInTopologicalOrderAndNoWiderThanTheGpu) {
  for_many([](const KernelGraph& kernels, const Ancestry& ancestry) {
    for (GroupRule rule : {GroupRule::kSomeLarge, GroupRule::kEveryLarge}) {
      for (std::int64_t cap : {kernels.sms, std::min<std::int64_t>(2, kernels.sms)}) {
        const NodeLists groups = make_groups(kernels, ancestry, rule, cap);
        const auto group = place_in(groups, kernels.size());
        for (std::size_t i = 0; i < groups.size(); ++i) {
          EXPECT_LE(static_cast<std::int64_t>(groups[i].size()), cap);
        }
        for (const auto& [from, to] : kernels.graph->edges()) EXPECT_LT(group[from], group[to]);
      }
    }
  });
}

/// More columns than one sweep takes, against sets.
TEST(AncestorLoads, AreExactOnGraphsOfSeveralColumnBlocks) {
  for (std::uint64_t index = 0; index < 4; ++index) {
    Random random(5, index);
    const NodeIndex n = 1500;
    std::vector<Edge> edges;
    for (NodeIndex to = 1; to < n; ++to) {
      std::set<NodeIndex> before;
      for (std::int64_t k = random.integer(0, 3); k > 0; --k) {
        before.insert(static_cast<NodeIndex>(random.integer(0, to - 1)));
      }
      for (NodeIndex from : before) edges.emplace_back(n - 1 - from, n - 1 - to);
    }
    Sample sample{8, Sample::kUnit, {}, edges};
    for (NodeIndex v = 0; v < n; ++v) sample.loads.push_back(random.integer(1, 1'000'000'000));
    const System system = system_of(sample);
    const auto made = make_kernel_graph(system);
    const Ancestry ancestry = make_ancestry(std::get<KernelGraph>(made));

    std::vector<std::set<NodeIndex>> ancestors(n);
    for (NodeIndex v = n; v-- > 0;) {  // here every edge leads to a smaller number
      for (NodeIndex before : system.tasks[0].graph.predecessors(v)) {
        ancestors[v].insert(before);
        ancestors[v].insert(ancestors[before].begin(), ancestors[before].end());
      }
      std::int64_t sum = sample.loads[v];
      for (NodeIndex u : ancestors[v]) sum += sample.loads[u];
      ASSERT_EQ(ancestry.loads[v].ns(), sum) << v;
    }
  }
}

}  // namespace
}  // namespace tactus::dag
