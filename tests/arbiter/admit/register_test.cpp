// What those who ask for a reservation are told.
#include "tactus/arbiter/admit/register.hpp"

#include <gtest/gtest.h>

#include <fmt/core.h>

#include "tactus/base/json.hpp"
#include "tests/support/read.hpp"

namespace tactus::arbiter::admit {
namespace {

constexpr std::int64_t kMs = 1'000'000;

System platform(const std::string& tasks = "") {
  return support::read(
      R"({"tactus":1,"name":"robot","time_unit":"ms","platform":{"elements":[)"
      R"({"name":"cpu","kind":"cpu","units":4},{"name":"gpu","kind":"gpu","units":1,)"
      R"("preempt_cost":0.67,"resume_cost":0.38,"start_cost":0.15}]},"tasks":[)" +
      tasks + "]}");
}

reserve::Rules rules() {
  reserve::Rules rules;
  rules.cores_shared = false;
  return rules;
}

std::int64_t everybody_lives(pid_t) { return 5; }

class Admission : public testing::Test {
 protected:
  explicit Admission(const System& system = platform(), const Allowance& allowance = {},
                     const reserve::Rules& held = rules())
      : desk(system, held, allowance) {
    EXPECT_EQ(desk.begin(std::nullopt, everybody_lives, now).impossible.value_or(""), "");
  }
  /// @param process also its user, who may not see what others do
  Reply ask(pid_t process, const std::string& request) {
    now += 1'000 * kMs;
    return desk.answer({process, static_cast<uid_t>(process), false, true}, request, now);
  }
  Reply reserve(pid_t process, const std::string& times, const std::string& more = "") {
    return ask(process, R"({"ask":"reserve","name":"p)" + std::to_string(process) + R"(",)" +
                            times + more + "}");
  }

  /// The process does, and the arbiter has demoted what is left of it.
  void ends(pid_t process) {
    desk.process_ended(process, now);
    desk.departures_are_in_force(now);
  }

