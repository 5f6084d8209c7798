#include <gtest/gtest.h>

#include "tactus/base/file.hpp"
#include "tactus/methods/dag/groups.hpp"
#include "tactus/model/reader.hpp"
#include "tests/methods/dag/sample.hpp"
#include "tests/support/paths.hpp"

/// Figures 1 to 3 of the paper, to the last number.
namespace tactus::dag {
namespace {

const System& example() {
  static const System system =
      *read_system(*read_text_file(support::source_path("examples/dag-example.system.json")))
           .system;
  return system;
}

Verdict analyze_example(std::string_view method, std::string_view variant = kSafe) {
  Options options;
  options.variant = variant;
  return analyze(*find_method(method), example(), options);
}

constexpr Time units(std::int64_t count) { return Time::from_ms(count); }

std::vector<std::string> names(std::span<const NodeIndex> nodes) {
  std::vector<std::string> out;
  for (NodeIndex node : nodes) out.push_back(example().tasks[0].nodes[node].name);
  return out;
}

/// "v2.1 2 2 1": kernel, load, m, C.
std::vector<std::string> shown(const DagPlan& plan, std::uint32_t begin, std::uint32_t end) {
  const Segments segments(7, plan.schedule);
  std::vector<std::string> out;
  for (std::uint32_t k = begin; k < end; ++k) {
    const Kernel& kernel = plan.schedule.kernels[k];
    out.push_back(plan.kernel_name(example(), segments, k) + " " +
                  format_time(kernel.load, TimeUnit::kUnit) + " " + std::to_string(kernel.m) + " " +
                  format_time(kernel.c, TimeUnit::kUnit));
  }
  return out;
}

std::vector<std::string> edges(const DagPlan& plan) {
  const Graph& graph = example().tasks[0].graph;
  const Segments segments(graph.size(), plan.schedule);
  std::vector<std::string> out;
  for (const auto& [from, to] : extra_edges(graph, plan.schedule, segments, plan.ordering)) {
    out.push_back(plan.kernel_name(example(), segments, from) + " " +
                  plan.kernel_name(example(), segments, to));
  }
  std::sort(out.begin(), out.end());
  return out;
}

using Strings = std::vector<std::string>;

TEST(WorkedExample, HasTheAncestorSumsBlocksAndGroupsOfThePaper) {
  const auto made = make_kernel_graph(example());
  const auto& kernels = std::get<KernelGraph>(made);
  const Ancestry ancestry = make_ancestry(kernels);
  const std::vector<Time> wanc = {units(3),  units(7), units(5), units(5),
                                  units(11), units(9), units(22)};
  EXPECT_EQ(ancestry.loads, wanc);

  std::vector<Strings> blocks;
  for (std::size_t i = 0; i < ancestry.blocks.size(); ++i) {
    blocks.push_back(names(ancestry.blocks[i]));
    std::sort(blocks.back().begin(), blocks.back().end());
  }
  EXPECT_EQ(blocks, (std::vector<Strings>{{"v1", "v3", "v4"}, {"v2", "v5", "v6"}, {"v7"}}));

  for (GroupRule rule : {GroupRule::kSomeLarge, GroupRule::kEveryLarge}) {
    const NodeLists groups = make_groups(kernels, ancestry, rule, kernels.sms);
    std::vector<Strings> listed;
    for (std::size_t i = 0; i < groups.size(); ++i) listed.push_back(names(groups[i]));
    EXPECT_EQ(listed, (std::vector<Strings>{{"v1"}, {"v3", "v4"}, {"v5", "v6", "v2"}, {"v7"}}));
  }
}

TEST(WorkedExample, HasTheStepsOfThePaperInBothVariants) {
  for (std::string_view variant : {kSafe, std::string_view("paper")}) {
    SCOPED_TRACE(variant);
    const Verdict verdict = analyze_example("dag.balanced", variant);
    const DagPlan& plan = plan_of(verdict);
    ASSERT_EQ(plan.schedule.steps.size(), 4u);
    const Strings primary[] = {{"v1 3 3 1"},
                               {"v3 2 2 1", "v4 2 2 1"},
                               {"v5 4 2 2", "v6 4 2 2", "v2.2 2 1 2"},
                               {"v7 3 3 1"}};
    const Strings launched[] = {{}, {"v2.1 2 2 1"}, {}, {}};
    const Time r[] = {units(1), units(1), units(2), units(1)};
    const std::int64_t spare[] = {3, 0, 1, 3};
    for (std::size_t j = 0; j < 4; ++j) {
      const Step& step = plan.schedule.steps[j];
      EXPECT_EQ(step.r, r[j]);
      EXPECT_EQ(step.spare, spare[j]);
      EXPECT_EQ(shown(plan, step.begin, step.launched), primary[j]);
      EXPECT_EQ(shown(plan, step.launched, step.end), launched[j]);
    }
    EXPECT_EQ(plan.cuts(example()), 1u);
  }
}

TEST(WorkedExample, HasTheTwoEdgesOfThePaperAndThreeMoreWhenSafe) {
  EXPECT_EQ(edges(plan_of(analyze_example("dag.balanced", "paper"))),
            (Strings{"v2.1 v5", "v3 v2.2"}));
  EXPECT_EQ(edges(plan_of(analyze_example("dag.balanced"))),
            (Strings{"v2.1 v5", "v2.1 v6", "v3 v2.2", "v3 v6", "v4 v2.2"}));
}

TEST(WorkedExample, MeetsItsDeadlineOnlyWithTheBalancedMethod) {
  for (std::string_view variant : {kSafe, std::string_view("paper")}) {
    const Verdict balanced = analyze_example("dag.balanced", variant);
    EXPECT_EQ(balanced.status, Status::kSchedulable);
    EXPECT_EQ(balanced.tasks[0].bound, units(5));
    EXPECT_EQ(balanced.tasks[0].deadline, units(5));
    for (std::string_view method : {"dag.greedy", "dag.greedy-unaware", "dag.graham"}) {
      const Verdict verdict = analyze_example(method, variant);
      EXPECT_EQ(verdict.status, Status::kUnschedulable) << method;
      EXPECT_EQ(verdict.tasks[0].bound, units(7)) << method;
      EXPECT_FALSE(verdict.tasks[0].schedulable);
    }
  }
}

TEST(WorkedExample, ExplainsItsBoundsByTermsThatAddUp) {
  const auto terms = analyze_example("dag.balanced").tasks[0].terms;
  ASSERT_EQ(terms.size(), 4u);
  EXPECT_EQ(terms[2].label, "step 3");
  EXPECT_EQ(terms[2].amount, units(2));
  const auto graham = analyze_example("dag.graham").tasks[0].terms;
  ASSERT_EQ(graham.size(), 2u);
  EXPECT_EQ(graham[0].amount, units(4));
  EXPECT_EQ(graham[1].amount, units(3));
}

TEST(WorkedExample, SaysThatThePrintedBoundIsNotGuaranteed) {
  const auto warns = [](const Verdict& verdict) {
    return std::any_of(verdict.warnings.begin(), verdict.warnings.end(), [](const std::string& w) {
      return w.find("not guaranteed") != std::string::npos;
    });
  };
  EXPECT_TRUE(warns(analyze_example("dag.balanced", "paper")));
  EXPECT_FALSE(warns(analyze_example("dag.balanced")));
  EXPECT_FALSE(warns(analyze_example("dag.greedy", "paper")));
}

}  // namespace
}  // namespace tactus::dag
