// The JSON of a run follows its schema, whatever part of the record is filled.
#include "tactus/trace/observed_json.hpp"

#include <gtest/gtest.h>

#include "tests/model/schema_validator.hpp"
#include "tests/support/read.hpp"

namespace tactus::trace {
namespace {

json::Document parse(std::string text) {
  auto parsed = json::Document::parse(std::move(text));
  return std::move(std::get<json::Document>(parsed));
}

System one_task() {
  return support::read(R"({"tactus":1,"name":"one","time_unit":"us",
    "platform":{"elements":[{"name":"cpu","kind":"cpu","units":1}]},"tasks":[
    {"name":"a","period":20,"nodes":[{"name":"n","on":"cpu","wcet":1}]},
    {"name":"b","period":20,"nodes":[{"name":"n","on":"cpu","wcet":1}]}],
    "chains":[{"name":"x","tasks":["a","b"]}]})");
}

/// Every part of the record that there is.
Observed everything(const System& system) {
  Observed observed(system);
  observed.method = "m";
  observed.variant = "safe";
  observed.scenario.emplace();
  observed.machine = {"emulator", 4, 2, {"in virtual time"}};
  observed.tasks[0].bound = Time::from_us(9);
  observed.tasks[0].late = {Time::from_ns(1500)};
  observed.tasks[0].releases.emplace();
  observed.tasks[0].process.emplace().tier = "gate";
  observed.tasks[1].took_part = false;
  observed.book({.task = 0, .job = 0, .release = Time(), .begin = Time(), .end = Time::from_us(5)});
  observed.chains.emplace_back().bound = Time::from_us(40);
  ObservedNode node;
  node.label = "n.1";
  node.saw(Time::from_us(2), 1);
  observed.nodes.push_back(node);
  observed.shares.push_back({0, 0, 1, 2});
  observed.batches.emplace();
  observed.batches->overruns.push_back({});
  observed.batches->add({});
  observed.sharing.emplace().updates.emplace();
  observed.busy = {Time::from_us(5)};
  observed.end = Time::from_us(20);
  observed.events = 7;
  observed.cut_short = "it was interrupted";
  observed.notes = {"a note"};
  observed.fail("lost");
  return observed;
}

TEST(ObservedSchema, AcceptsEveryPartOfARecord) {
  const System system = one_task();
  const json::Document schema = parse(observed_schema());
  for (const Observed& observed : {everything(system), Observed(system)}) {
    const json::Document document = parse(observed_json(system, observed));
    EXPECT_EQ(violation(schema.root(), document.root()), std::nullopt);
  }
}

TEST(ObservedSchema, DescribesNoMoreThanIsWritten) {
  const System system = one_task();
  const json::Document schema = parse(observed_schema());
  const json::Document document = parse(observed_json(system, everything(system)));
  for (const json::Member& member : schema.root().find("properties")->members()) {
    EXPECT_NE(document.root().find(member.key), nullptr) << member.key;
  }
  const json::Value& task = document.root().find("tasks")->items()[0];
  const json::Value& of_task =
      *schema.root().find("properties")->find("tasks")->find("items")->find("properties");
  for (const json::Member& member : of_task.members()) {
    EXPECT_NE(task.find(member.key), nullptr) << member.key;
  }
}

TEST(ObservedSchema, NoticesAKeyThatItDoesNotKnow) {
  const json::Document schema = parse(observed_schema());
  std::string text = observed_json(one_task(), Observed(one_task()));
  text.replace(text.find("\"producer\""), 10, "\"maker\"");
  EXPECT_NE(violation(schema.root(), parse(text).root()), std::nullopt);
}

TEST(ObservedJson, WritesTimesInTheUnitOfTheSystem) {
  const System system = one_task();
  const json::Document document = parse(observed_json(system, everything(system)));
  const auto& tasks = document.root().find("tasks")->items();
  ASSERT_EQ(tasks.size(), 1U) << "a task that took no part is left out";
  EXPECT_EQ(tasks[0].find("response")->find("max")->text(), "5");
  EXPECT_EQ(tasks[0].find("late")->find("p99")->text(), "1.5");
  EXPECT_EQ(tasks[0].find("longest_covered")->text(), "5");
  EXPECT_EQ(document.root().find("utilisation")->find("cpu")->text(), "0.25");
}

}  // namespace
}  // namespace tactus::trace
