#include "tactus/decide/shorten.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/decide/advise.hpp"
#include "tactus/decide/slack.hpp"
#include "tactus/generate/recipe.hpp"
#include "tactus/methods/end_to_end.hpp"
#include "tests/support/read.hpp"

namespace tactus::decide {
namespace {

constexpr std::int64_t kMs = 1'000'000;

const Method& method(std::string_view id) { return *find_method(id); }

/// Tasks on a core each: their periods and times in ms, and a chain over all.
System in_a_row(const std::vector<std::pair<int, int>>& tasks, const std::string& limit) {
  std::string list, names;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    list += fmt::format(R"({}{{"name": "t{}", "core": {}, "priority": {}, "period": {}, "nodes":
                          [{{"name": "n", "on": "cpu", "wcet": {}}}]}})",
                        k == 0 ? "" : ",", k, k + 1, 9 - k, tasks[k].first, tasks[k].second);
    names += fmt::format("{}\"t{}\"", k == 0 ? "" : ",", k);
  }
  return support::read(fmt::format(
      R"({{"tactus": 1, "name": "row", "platform": {{"elements": [
           {{"name": "cpu", "kind": "cpu", "units": 8}},
           {{"name": "gpu", "kind": "gpu", "units": 1, "runlist_update": 0.1}}]}},
          "tasks": [{}], "chains": [{{"name": "x", "phases": "fixed", "tasks": [{}]{}}}]}})",
      list, names, limit));
}

Wish only(std::string_view id, const System& system) {
  Wish wish;
  wish.methods = {&method(id)};
  wish.open = left_open(system);
  return wish;
}

/// The largest of the parts is what dominates; they add up to the bound.
TEST(Slack, SaysWhatAChainConsistsOf) {
  System system = in_a_row({{20, 2}, {50, 30}, {10, 1}}, R"(,"reaction": 200)");
  for (const auto phases : {Chain::Phases::kAny, Chain::Phases::kFixed}) {
    system.chains[0].phases = phases;
    const Slack slack = slack_of(method("gcaps.suspend"), system, {});
    const ChainVerdict& chain = slack.verdict.chains.at(0);
    const std::vector<ChainPart> parts = chain_parts(system, slack.verdict, chain);
    Time sum;
    for (const ChainPart& part : parts) sum += part.wait + part.takes;
    EXPECT_EQ(sum, chain.bound);
    ASSERT_EQ(parts.size(), 3U);
    EXPECT_EQ(parts[1].takes.ns(), 30 * kMs);
    EXPECT_EQ(parts[0].wait.ns(), 20 * kMs);
  }
}

TEST(Slack, KnowsThatAPeriodMayGrowOnlyAsFarAsTheChainWaits) {
  System system = in_a_row({{20, 2}, {50, 30}}, R"(,"reaction": 110)");
  system.chains[0].phases = Chain::Phases::kAny;  // 20 + 2 + 50 + 30
  const Slack slack = slack_of(method("gcaps.suspend"), system, {});
  int seen = 0;
  for (const Reach& reach : slack.reaches) {
    if (reach.knob.what != Knob::What::kLongerPeriod) continue;
    ++seen;
    ASSERT_TRUE(reach.holds && reach.fails);
    EXPECT_LE(*reach.holds, reach.now + 8 * kMs);
    EXPECT_GT(*reach.fails, reach.now + 8 * kMs);
    EXPECT_EQ(reach.breaks.chain, 0U);
    EXPECT_FALSE(reach.breaks.task);
  }
  EXPECT_EQ(seen, 2);
  // A chain that is too long can be mended by a shorter period.
  system.chains[0].reaction = Time::from_ns(95 * kMs);
  for (const Reach& reach : slack_of(method("gcaps.suspend"), system, {}).reaches) {
    if (reach.knob.what != Knob::What::kLongerPeriod) continue;
    EXPECT_EQ(*reach.holds <= reach.now - 7 * kMs, reach.holds.has_value());
    EXPECT_TRUE(reach.holds);
  }
}

