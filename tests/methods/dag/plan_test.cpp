#include "tactus/methods/dag/dag_plan.hpp"

#include <gtest/gtest.h>

#include "tests/methods/dag/sample.hpp"

/// What a person and an executor see of a plan.
namespace tactus::dag {
namespace {

std::string written(const Sample& sample, std::string_view method, std::string_view variant) {
  const Verdict verdict = analyze_sample(sample, method, variant);
  json::Writer out;
  out.begin_object();
  verdict.plan->write_fields(out, system_of(sample));
  out.end_object();
  return out.take();
}

/// a and b in parallel on three SMs, then c; b is cut because two SMs are spare beside a.
const Sample kSmall = sample_of(3, {1, 3, 1, 1}, {{0, 2}, {2, 3}, {1, 3}});

TEST(PlanFields, AreTheDocumentedOnes) {
  const auto parsed = json::Document::parse(written(kSmall, "dag.balanced", kSafe));
  const json::Value& root = std::get<json::Document>(parsed).root();
  std::vector<std::string> keys;
  for (const json::Member& member : root.members()) keys.emplace_back(member.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"task", "bound", "deadline", "cuts", "steps",
                                            "segments", "edges", "barriers"}));
  const json::Value& step = root.find("steps")->items()[0];
  EXPECT_NE(step.find("r"), nullptr);
  EXPECT_NE(step.find("spare"), nullptr);
  EXPECT_NE(step.find("launched"), nullptr);
  const json::Value& kernel = step.find("primary")->items()[0];
  for (std::string_view key : {"node", "segment", "load", "m", "c"}) {
    EXPECT_NE(kernel.find(key), nullptr) << key;
  }
}

TEST(PlanFields, GiveEveryBarrierAsEdgesAndAsOneEmptyNode) {
  const Sample sample = sample_of(2, {1, 1, 1, 1}, {{0, 2}, {1, 3}});
  const auto parsed = json::Document::parse(written(sample, "dag.balanced", kSafe));
  const json::Value& root = std::get<json::Document>(parsed).root();
  const auto barriers = root.find("barriers")->items();
  ASSERT_EQ(barriers.size(), 1u);
  EXPECT_EQ(barriers[0].find("after")->items().size(), 2u);
  EXPECT_EQ(barriers[0].find("before")->items().size(), 2u);
  const auto edges = root.find("edges")->items();
  ASSERT_EQ(edges.size(), 2u) << "the other two are in the file already";
  EXPECT_EQ(edges[0].find("from")->items()[0].text(), "v1");
  EXPECT_EQ(edges[0].find("to")->items()[0].text(), "v4");
}

TEST(PlanFields, OfGreedyAreAChainAndOfGrahamUnitBlocks) {
  const Sample sample = sample_of(2, {5, 3, 2}, {{0, 2}});
  const auto greedy = json::Document::parse(written(sample, "dag.greedy", kSafe));
  const json::Value& chain = std::get<json::Document>(greedy).root();
  EXPECT_EQ(chain.find("steps")->items().size(), 3u);
  EXPECT_EQ(chain.find("edges")->items().size(), 2u);  // v1 -> v2 -> v3

  const auto graham = json::Document::parse(written(sample, "dag.graham", kSafe));
  const json::Value& blocks = std::get<json::Document>(graham).root();
  ASSERT_EQ(blocks.find("steps")->items().size(), 1u);
  const auto kernels = blocks.find("steps")->items()[0].find("primary")->items();
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].find("m")->text(), "5");
  EXPECT_TRUE(blocks.find("edges")->items().empty());
}

TEST(PlanFields, LeaveOutAnEndlessListOfEdgesThatTheBarriersImply) {
  // 1,001 steps of 32 kernels: more than a million pairs.
  const Sample sample = sample_of(32, std::vector<std::int64_t>(32 * 1001, 1), {});
  const auto parsed = json::Document::parse(written(sample, "dag.balanced", kSafe));
  const json::Value& root = std::get<json::Document>(parsed).root();
  EXPECT_TRUE(root.find("edges")->is(json::Kind::kNull));
  EXPECT_EQ(root.find("barriers")->items().size(), 1000u);
}

