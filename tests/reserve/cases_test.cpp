// The cases of the design: sequences of requests and departures, with what must be answered.
#include <gtest/gtest.h>

#include "tactus/base/decimal.hpp"
#include "tactus/base/file.hpp"
#include "tactus/base/json.hpp"
#include "tests/reserve/requests.hpp"

namespace tactus::reserve {
namespace {

using json::Value;

Time time_in(const Value& value) {
  return Time::from_ns(parse_scaled(value.text(), 6, Rounding::kDown)->value);
}
std::string number(const Value& object, std::string_view key) {
  const Value* const found = object.find(key);
  return found == nullptr ? "" : std::string(found->text());
}

tests::Request request_of(const Value& value) {
  tests::Request request{number(value, "name"),
                         number(value, "period"),
                         number(value, "deadline"),
                         number(value, "core"),
                         {}};
  for (const Value& node : value.find("nodes")->items()) {
    request.pieces.push_back({number(node, "cpu"), number(node, "gpu"), number(node, "launch")});
  }
  return request;
}

std::vector<std::string> names_in(const Value& value) {
  std::vector<std::string> names;
  for (const Value& name : value.items()) names.emplace_back(name.text());
  return names;
}

/// The state, compared with a row of what is expected.
void compare(const Controller& controller, const Value& expected) {
  std::vector<std::string> cpu, gpu;
  for (const Controller::Reservation& one : controller.reservations()) {
    cpu.push_back(one.task.name);
    if (!one.cuts.empty()) gpu.push_back(one.task.name);
    // They are rounded to a microsecond; a phase without work counts 1 ns.
    const Time bound = time_in(*expected.find("bounds")->find(one.task.name));
    EXPECT_LE(std::abs((one.values.response - bound).ns()), 500) << one.task.name;
    if (one.cuts.empty()) continue;
    std::vector<std::size_t> cuts;
    for (const Value& limit : expected.find("tr")->find(one.task.name)->items()) {
      cuts.push_back(std::stoul(std::string(limit.text())));
    }
    EXPECT_EQ(one.cuts, cuts) << one.task.name;
  }
  EXPECT_EQ(cpu, names_in(*expected.find("cpu")));
  EXPECT_EQ(gpu, names_in(*expected.find("gpu")));
}

void play(const std::string& name) {
  const auto text = read_text_file(support::source_path("tests/data/reserve/" + name));
  ASSERT_TRUE(text);
  const auto parsed = json::Document::parse(*text);
  const Value& root = std::get<json::Document>(parsed).root();
  const Value& costs = *root.find("costs");
  Rules rules;
  rules.enforced = root.find("enforced")->boolean();
  rules.cpu_trusted = !rules.enforced;
  rules.best_effort = rules.enforced;
  rules.notice = time_in(*root.find("delta"));
  rules.all_places = root.find("search")->text() == "1";
  ASSERT_EQ(root.find("mode")->text(), "suspend");
  Controller controller(tests::platform_of(number(root, "cores"), number(costs, "off"),
                                           number(costs, "on"), number(costs, "st")),
                        rules);
  for (std::size_t k = 0; k < root.find("events")->items().size(); ++k) {
    SCOPED_TRACE(name + ", event " + std::to_string(k));
    const Value& event = root.find("events")->items()[k];
    const Value& expected = root.find("expected")->items()[k];
    const Time at = time_in(*event.find("at"));
    if (const Value* const leaver = event.find("gone")) {
      EXPECT_TRUE(controller.gone(leaver->text(), at, at));
      ASSERT_EQ(controller.phantoms().size(), 1U);
      const Controller::Phantom phantom = controller.phantoms()[0];
      EXPECT_EQ(phantom.until, time_in(*expected.find("phantom_until")));
      for (const auto& [other, values] : phantom.without) {
        EXPECT_EQ(values.response, time_in(*expected.find("bounds_without")->find(other)));
      }
    } else if (event.find("idle") != nullptr) {
      controller.idle(at);
      EXPECT_TRUE(controller.phantoms().empty());
    } else {
      const Answer answer = controller.ask(at, tests::task_of(request_of(*event.find("request"))));
      const bool admitted = expected.find("answer")->text() == "admitted";
      ASSERT_EQ(answer.kind, admitted ? Answer::Kind::kAdmitted : Answer::Kind::kRefused);
      if (admitted) {
        compare(controller, expected);
      } else {
        const Value& retry = *expected.find("retry");
        EXPECT_EQ(answer.again,
                  retry.is(json::Kind::kNull) ? std::nullopt : std::optional(time_in(retry)));
      }
    }
  }
}

TEST(ReserveCases, ThreeAreAdmittedAFourthIsRefusedAndASmallerOneAdmitted) { play("four.json"); }
TEST(ReserveCases, AThresholdAtTheNewcomersPlaceIsTheOnlyChoice) { play("thresholds.json"); }
TEST(ReserveCases, TheRoomOfATaskIsFreeOnlyWhenItsTraceIsGone) { play("trap.json"); }
TEST(ReserveCases, AnIdleInstantFreesItAtOnce) { play("trap-idle.json"); }

TEST(ReserveCases, AnotherCoreIsFoundAmongMoreThanCanBeTried) {
  Rules rules;
  rules.cpu_trusted = true;
  Controller controller(tests::platform_of("2000000000", "0.1", "0.1", "0.1"), rules);
  const auto ask = [&](const std::string& name, const std::string& core, const std::string& cpu,
                       const std::string& gpu) {
    return controller
        .ask(Time(), tests::task_of({name, "10", "", core, {{cpu, "", ""}, {"", gpu, ""}}}))
        .kind;
  };
  EXPECT_EQ(ask("a", "1", "5.2", "0.2"), Answer::Kind::kAdmitted);
  EXPECT_EQ(ask("b", "2", "5.2", "0.2"), Answer::Kind::kAdmitted);
  EXPECT_EQ(ask("c", "1", "5.2", "0.2"), Answer::Kind::kRefused);
  const auto instead = [&](const std::string& gpu) {
    const tests::Request refused{"c", "10", "", "1", {{"5.2", "", ""}, {"", gpu, ""}}};
    return controller.instead_of(tests::task_of(refused)).core;
  };
  EXPECT_EQ(instead("0.2"), 3);
  EXPECT_EQ(instead("9"), std::nullopt);
}

}  // namespace
}  // namespace tactus::reserve