TEST(Advise, FindsOffsetsWithWhichAChainHolds) {
  const System system = in_a_row({{20, 2}, {20, 3}, {20, 4}}, R"(,"reaction": 30)");
  EXPECT_NE(analyze(method("gcaps.suspend"), system).status, Status::kSchedulable);
  const Wish wish = only("gcaps.suspend", system);
  ASSERT_TRUE(wish.open.offsets);
  const Advice advice = advise(system, wish);
  ASSERT_TRUE(advice.found());
  const Option& best = advice.options.front();
  const Verdict verdict = analyze(*best.method, best.system);
  EXPECT_EQ(verdict.status, Status::kSchedulable);
  EXPECT_LE(*verdict.chains[0].bound, *system.chains[0].reaction);
  EXPECT_TRUE(std::any_of(best.changes.begin(), best.changes.end(),
                          [](const Change& change) { return change.path == "t1.offset"; }));
  // What the file says stays, unless it may be varied.
  System given = system;
  given.tasks[2].offset = Time::from_ns(kMs);
  EXPECT_FALSE(left_open(given).offsets);
  EXPECT_FALSE(advise(given, only("gcaps.suspend", given)).found());
  Wish varied = only("gcaps.suspend", given);
  varied.open.offsets = true;
  EXPECT_TRUE(advise(given, varied).found());
}

/// Of two tasks there is nothing to be found beyond it, of three nothing worse than the file.
TEST(Advise, FindsTheBestOffsetOfAPairAmongAllWholeOnes) {
  for (std::uint64_t index = 0; index < 60; ++index) {
    Random random(7, index);
    std::vector<std::pair<int, int>> tasks;
    const bool pair = index % 3 != 0;
    for (int k = 0; k < (pair ? 2 : 3); ++k) {
      const int period = static_cast<int>(random.integer(2, 12));
      tasks.emplace_back(period, static_cast<int>(random.integer(1, period)));
    }
    System system = in_a_row(tasks, "");
    const Verdict verdict = analyze(method("gcaps.suspend"), system);
    ASSERT_EQ(verdict.status, Status::kSchedulable);
    const auto shorter = with_offsets_for_chains(system, verdict);
    const auto bound = [](const System& asked) {
      return *analyze(method("gcaps.suspend"), asked).chains.at(0).bound;
    };
    const Time found = bound(shorter ? *shorter : system);
    EXPECT_EQ(shorter.has_value(), found < bound(system));
    Time least = Time::max();
    for (int offset = 0; pair && offset < tasks[1].first; ++offset) {
      system.tasks[1].offset = Time::from_ns(offset * kMs);
      least = std::min(least, bound(system));
    }
    if (pair) {
      EXPECT_EQ(found, least) << index;
    }
  }
}

bool gives_thresholds(const System& system) {
  return std::any_of(system.tasks.begin(), system.tasks.end(), [](const Task& task) {
    return std::any_of(task.nodes.begin(), task.nodes.end(),
                       [](const Node& node) { return node.gpu_threshold.has_value(); });
  });
}

/// Where one choice of thresholds proves every deadline, and another one makes a task fast enough for
/// its chain, too.
TEST(Advise, TriesFurtherThresholdsWhereAChainIsTooLong) {
  const Method& boost = method("gcaps.boost.suspend");
  const Recipe& recipe = *find_recipe("boost-small");
  int asked = 0, found = 0;
  for (std::uint64_t index = 0; index < 400 && asked < 20; ++index) {
    auto system = generate(recipe, Settings(recipe.parameters, {}), 11, index);
    if (!system || gives_thresholds(*system)) continue;
    ++system->platform.elements.front().units;  // for the arbiter
    Options never;
    never.settings["thresholds"] = "never";
    const Verdict first = analyze(boost, *system), other = analyze(boost, *system, never);
    if (first.status != Status::kSchedulable || other.status != Status::kSchedulable) continue;
    for (std::size_t k = 0; k < first.tasks.size(); ++k) {
      const Task& task = system->tasks[first.tasks[k].task];
      if (*other.tasks[k].bound >= *first.tasks[k].bound || !task.period) continue;
      Chain& chain = system->chains.emplace_back();
      chain.name = "x";
      chain.tasks = {first.tasks[k].task};
      chain.reaction = *task.period + *other.tasks[k].bound;
      ++asked;
      break;
    }
    if (system->chains.empty()) continue;
    EXPECT_EQ(analyze(boost, *system).status, Status::kUnschedulable);
    const Advice advice = advise(*system, only("gcaps.boost.suspend", *system));
    if (advice.options.empty()) {  // best effort has the last core
      --asked;
      continue;
    }
    if (!advice.found()) continue;
    ++found;
    const Option& best = advice.options.front();
    EXPECT_EQ(analyze(*best.method, best.system).status, Status::kSchedulable);
    EXPECT_TRUE(std::any_of(best.changes.begin(), best.changes.end(), [](const Change& change) {
      return change.path.find("gpu_threshold") != change.path.npos;
    }));
  }
  EXPECT_GE(asked, 10);
  EXPECT_EQ(found, asked);
}

}  // namespace
}  // namespace tactus::decide