TEST(PlanTables, AreOneAStepBetweenSummaryAndEdges) {
  const Verdict verdict = analyze_sample(kSmall, "dag.balanced");
  const auto tables = verdict.plan->tables(system_of(kSmall));
  const std::size_t steps = plan_of(verdict).schedule.steps.size();
  ASSERT_GE(tables.size(), steps + 1);
  EXPECT_EQ(tables[0].rows[0][0], "bound");
  EXPECT_EQ(tables[1].title, "Step 1: r = 1, spare SMs 0");
  EXPECT_EQ(tables[1].header, (std::vector<std::string>{"kernel", "role", "load", "m", "c"}));
  for (const PlanTable& table : tables) {
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.header.size()) << table.title;
  }
}

/// No SM does two things at once, none is beyond the GPU, and the bars cover each kernel's SMs.
TEST(PlanBars, FitTheGpuAndNeverOverlap) {
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const Sample sample = random_sample(index);
    for (std::string_view method : {"dag.balanced", "dag.greedy", "dag.greedy-unaware"}) {
      const Verdict verdict = analyze_sample(sample, method);
      auto bars = verdict.plan->bars(system_of(sample));
      std::sort(bars.begin(), bars.end(), [](const PlanBar& a, const PlanBar& b) {
        return std::pair(a.unit, a.start) < std::pair(b.unit, b.start);
      });
      ASSERT_FALSE(bars.empty());
      for (std::size_t i = 0; i < bars.size(); ++i) {
        ASSERT_LT(bars[i].unit, sample.sms) << describe(sample);
        ASSERT_LE(bars[i].end.ns(), bound_of(verdict));
        if (i > 0 && bars[i - 1].unit == bars[i].unit) {
          ASSERT_LE(bars[i - 1].end, bars[i].start) << describe(sample);
        }
      }
    }
  }
}

TEST(PlanBars, ShowWhereThePrintedMethodUsesSmsThatDoNotExist) {
  const Sample e1 = sample_of(3, {1, 2, 2, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const auto bars = analyze_sample(e1, "dag.balanced", "paper").plan->bars(system_of(e1));
  EXPECT_TRUE(
      std::any_of(bars.begin(), bars.end(), [](const PlanBar& bar) { return bar.unit == 3; }));
}

TEST(PlanBars, AreNotDrawnForGrahamWhichFixesNoSchedule) {
  EXPECT_TRUE(analyze_sample(kSmall, "dag.graham").plan->bars(system_of(kSmall)).empty());
}

TEST(PlanBars, AreNotDrawnByTheBillion) {
  const Sample sample = sample_of(2'000'000'000, {1'000'000'000}, {});
  const Verdict verdict = analyze_sample(sample, "dag.balanced");
  EXPECT_EQ(bound_of(verdict), Sample::kUnit);
  EXPECT_TRUE(verdict.plan->bars(system_of(sample)).empty());
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

TEST(PlanDot, HasAClusterAStepDashedExtraEdgesAndMarkedSegments) {
  const Sample e =
      sample_of(6, {3, 4, 2, 2, 4, 4, 3},
                {{0, 1}, {0, 2}, {0, 3}, {2, 4}, {3, 4}, {3, 5}, {1, 6}, {4, 6}, {5, 6}});
  System system = system_of(e);
  const Verdict verdict = analyze(*find_method("dag.balanced"), system);
  const std::string dot = verdict.plan->dot(system);
  EXPECT_EQ(count(dot, "subgraph cluster_"), 4u);
  EXPECT_EQ(count(dot, "style=dashed"), 5u);
  EXPECT_EQ(count(dot, "peripheries=2"), 2u);
  EXPECT_EQ(count(dot, "v2.1"), 1u);
  EXPECT_EQ(count(dot, "style=bold"), 1u);
  EXPECT_EQ(count(dot, "->"), 9u + 1u + 5u);

  system.tasks[0].nodes[0].name = "a\"b\\";
  const std::string odd = verdict.plan->dot(system);
  EXPECT_NE(odd.find(R"("a\"b\\\nload)"), std::string::npos) << odd;
}

}  // namespace
}  // namespace tactus::dag
