// The engine believes no policy: each of these breaks one rule, and is stopped at once.
#include <gtest/gtest.h>

#include <functional>

#include "tests/simulate/support.hpp"

namespace tactus::simulate {
namespace {

/// A job of `works` works on the first element, each of length 2 ms; who runs is up to the test.
class Rogue final : public Policy {
 public:
  using Chooser = std::function<void(const View&, Choice&)>;
  Rogue(int works, std::uint32_t width, bool in_a_row, Chooser chooser)
      : works_(works), width_(width), in_a_row_(in_a_row), chooser_(std::move(chooser)) {}

  void expand(const View&, TaskIndex, Job& job) override {
    for (int i = 0; i < works_; ++i) {
      Work work;
      work.remaining = Time::from_ms(2);
      work.width = width_;
      work.preemptible = false;
      const std::uint32_t index = job.add(work);
      if (in_a_row_ && index > 0) job.precede(index - 1, index);
    }
  }
  void choose(const View& view, Choice& choice) override { chooser_(view, choice); }
  std::string_view audit(const View&, const Choice& choice) const override {
    return choice.runs.empty() ? "nobody runs" : "";
  }

 private:
  int works_;
  std::uint32_t width_;
  bool in_a_row_;
  Chooser chooser_;
};

/// What the engine says of one job on four cores, woken after a millisecond.
std::string rule_broken_by(Rogue policy, bool audit = false) {
  const System system = read(R"({"tactus":1,"name":"x","time_unit":"ms","platform":{"elements":[
      {"name":"cpu","kind":"cpu","units":4}]},
      "tasks":[{"name":"t","period":100,"nodes":[{"name":"n","on":"cpu","wcet":2}]}]})");
  Until until;
  until.jobs = 1;
  until.audit = audit;
  return run(system, policy, trace::Scenario{}, until).broken_rule;
}

bool first(const View& view) { return view.now() == Time(); }

TEST(EngineRules, LetAnHonestPolicyPass) {
  EXPECT_EQ(rule_broken_by({2, 1, false,
                            [](const View& view, Choice& choice) {
                              for (const WorkId id : view.ready()) choice.run(id, id.index);
                            }}),
            "");
}

TEST(EngineRules, KeepPrecedence) {
  EXPECT_EQ(rule_broken_by({2, 1, true,
                            [](const View&, Choice& choice) {
                              choice.run({0, 1}, 0);
                            }}),
            "at 0 ns task `t`, node `n` is not ready, but chosen");
}

TEST(EngineRules, KeepWorksFromRunningTwiceAtOnce) {
  EXPECT_EQ(rule_broken_by({1, 1, false,
                            [](const View&, Choice& choice) {
                              choice.run({0, 0}, 0);
                              choice.run({0, 0}, 1);
                            }}),
            "at 0 ns task `t`, node `n` is chosen twice");
}

TEST(EngineRules, KeepTwoWorksFromOneUnit) {
  for (const std::uint32_t width : {1U, 2U}) {
    EXPECT_EQ(rule_broken_by({2, width, false,
                              [](const View&, Choice& choice) {
                                choice.run({0, 0}, 1);
                                choice.run({0, 1}, 1);
                              }}),
              "at 0 ns element `cpu` is used beyond its capacity");
  }
}

TEST(EngineRules, KeepElementsToTheirUnits) {
  EXPECT_EQ(rule_broken_by({2, 3, false,
                            [](const View&, Choice& choice) {
                              choice.run({0, 0}, 0);
                              choice.run({0, 1}, 3);
                            }}),
            "at 0 ns element `cpu` is used beyond its capacity");
  EXPECT_EQ(rule_broken_by({1, 1, false,
                            [](const View&, Choice& choice) {
                              choice.run({0, 0}, 4);
                            }}),
            "at 0 ns task `t`, node `n` is on no such unit");
}

TEST(EngineRules, KeepWhatIsNotPreemptibleWhereItIs) {
  EXPECT_EQ(rule_broken_by({1, 1, false,
                            [](const View& view, Choice& choice) {
                              if (first(view)) choice.run({0, 0}, 0);
                              choice.wake_at(view.now() + Time::from_ms(1));
                            }}),
            "at 1000000 ns task `t`, node `n` is preempted, but must not be");
  EXPECT_EQ(rule_broken_by({1, 1, false,
                            [](const View& view, Choice& choice) {
                              choice.run({0, 0}, first(view) ? 0 : 1);
                              choice.wake_at(view.now() + Time::from_ms(1));
                            }}),
            "at 1000000 ns task `t`, node `n` is moved, but not preemptible");
}

TEST(EngineRules, KeepTheLengthOfWhatHasStarted) {
  EXPECT_EQ(rule_broken_by({1, 1, false,
                            [](const View& view, Choice& choice) {
                              if (!first(view)) choice.resize({0, 0}, Time::from_ms(9));
                              choice.run({0, 0}, 0);
                              choice.wake_at(view.now() + Time::from_ms(1));
                            }}),
            "at 1000000 ns task `t`, node `n` is given another length after its start");
}

TEST(EngineRules, AskThePolicyForItsOwnWhenARunIsAudited) {
  const Rogue lazy(1, 1, false, [](const View& view, Choice& choice) {
    if (first(view)) {
      choice.wake_at(Time::from_ms(1));
    } else if (!view.ready().empty()) {
      choice.run({0, 0}, 0);
    }
  });
  EXPECT_EQ(rule_broken_by(lazy), "");
  EXPECT_EQ(rule_broken_by(lazy, true), "at 0 ns nobody runs");
}

}  // namespace
}  // namespace tactus::simulate
