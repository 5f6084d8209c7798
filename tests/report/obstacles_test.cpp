#include "tactus/report/obstacles.hpp"

#include <gtest/gtest.h>

/// What is missing for which method, all at once.
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

/// Without the line above them.
std::string shown(const std::vector<Verdict>& verdicts, Obstacles which) {
  const std::string text = obstacles_text(verdicts, which, {});
  return text.substr(text.find('\n') + 1);
}
std::string all(const std::vector<Verdict>& verdicts) { return shown(verdicts, Obstacles::kAll); }

TEST(ObstaclesText, SaysAllAtOnceWhatToGive) {
  const std::vector<Verdict> verdicts = {
      refusal_of("gcaps.suspend", {core_of("a"), core_of("b"), core_of("c"), update()}),
      refusal_of("mpcp.busy", {core_of("a")})};
  EXPECT_EQ(all(verdicts),
            "  gcaps.suspend: `core` for 3 tasks (a, b, c), `runlist_update` for gpu\n"
            "  mpcp.busy: `core` for a\n");
}

TEST(ObstaclesText, NamesThreeOfManyAndTheAlternatives) {
  const auto node = [](std::string name) {
    return Obstacle{"whole GPU only", {}, {"times", "load", "parallelism"}, Whose::kNode, name};
  };
  EXPECT_EQ(
      obstacle_lines(refusal_of("rtgpu", {node("a"), node("b"), node("c"), node("d")})),
      (std::vector<std::string>{"`times`, `load` or `parallelism` for 4 nodes (a, b, c, ...)"}));
}

TEST(ObstaclesText, PutsAWholeFamilyUnderItsWildcard) {
  const std::vector<Verdict> verdicts = {refusal_of("mpcp.suspend", {core_of("a")}),
                                         refusal_of("fmlp.busy", {core_of("a")}),
                                         refusal_of("mpcp.busy", {core_of("a")})};
  EXPECT_EQ(all(verdicts), "  mpcp.*, fmlp.busy: `core` for a\n");
}

TEST(ObstaclesText, HasALineForEachChange) {
  const std::vector<Verdict> verdicts = {
      refusal_of("dag.balanced", {{"two tasks use the gpu", {3, 4}}, update(), {"no chain"}})};
  EXPECT_EQ(all(verdicts),
            "  dag.balanced:\n"
            "    `runlist_update` for gpu\n"
            "    two tasks use the gpu (line 3, column 4)\n"
            "    no chain\n");
  EXPECT_EQ(shown(verdicts, Obstacles::kFirst),
            "  dag.balanced: `runlist_update` for gpu (and 2 more)\n");
}

TEST(ObstaclesText, CountsWhatItDoesNotShow) {
  Verdict verdict = refusal_of("rtgpu", std::vector<Obstacle>(10, Obstacle{"x"}));
  verdict.more_obstacles = 7;
  const auto lines = obstacle_lines(verdict);
  ASSERT_EQ(lines.size(), 9u);
  EXPECT_EQ(lines.back(), "and 9 more (--json lists them)");
}

TEST(ObstaclesText, PutsWhatCommandsGiveBeforeWhatMustBeMeasuredOrChanged) {
  const Obstacle times{"whole GPU only", {}, {"times"}, Whose::kNode, "net"};
  const std::vector<Verdict> verdicts = {
      refusal_of("dag.graham", {{"two tasks use the gpu"}}), refusal_of("gang.wc", {times}),
      refusal_of("gcaps.suspend", {core_of("a"), core_of("b"), update()}),
      refusal_of("mpcp.busy", {core_of("a"), core_of("b")})};
  const auto ways = [&](std::string_view wanted) {
    const std::string text = obstacles_text(verdicts, Obstacles::kShortest, {}, "r.json", wanted);
    return text.substr(text.find('\n') + 1);
  };
  const std::string mpcp = "  mpcp.busy: `core` for 2 tasks (a, b)\n    tactus advise r.json\n";
  const std::string gcaps =
      "  gcaps.suspend: `core` for 2 tasks (a, b), `runlist_update` for gpu\n"
      "    tactus advise r.json --costs h200/channel\n";
  const std::string gang = "  gang.wc: `times` for net\n";
  EXPECT_EQ(ways(""), mpcp + gcaps + gang);
  EXPECT_EQ(ways("gang.wc"), gang + mpcp + gcaps);  // what the file deploys comes first
}

TEST(ObstaclesText, IsEmptyWhereEveryMethodApplies) {
  EXPECT_EQ(obstacles_text(std::vector<Verdict>{Verdict()}, Obstacles::kAll, {}), "");
}

}  // namespace
}  // namespace tactus::report::tests
