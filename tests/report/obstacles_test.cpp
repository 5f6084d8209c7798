#include "tactus/report/obstacles.hpp"

#include <gtest/gtest.h>

/// What is missing for which method, in one table.
namespace tactus::report::tests {
namespace {

using Whose = Obstacle::Whose;

Verdict refusal_of(std::string method, std::vector<Obstacle> obstacles) {
  Verdict verdict = Verdict::not_applicable({obstacles.front().reason, {}, std::move(obstacles)});
  verdict.method = std::move(method);
  return verdict;
}

Obstacle core_of(std::string task) { return {"has no core", {}, {"core"}, Whose::kTask, task}; }
Obstacle update() { return {"no update", {}, {"runlist_update"}, Whose::kElement, "gpu"}; }

TEST(ObstacleTable, SaysAllAtOnceWhatToGive) {
  const std::vector<Verdict> verdicts = {
      refusal_of("gcaps.suspend", {core_of("a"), core_of("b"), core_of("c"), update()}),
      refusal_of("mpcp.busy", {core_of("a")})};
  EXPECT_EQ(obstacle_table(verdicts).render({}),
            "to try         the file needs\n"
            "gcaps.suspend  `core` for 3 tasks (a, b, c), `runlist_update` for gpu\n"
            "mpcp.busy      `core` for a\n");
}

TEST(ObstacleTable, NamesThreeOfManyAndTheAlternatives) {
  const auto node = [](std::string name) {
    return Obstacle{"whole GPU only", {}, {"times", "load", "parallelism"}, Whose::kNode, name};
  };
  EXPECT_EQ(
      obstacle_lines(refusal_of("rtgpu", {node("a"), node("b"), node("c"), node("d")})),
      (std::vector<std::string>{"`times`, `load` or `parallelism` for 4 nodes (a, b, c, ...)"}));
}

TEST(ObstacleTable, PutsAWholeFamilyUnderItsWildcard) {
  const std::vector<Verdict> verdicts = {refusal_of("mpcp.suspend", {core_of("a")}),
                                         refusal_of("fmlp.busy", {core_of("a")}),
                                         refusal_of("mpcp.busy", {core_of("a")})};
  EXPECT_EQ(obstacle_table(verdicts).render({}),
            "to try             the file needs\n"
            "mpcp.*, fmlp.busy  `core` for a\n");
}

TEST(ObstacleTable, HasALineForEachChange) {
  const std::vector<Verdict> verdicts = {
      refusal_of("dag.balanced", {{"two tasks use the gpu", {3, 4}}, update(), {"no chain"}})};
  EXPECT_EQ(obstacle_table(verdicts).render({}),
            "to try        the file needs\n"
            "dag.balanced  `runlist_update` for gpu\n"
            "              two tasks use the gpu (line 3, column 4)\n"
            "              no chain\n");
}

TEST(ObstacleTable, CountsWhatItDoesNotShow) {
  Verdict verdict = refusal_of("rtgpu", std::vector<Obstacle>(10, Obstacle{"x"}));
  verdict.more_obstacles = 7;
  const auto lines = obstacle_lines(verdict);
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines.back(), "and 9 more (--json lists them)");
}

TEST(ObstacleTable, IsEmptyWhereEveryMethodApplies) {
  EXPECT_TRUE(obstacle_table(std::vector<Verdict>{Verdict()}).empty());
}

}  // namespace
}  // namespace tactus::report::tests
