#include <gtest/gtest.h>

#include "tactus/methods/needs.hpp"
#include "tactus/report/arbiter.hpp"
#include "tactus/report/tiers.hpp"
#include "tests/support/text.hpp"

/// What the arbiter and the tiers cost, as it goes into a system file; and which variant that is.
namespace tactus::report::tests {
namespace {

using support::contains;

/// The costs without blanks.
std::string compact_costs(const arbiter::client::Snapshot& snapshot) {
  std::string json = arbiter_costs(snapshot);
  std::erase_if(json, [](char c) { return c == ' ' || c == '\n'; });
  return json;
}

arbiter::client::Snapshot measured() {
  arbiter::client::Snapshot snapshot{};
  arbiter::Summary& s = snapshot.summary;
  s.update_max_ns = 45'100'000;
  s.prompt_update_max_ns = 1'500'000;
  s.take_off_max_ns = 700'000;
  s.put_back_max_ns = 300'000;
  s.leave_max_ns = 44'000'000;
  return snapshot;
}

TEST(Costs, OfAnArbiterCountTheWaitForALaunchOnceAndAsTheDelay) {
  const std::string json = compact_costs(measured());
  EXPECT_TRUE(
      contains(json, R"("runlist_update":1500,"context_switch":44300,"preemption_delay":44000)"))
      << json;
}

TEST(Costs, OfAnArbiterThatTakesWorkOffHaveNoDelay) {
  arbiter::client::Snapshot snapshot = measured();
  snapshot.summary.leave_max_ns = 0;
  snapshot.summary.prompt_update_max_ns = 0;
  const std::string json = compact_costs(snapshot);
  EXPECT_TRUE(contains(json, R"("runlist_update":1000,"context_switch":1000,"preemption_delay":0)"))
      << json;
}

TEST(Costs, OfAnArbiterForBoostAreThoseOfItsOperations) {
  arbiter::client::Snapshot snapshot{};
  snapshot.summary.rule = arbiter::kRuleBoost;
  EXPECT_EQ(arbiter_costs(snapshot), "");
  snapshot.boost.starts = 9;
  snapshot.boost.start_max_ns = 148'200;
  snapshot.boost.gate_max_ns = 142'000;
  std::string json = arbiter_costs(snapshot);
  EXPECT_FALSE(contains(json, "preempt_cost")) << "what was never seen is not zero: " << json;
  snapshot.boost.offs = snapshot.boost.ons = 3;
  snapshot.boost.off_max_ns = 670'000;
  snapshot.boost.on_max_ns = 380'001;
  json = compact_costs(snapshot);
  EXPECT_TRUE(contains(json, R"("start_cost":148.2,"preempt_cost":670,"resume_cost":522.001)"))
      << json;
}

TEST(Top, ShowsThresholdsAndGatesThatWereOpenedWithoutTheArbiter) {
  arbiter::client::Snapshot snapshot{};
  snapshot.summary.rule = arbiter::kRuleBoost;
  snapshot.boost.forced = 2;
  arbiter::Row row{};
  row.active = 1;
  row.priority = 5;
  row.threshold = 8;
  row.forced = 2;
  snapshot.clients.push_back(row);
  row.threshold = arbiter::Submit::kProtected;
  snapshot.clients.push_back(row);
  const std::string text = arbiter_text(snapshot, {}), json = arbiter_json(snapshot);
  EXPECT_TRUE(contains(text, "2 times a client opened its own gate: no bound covers that."))
      << text;
  EXPECT_TRUE(contains(text, "protected")) << text;
  EXPECT_TRUE(contains(json, R"("threshold": 8)")) << json;
  EXPECT_TRUE(contains(json, R"("protected": true)")) << json;
  EXPECT_TRUE(contains(json, R"("rule": "boost")")) << json;
}

TEST(Costs, OfTiersCanBePastedIntoAFile) {
  arbiter::tiers::TierSurvey survey;
  const auto times = [](std::int64_t us) { return std::vector<Time>{Time::from_us(us)}; };
  survey.tiers = {
      {.name = "channel", .available = true, .take_off = times(700), .put_back = times(300)},
      {.name = "yield",
       .available = true,
       .leaves_by_itself = true,
       .take_off = times(110),
       .put_back = times(70)},
      {.name = "gate", .available = true, .leaves_by_itself = true}};
  const std::string text = tiers_text(survey, {});
  EXPECT_TRUE(
      contains(text, R"("runlist_update": 1, "context_switch": 0.7, "preemption_delay": 0)"))
      << text;
  EXPECT_TRUE(
      contains(text, R"("runlist_update": 0.07, "context_switch": 0.11, "preemption_delay": 0.11)"))
      << text;
  EXPECT_TRUE(contains(text, "preemption_delay is the longest launch of any task")) << text;
}

TEST(Top, NamesTheVariantInForce) {
  arbiter::client::Snapshot snapshot = measured();
  EXPECT_TRUE(contains(arbiter_text(snapshot, {}),
                       "Variant in force: safe-arbiter. The assumption of safe-arbiter holds.\n"));
  EXPECT_TRUE(contains(arbiter_json(snapshot), R"("variant": "safe-arbiter")"));
  snapshot.summary.rule = 1;
  EXPECT_TRUE(contains(arbiter_text(snapshot, {}), "Rule fifo: no variant of gcaps covers it.\n"));
  EXPECT_TRUE(contains(arbiter_json(snapshot), R"("variant": null)"));
}

TEST(Needs, AreThoseOfTheVariant) {
  static constexpr std::string_view kVariants[] = {"safe", "daemon"};
  Method method;
  method.variants = kVariants;
  method.needs = "Preemption. safe: a driver; daemon: a daemon, alone; no copies";
  EXPECT_EQ(needs_of(method, "safe"), "Preemption; a driver; no copies");
  EXPECT_EQ(needs_of(method, "daemon"), "Preemption; a daemon, alone; no copies");
  EXPECT_EQ(needs_of(method, "paper"), "Preemption; no copies");
  method.needs = "a lock";
  EXPECT_EQ(needs_of(method, "safe"), "a lock");
}

}  // namespace
}  // namespace tactus::report::tests