  std::int64_t now = 0;
  Register desk;
};

/// The three of the file `four.json`, from the lowest to the highest.
const std::string kLidar = R"("period":100,"gpu":18,"launch":1,"cpu":9,"declared":true)";
const std::string kCamera =
    R"("period":"33 ms","gpu":"9ms","launch":"800 us","cpu":2.5,"declared":true)";

TEST_F(Admission, SaysTheBoundTheCoreAndWhoHasTheLeastRoom) {
  const Reply first = reserve(1, kLidar);
  EXPECT_EQ(first.word, "admitted") << first.text;
  EXPECT_TRUE(first.text.starts_with("admitted as p1 on core 1: response at most ")) << first.text;
  const Reply second = reserve(2, kCamera);
  EXPECT_EQ(second.word, "admitted") << second.text;
  EXPECT_NE(second.text.find("on core 2"), std::string::npos) << second.text;
  EXPECT_NE(second.text.find("of 33 ms; least room now: "), std::string::npos) << second.text;
  EXPECT_EQ(desk.book()->terms.size(), 2U);
  const auto book = desk.book();
  const daemon::Terms& camera = book->terms.at(2);
  EXPECT_EQ(camera.process, 2);
  EXPECT_EQ(camera.priority, 0);
  EXPECT_EQ(desk.book()->terms.at(1).priority, -1);
  EXPECT_EQ(camera.segments.at(0).length, 9 * kMs);
  EXPECT_FALSE(camera.undeclared);
}

TEST_F(Admission, OfAProgramThatSaysNothingCountsItsFirstPhaseAsJitter) {
  EXPECT_EQ(reserve(1, R"("period":100,"gpu":18,"launch":1,"cpu":9)").word, "admitted");
  EXPECT_EQ(desk.book()->terms.at(1).undeclared, 10 * kMs);
}

TEST_F(Admission, IsRefusedWithWhoWouldBeLateAndWhatWouldDo) {
  reserve(1, kLidar);
  const Reply refused = reserve(2, R"("period":20,"gpu":17)");
  EXPECT_EQ(refused.word, "refused");
  EXPECT_NE(refused.text.find("could be late, "), std::string::npos) << refused.text;
  EXPECT_NE(refused.text.find("would be admitted with period "), std::string::npos) << refused.text;
  // What is offered holds.
  const auto parsed = json::Document::parse(refused.json);
  const auto* const period = std::get<json::Document>(parsed).root().find("instead_period");
  ASSERT_NE(period, nullptr);
  EXPECT_EQ(reserve(2, fmt::format(R"("period":{},"gpu":17)", period->text())).word, "admitted");
}

std::string many_nodes() {
  std::string nodes;
  for (int k = 0; k < 65; ++k)
    nodes += fmt::format(R"({}{{"name":"n{}","on":"gpu","wcet":1}})", k > 0 ? "," : "", k);
  return R"({"ask":"reserve","task":{"name":"x","period":1000,"nodes":[)" + nodes + "]}}";
}

TEST_F(Admission, AnswersBadRequestsWithOneLine) {
  for (const auto& [request, part] : std::vector<std::pair<std::string, std::string>>{
           {"", "no JSON"},
           {"[]", "a request is a JSON object"},
           {"{}", "`ask` must be"},
           {R"({"ask":"reserve"})", "a reservation needs a `period`"},
           {R"({"ask":"reserve","period":10})", "needs `gpu` or `cpu`"},
           {R"({"ask":"reserve","period":10,"gpu":"5 hours"})", "`gpu` must be a time"},
           {R"({"ask":"reserve","period":10,"gpu":-5})", "`gpu` must be a time"},
           {R"({"ask":"reserve","period":10,"gpu":1,"core":0})", "`core` must be a whole"},
           {R"({"ask":"reserve","period":10,"gpu":1,"core":9})", "core"},
           {R"({"ask":"reserve","period":0,"gpu":1})", "period"},
           {R"({"ask":"reserve","period":10,"gpus":1})", "did you mean `gpu`?"},
           {R"({"ask":"reserve","period":10,"gpu":1,"leaves":false})", "take its GPU work off"},
           {R"({"ask":"reserve","period":9000000000000,"gpu":8000000000000,"cpu":8000000000000})",
            "at most an hour"},
           {R"({"ask":"reserve","period":"9200000000 s","gpu":1})", "at most an hour"},
           {R"({"ask":"reserve","period":10,"gpu":1,"warm_up":"9200000000 s"})", "at most an hour"},
           {R"({"ask":"reserve","period":10,"gpu":1,"bound":"9200000000 s"})", "at most an hour"},
           {many_nodes(), "at most 64 nodes"},
           {R"({"ask":"reserve","task":{"name":"x"}})", "nodes"},
           {R"({"ask":"reserve","task":[]})", "task"},
           {R"({"ask":"reserve","name":"x"})", "no task of this name"},
           {R"({"ask":"release"})", "has no reservation"},
           {R"({"ask":"start","name":"x"})", "no reservation of this name"},
           {R"({"ask":"list","name":"x"})", "unknown here"}}) {
    const Reply reply = ask(3, request);
    EXPECT_EQ(reply.word, "error") << request;
    EXPECT_NE(reply.text.find(part), std::string::npos) << request << ": " << reply.text;
    EXPECT_EQ(reply.text.find('\n'), std::string::npos) << request;
  }
}

TEST_F(Admission, HasOneReservationPerProcessOneCoreEachAndNamesThatDiffer) {
  EXPECT_EQ(reserve(1, kLidar).word, "admitted");
  EXPECT_NE(reserve(1, kCamera).text.find("has a reservation already"), std::string::npos);
  EXPECT_NE(reserve(2, kCamera, R"(,"core":1)").text.find("would share core 1"), std::string::npos);
  EXPECT_NE(ask(2, R"({"ask":"reserve","name":"p1","period":100,"cpu":1})").text.find("this name"),
            std::string::npos);
  const Reply other =
      ask(2, R"({"ask":"reserve","name":"p1","name_may_vary":true,"period":100,"cpu":1})");
  EXPECT_TRUE(other.text.starts_with("admitted as p1-2 on core 2")) << other.text;
}

TEST_F(Admission, WhoseProcessEndsIsCountedForAWhile) {
  reserve(1, kLidar);
  reserve(2, kCamera);
  ends(2);
  EXPECT_EQ(desk.book()->terms.size(), 1U);
  EXPECT_TRUE(desk.book()->relied_on);
  const auto next = desk.next_change();
  ASSERT_TRUE(next);
  EXPECT_FALSE(desk.book()->terms.at(1).falls.empty()) << "new jobs are held to less";
  EXPECT_TRUE(desk.settle(*next));
  EXPECT_TRUE(desk.book()->terms.at(1).falls.empty());
  EXPECT_EQ(desk.book()->terms.at(1).priority, 0);
  ends(1);
  desk.settle(now + 10'000 * kMs);
  EXPECT_FALSE(desk.book()->relied_on);
}

TEST_F(Admission, CountsWhoLeavesUntilTheArbiterHasDemotedIt) {
  reserve(1, kCamera);
  desk.process_ended(1, now);
  EXPECT_TRUE(desk.book()->terms.empty());
  EXPECT_TRUE(desk.somebody_leaves());
  now += 5'000 * kMs;
  desk.settle(now);
  EXPECT_TRUE(desk.book()->relied_on) << "its segment may still be on";
  desk.departures_are_in_force(now);
  EXPECT_TRUE(desk.phantoms().empty() || desk.phantoms()[0].until > Time::from_ns(now));
}

TEST_F(Admission, OfAProgramThatIsStartedAgainHasItsPlaceAtOnce) {
  const std::string camera =
      R"({"ask":"reserve","name":"camera","period":20,"gpu":12,"cpu":1,"declared":true})";
  const auto asks = [&](pid_t process, const std::string& text) {
    return desk.answer({process, 1, false, true}, text, now);
  };
  EXPECT_EQ(reserve(5, R"("period":400,"gpu":20,"core":4,"declared":true)").word, "admitted");
  EXPECT_EQ(asks(1, camera).word, "admitted");
  ends(1);
  const Reply other = asks(
      2, R"({"ask":"reserve","name":"camera","period":20,"gpu":11.9,"cpu":1,"declared":true})");
  EXPECT_EQ(other.word, "later") << other.text;
  const Reply again = asks(2, camera);
  EXPECT_EQ(again.word, "admitted") << again.text;
  EXPECT_NE(again.json.find("\"terms\""), std::string::npos) << again.json;
  EXPECT_TRUE(desk.phantoms().empty());
  const auto book = desk.book();
  EXPECT_GE(book->terms.at(3).first, now + 20 * kMs) << "a period after its last job, at least";
  EXPECT_EQ(book->terms.at(3).process, 2);
}

TEST_F(Admission, OfAProgramThatIsStartedAgainHasNoCoreThatWasGivenAway) {
  EXPECT_EQ(reserve(1, kCamera, R"(,"core":2)").word, "admitted");
  ends(1);
  EXPECT_EQ(
      desk.answer({2, 2, false, true}, R"({"ask":"reserve","period":1000,"cpu":1,"core":2})", now)
          .word,
      "admitted");
  const Reply again = desk.answer(
      {1, 1, false, true}, R"({"ask":"reserve","name":"p1",)" + kCamera + R"(,"core":2})", now);
  EXPECT_NE(again.text.find("would share core 2"), std::string::npos) << again.text;
}

TEST_F(Admission, KeepsTheBoundThatWasAskedForWhoeverComesLater) {
  const auto bound_of_first = [&] {
    const auto parsed = json::Document::parse(ask(1, R"({"ask":"list"})").json);
    for (const json::Value& one :
         std::get<json::Document>(parsed).root().find("reservations")->items()) {
      if (one.find("task")->text() == "p1")
        return parse_scaled(one.find("bound")->text(), 6, Rounding::kUp)->value;
    }
    return std::int64_t{0};
  };
  EXPECT_EQ(reserve(1, kLidar, R"(,"bound":10)").word, "refused");
  EXPECT_EQ(reserve(1, kLidar, R"(,"bound":35)").word, "admitted");
  EXPECT_LE(bound_of_first(), 35 * kMs);
  const Reply second = reserve(2, kCamera);
  EXPECT_EQ(second.word, "refused") << "it would need 40 ms beside it";
  EXPECT_NE(second.text.find("task could be late, 40.84 of 35.72 ms"), std::string::npos)
      << second.text;
  EXPECT_LE(bound_of_first(), 35 * kMs);
}

TEST_F(Admission, WhoIsInTheMiddleOfAJobIsNotHeldToItsBeginning) {
  const std::string two =
      R"("task":{"name":"two","period":100,"core":1,"nodes":[{"name":"a","on":"gpu","wcet":5},)"
      R"({"name":"b","on":"cpu","wcet":3},{"name":"c","on":"gpu","wcet":5}]})";
  EXPECT_EQ(ask(1, R"({"ask":"reserve",)" + two + "}").word, "admitted");
  EXPECT_FALSE(desk.book()->terms.at(1).pause) << "it has not begun to work";
  const std::string state = desk.state(everybody_lives);
  Register next(platform(), rules(), {});
  EXPECT_EQ(next.begin(state, everybody_lives, now).forgotten.value_or(""), "");
  EXPECT_EQ(next.book()->terms.at(1).pause, 3 * kMs);
  ends(1);
  now += 10'000 * kMs;
  EXPECT_EQ(ask(2, R"({"ask":"reserve","warm_up":"2s",)" + two + "}").word, "admitted");
  EXPECT_EQ(desk.book()->terms.at(2).pause, 3 * kMs);
}

class Trusting : public Admission {
 protected:
  static reserve::Rules trusting() {
    reserve::Rules rules;
    rules.cores_shared = rules.cpu_trusted = true;
    return rules;
  }
  Trusting() : Admission(platform(), {}, trusting()) {}
};

TEST_F(Trusting, ReservationsShareACoreAndTheAnswerSaysWhoIsTrusted) {
  const std::string on_one = R"(,"core":1)";
  EXPECT_EQ(reserve(1, kCamera, on_one).text.find("trusts"), std::string::npos);
  const Reply second = reserve(2, kLidar, on_one);
  EXPECT_EQ(second.word, "admitted") << second.text;
  EXPECT_NE(second.text.find("; trusts another user's task on core 1"), std::string::npos)
      << second.text;
  EXPECT_NE(second.json.find("\"trusts\""), std::string::npos);
  EXPECT_EQ(desk.by_core().at(1), (std::vector<pid_t>{1, 2})) << "the most urgent first";
  const Reply third = reserve(3, R"("period":500,"gpu":1,"core":1)");
  EXPECT_NE(third.text.find("must say when each job arrives"), std::string::npos) << third.text;
  EXPECT_EQ(reserve(3, R"("period":500,"gpu":1,"core":2)").word, "admitted");
  const Reply fourth = reserve(4, R"("period":500,"gpu":1,"core":2,"declared":true)");
  EXPECT_NE(fourth.text.find("does not say when its jobs arrive"), std::string::npos)
      << fourth.text;
}

TEST_F(Admission, WhatFailsOnlyBecauseOfWhoIsGoneIsAdmittedLater) {
  const std::string half = R"("period":20,"gpu":9,"declared":true)";
  EXPECT_EQ(reserve(1, half).word, "admitted");
  ends(1);
  const Asker asker = {2, 2, false, true};
  const std::string request =
      R"({"ask":"reserve","name":"x","declared":true,"period":20,"gpu":12})";
  const Reply before = desk.answer(asker, request, now);
  EXPECT_EQ(before.word, "later") << before.text;
  EXPECT_NE(before.json.find("\"again_ns\""), std::string::npos) << before.json;
  ASSERT_TRUE(desk.next_change());
  EXPECT_EQ(desk.answer(asker, request, *desk.next_change()).word, "admitted");
}

TEST_F(Admission, TellsNamesOnlyToTheSameUser) {
  reserve(1, kLidar);
  const Reply own = ask(1, R"({"ask":"list"})"), other = ask(2, R"({"ask":"list"})");
  EXPECT_NE(own.text.find("p1 "), std::string::npos) << own.text;
  EXPECT_EQ(other.text.find("p1 "), std::string::npos) << other.text;
  EXPECT_NE(other.text.find("another user's task"), std::string::npos) << other.text;
  EXPECT_EQ(other.json.find("p1"), std::string::npos);
  EXPECT_EQ(ask(2, R"({"ask":"dump"})").json.find("p1"), std::string::npos);
  EXPECT_NE(ask(2, R"({"ask":"start","name":"p1"})").word, "done");
}

TEST_F(Admission, IsBestEffortUntilItsStartUpIsOver) {
  reserve(1, kLidar, R"(,"until_started":true)");
  EXPECT_FALSE(desk.book()->terms.at(1).begun);
  EXPECT_EQ(ask(1, R"({"ask":"start","name":"p1"})").word, "done");
  EXPECT_TRUE(desk.book()->terms.at(1).begun);
  reserve(2, kCamera, R"(,"warm_up":"20 s")");
  EXPECT_FALSE(desk.book()->terms.at(2).begun);
  EXPECT_EQ(desk.next_change(), now + 20'000 * kMs);
  EXPECT_TRUE(desk.settle(now + 20'000 * kMs));
  EXPECT_TRUE(desk.book()->terms.at(2).begun);
}

TEST_F(Admission, DumpsASystemThatIsProvedOnceMore) {
  reserve(1, kLidar);
  reserve(2, kCamera);
  const System system = support::read(ask(1, R"({"ask":"dump"})").json);
  ASSERT_EQ(system.tasks.size(), 2U);
  EXPECT_EQ(system.tasks[0].priority, 2);
  EXPECT_EQ(system.tasks[1].nodes.back().gpu_threshold, 1) << "the camera takes the lidar off";
}

class Limited : public Admission {
 protected:
  static Allowance some() {
    Allowance allowance;
    allowance.share_thousandths[1] = 300;
    allowance.share_of_others = 100;
    allowance.reservations = 1;
    allowance.per_second = 1;
    allowance.at_once = 3;
    return allowance;
  }
  Limited() : Admission(platform(), some()) {}
};

TEST_F(Limited, UsersHaveAShareAndMayNotAskAllTheTime) {
  EXPECT_EQ(reserve(1, R"("period":100,"gpu":30)").word, "admitted");
  EXPECT_NE(reserve(2, R"("period":100,"gpu":11)").text.find("may reserve 10 %"),
            std::string::npos);
  EXPECT_EQ(reserve(2, R"("period":100,"gpu":10)").word, "admitted");
  const Asker asker = {3, 2, false, true};
  const std::string request = R"({"ask":"reserve","period":100,"cpu":1})";
  EXPECT_NE(desk.answer(asker, request, now).text.find("may not have more"), std::string::npos);
  std::string said;
  for (int k = 0; k < 5; ++k) said = desk.answer(asker, request, now).text;
  EXPECT_EQ(said, "too many requests: try again later");
  EXPECT_NE(ask(1, R"({"ask":"list"})").word, "error") << "others may";
}

const std::string kKept =
    R"({"name":"lidar","period":100,"core":1,"nodes":[{"name":"g","on":"gpu","wcet":18}]})";

class Kept : public Admission {
 protected:
  Kept() : Admission(platform(kKept)) {}
};

TEST_F(Kept, TasksOfTheFileAreThereAndAreTakenUpByName) {
  EXPECT_EQ(desk.book()->terms.at(1).process, 0);
  EXPECT_TRUE(desk.book()->relied_on);
  const Asker own = {7, 0, true, true};
  EXPECT_EQ(desk.answer(own, R"({"ask":"reserve","name":"lidar"})", now).word, "admitted");
  EXPECT_EQ(desk.book()->terms.at(1).process, 7);
  EXPECT_NE(desk.answer({8, 0, true, true}, R"({"ask":"reserve","name":"lidar"})", now)
                .text.find("another process"),
            std::string::npos);
  ends(7);
  EXPECT_EQ(desk.book()->terms.at(1).process, 0);
  EXPECT_EQ(desk.answer({8, 0, true, true}, R"({"ask":"reserve","name":"lidar"})", now).word,
            "admitted");
}

TEST_F(Admission, OutlivesTheArbiterWhereTheProcessDoes) {
  reserve(1, kLidar);
  reserve(2, kCamera);
  reserve(3, R"("period":200,"cpu":5)");
  ends(3);
  const std::string state = desk.state(everybody_lives);
  Register next(platform(), rules(), {});
  const auto beginning = next.begin(
      state, [](pid_t process) { return process == 2 ? 6 : 5; }, now);
  EXPECT_EQ(beginning.forgotten.value_or(""), "");
  EXPECT_EQ(next.owners(), std::vector<pid_t>{1}) << "the number of the other is another's";
  EXPECT_EQ(next.book()->terms.at(1).priority, desk.book()->terms.at(1).priority);
  EXPECT_EQ(next.book()->terms.at(1).segments.at(0).completion,
            desk.book()->terms.at(1).segments.at(0).completion);
  next.settle(now + 10'000 * kMs);
  EXPECT_EQ(next.book()->terms.at(1).priority, 0);
}

TEST_F(Admission, OfADamagedStateNothingIsTaken) {
  reserve(1, kLidar);
  reserve(2, kCamera);
  const std::string state = desk.state(everybody_lives);
  const auto forgets = [&](const std::string& text, const System& system = platform()) {
    Register next(system, rules(), {});
    const auto beginning = next.begin(text, everybody_lives, now);
    EXPECT_EQ(beginning.impossible.value_or(""), "") << text;
    if (beginning.forgotten) {
      EXPECT_TRUE(next.owners().empty()) << text;
    }
    return beginning.forgotten.has_value();
  };
  EXPECT_FALSE(forgets(state));
  EXPECT_TRUE(forgets(""));
  EXPECT_TRUE(forgets("[]"));
  EXPECT_TRUE(forgets("{}"));
  EXPECT_TRUE(forgets(state, platform(kKept))) << "the file has another task";
  for (std::size_t cut = 0; cut + 1 < state.size(); cut += 7)
    EXPECT_TRUE(forgets(state.substr(0, cut)));
  // Whatever stands at a place: it is taken and proved, or it is not taken.
  for (std::size_t at = 0; at < state.size(); at += 3) {
    std::string changed = state;
    changed[at] = changed[at] == '9' ? '1' : '9';
    forgets(changed);
  }
}

}  // namespace
}  // namespace tactus::arbiter::admit
