#include <fmt/core.h>
#include <gtest/gtest.h>

#include "systems.hpp"

/// Section 2, "what is refused": by the reader (malformed), or by the methods (not applicable).
/// Every message names the thing.
namespace tactus::pbs::testing {
namespace {

/// The complaints of the reader about a text that it must refuse.
std::string complaints(const std::string& json) {
  const ReadResult result = read_system(json);
  EXPECT_FALSE(result.system.has_value()) << json;
  std::string all;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    EXPECT_TRUE(diagnostic.at.known()) << diagnostic.message;
    all += diagnostic.message + "\n";
  }
  return all;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) throw std::runtime_error("the test replaces nothing");
  return text.replace(at, what.size(), by);
}

/// The same with a task that is best effort, and so without its deadline.
std::string with_best_effort(const std::string& json, const std::string& name) {
  std::string text = replaced(json, "\"name\": \"" + name + "\"",
                              "\"name\": \"" + name + "\", \"best_effort\": true");
  const std::size_t task = text.find("\"best_effort\"");
  const std::size_t from = text.find("\"deadline\"", task);
  const std::size_t to = text.find("\"offset\"", from);
  return text.erase(from, to - from);
}

const SystemText kTwo = {{{"a", 12, 12, 3}, {"b", 12, 12, 4}}};

SystemText with_batches(const std::string& batches) {
  SystemText text = kTwo;
  text.batches = batches;
  return text;
}

struct Malformed {
  const char* name;
  std::string json;
  std::vector<std::string> mentions;
};

class ReaderRefuses : public ::testing::TestWithParam<Malformed> {};

TEST_P(ReaderRefuses, AndNamesTheThing) {
  const std::string message = complaints(GetParam().json);
  for (const std::string& word : GetParam().mentions) {
    EXPECT_NE(message.find(word), std::string::npos) << message;
  }
}

std::vector<Malformed> malformed() {
  const std::string good = to_json(kTwo);
  const auto batch = [](const std::string& text) { return to_json(with_batches(text)); };
  const auto node = [&](const std::string& text) {
    SystemText changed = kTwo;
    changed.tasks[0].more = text;
    return to_json(changed);
  };
  return {
      {"wrong_version", replaced(good, "\"tactus\": 1", "\"tactus\": 2"), {"version"}},
      {"missing_version", replaced(good, "\"tactus\": 1, ", ""), {"tactus"}},
      {"duplicate_task", replaced(good, "\"b\"", "\"a\""), {"`a`"}},
      {"period_is_text", replaced(good, "\"period\": 12", "\"period\": \"x\""), {"`a`", "period"}},
      {"period_is_zero", replaced(good, "\"period\": 12", "\"period\": 0"), {"`a`", "period"}},
      {"deadline_is_zero",
       replaced(good, "\"deadline\": 12", "\"deadline\": 0"),
       {"`a`", "deadline"}},
      {"negative_wcet", replaced(good, "\"wcet\": 3", "\"wcet\": -3"), {"`a`", "wcet"}},
      {"negative_offset", replaced(good, "\"offset\": 0", "\"offset\": -1"), {"`a`", "offset"}},
      {"unknown_element", replaced(good, "\"on\": \"gpu\"", "\"on\": \"tpu\""), {"`a`", "`tpu`"}},
      {"slowdown_below_one", node(", \"slowdown\": 0.999999999999"), {"`a`", "slowdown"}},
      {"factor_below_one",
       replaced(good, "\"tasks\"", "\"interference\": {\"factor\": 0.5}, \"tasks\""),
       {"interference", "factor"}},
      {"unknown_model",
       replaced(good, "\"tasks\"", "\"interference\": {\"model\": \"magic\"}, \"tasks\""),
       {"interference", "model"}},
      {"none_with_batches",
       replaced(batch("{\"tasks\": [\"a\", \"b\"], \"completion\": 5}"), "\"tasks\"",
                "\"interference\": {\"model\": \"none\"}, \"tasks\""),
       {"none", "batches"}},
      {"no_blocks", node(", \"blocks\": 0, \"threads\": 1"), {"`a`", "blocks"}},
      {"half_a_thread", node(", \"blocks\": 1, \"threads\": 0.5"), {"`a`", "threads"}},
      {"negative_registers", node(", \"registers\": -1"), {"`a`", "registers"}},
      {"negative_shared_memory", node(", \"shared_memory\": -1"), {"`a`", "shared_memory"}},
      {"empty_batch", batch("{\"tasks\": [], \"completion\": 5}"), {"batches[0]"}},
      {"unknown_task_in_batch",
       batch("{\"tasks\": [\"a\", \"z\"], \"completion\": 5}"),
       {"batches[0]", "`z`"}},
      {"repeated_task_in_batch",
       batch("{\"tasks\": [\"a\", \"a\"], \"completion\": 5}"),
       {"batches[0]"}},
      {"neither_completion_nor_forbid", batch("{\"tasks\": [\"a\", \"b\"]}"), {"batches[0]"}},
      {"both_completion_and_forbid",
       batch("{\"tasks\": [\"a\", \"b\"], \"completion\": 5, \"forbid\": true}"),
       {"batches[0]"}},
      {"set_listed_twice",
       batch("{\"tasks\": [\"a\", \"b\"], \"completion\": 5}, "
             "{\"tasks\": [\"b\", \"a\"], \"completion\": 6}"),
       {"batches[1]"}},
      {"order_listed_twice",
       batch("{\"tasks\": [\"a\", \"b\"], \"completion\": 5, \"ordered\": true}, "
             "{\"tasks\": [\"a\", \"b\"], \"forbid\": true, \"ordered\": true}"),
       {"batches[1]"}},
      {"one_forbidden", batch("{\"tasks\": [\"a\"], \"forbid\": true}"), {"batches[0]"}},
      {"one_with_another_wcet", batch("{\"tasks\": [\"a\"], \"completion\": 4}"), {"`a`"}},
      {"completion_below_wcet",
       batch("{\"tasks\": [\"a\", \"b\"], \"completion\": 3}"),
       {"batches[0]", "wcet of task `b`"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Malformed, ReaderRefuses, ::testing::ValuesIn(malformed()),
                         [](const auto& tested) { return tested.param.name; });

TEST(Reader, AcceptsBothOrdersAndABatchOfOneThatAgrees) {
  const System system =
      make(with_batches("{\"tasks\": [\"a\", \"b\"], \"completion\": 5, \"ordered\": true}, "
                        "{\"tasks\": [\"b\", \"a\"], \"completion\": 6, \"ordered\": true}, "
                        "{\"tasks\": [\"a\", \"b\"], \"forbid\": true}, "
                        "{\"tasks\": [\"a\"], \"completion\": 3}"));
  EXPECT_EQ(system.batches.size(), 4u);
}

/// Why a method does not take a system.
std::string refusal(const Method& method, const System& system) {
  const Verdict verdict = run(method, system);
  EXPECT_EQ(verdict.status, Status::kNotApplicable);
  return verdict.reason;
}
void expect_refused(const std::string& json, std::vector<std::string> mentions) {
  const System system = read(json);
  for (const Method* method : {&kGraph, &kEdfSerial, &kEdfParallel}) {
    const std::string reason = refusal(*method, system);
    for (const std::string& word : mentions) {
      EXPECT_NE(reason.find(word), std::string::npos) << method->id << ": " << reason;
    }
  }
}

TEST(NotApplicable, WithoutExactlyOneGpu) {
  const std::string json = to_json(kTwo);
  expect_refused(replaced(json, "\"kind\": \"gpu\"", "\"kind\": \"cpu\""), {"no gpu"});
  expect_refused(replaced(json, "\"elements\": [",
                          "\"elements\": [{\"name\": \"g2\", \"kind\": \"gpu\", \"units\": 1}, "),
                 {"second gpu", "write a file for each GPU"});
}

TEST(NotApplicable, WithoutRealTimeTasks) {
  std::string json = to_json({{{"a", 12, 12, 3}}});
  expect_refused(with_best_effort(json, "a"), {"no real-time task"});
}

TEST(NotApplicable, WithTasksThatAreNotOnePeriodicKernel) {
  const std::string json = to_json(kTwo);
  expect_refused(replaced(json, "\"period\": 12, ", ""), {"`a`", "period"});
  expect_refused(replaced(json, "\"nodes\": [", "\"nodes\": [{\"name\": \"x\", \"on\": \"gpu\"}, "),
                 {"`a`", "`x`", "no time"});
  expect_refused(
      replaced(replaced(json, "\"elements\": [",
                        "\"elements\": [{\"name\": \"cpu\", \"kind\": \"cpu\", \"units\": 1}, "),
               "\"on\": \"gpu\"", "\"on\": \"cpu\""),
      {"`a`", "not on the gpu"});
  expect_refused(replaced(json, ", \"wcet\": 3", ""), {"`a`", "wcet"});
  expect_refused(replaced(json, "\"wcet\": 3", "\"wcet\": 0"), {"`a`", "wcet"});
  expect_refused(replaced(json, "\"wcet\": 3", "\"wcet\": 3, \"launch\": 1"), {"`a`", "launch"});
}

TEST(NotApplicable, WithDeadlinesOutsideThePeriod) {
  SystemText text = kTwo;
  text.tasks[1].deadline = 13;
  expect_refused(to_json(text), {"`b`", "deadline exceeds period"});
  text.tasks[1].deadline = 11;
  text.tasks[1].offset = 2;
  expect_refused(to_json(text), {"`b`", "offset"});
  text.tasks[1].offset = 1;
  EXPECT_TRUE(schedulable(kGraph, make(text)));
}

TEST(NotApplicable, WithABestEffortTaskInABatch) {
  const std::string json = to_json(with_batches("{\"tasks\": [\"a\", \"b\"], \"completion\": 5}"));
  expect_refused(with_best_effort(json, "b"), {"batches[0]", "`b`"});
}

TEST(NotApplicable, WithoutAFactorInTheSlowdownModel) {
  SystemText text = kTwo;
  text.tasks[0].more = ", \"slowdown\": 1.5";
  expect_refused(to_json(text), {"`b`", "slowdown"});
  text.more = ", \"interference\": {\"factor\": 1.2}";
  EXPECT_TRUE(schedulable(kGraph, make(text))) << "the common factor stands in";
}

TEST(NotApplicable, WithIncompleteBlockData) {
  SystemText text = kTwo;
  text.gpu = "\"units\": 2, \"sm\": {\"threads\": 256}";
  text.tasks[0].more = ", \"blocks\": 2, \"threads\": 64";
  expect_refused(to_json(text), {"`b`", "blocks"});
  text.tasks[1].more = ", \"blocks\": 2";
  expect_refused(to_json(text), {"`b`", "blocks"});
  text.tasks[1].more = ", \"blocks\": 2, \"threads\": 512";
  expect_refused(to_json(text), {"`b`", "larger than an SM"});
  text.tasks[1].more = ", \"blocks\": 2, \"threads\": 64, \"shared_memory\": 9";
  text.gpu = "\"units\": 2, \"sm\": {\"threads\": 256, \"shared_memory\": 8}";
  expect_refused(to_json(text), {"`b`", "larger than an SM"});
  text.gpu = "\"units\": 2";
  expect_refused(to_json(text), {"`gpu`", "threads"});
  text.gpu = "\"units\": 2, \"lanes\": 64";
  EXPECT_TRUE(schedulable(kGraph, make(text))) << "lanes stand in for sm.threads";
}

TEST(NotApplicable, WithTooManyJobs) {
  expect_refused(to_json({{{"a", 100'003, 100'003, 1}, {"b", 99'991, 99'991, 1}}}),
                 {"exactly 199994 jobs", "100000"});
  SystemText primes;
  for (const std::int64_t prime : {999'983, 999'979, 999'961, 999'959, 999'953, 999'931, 999'917}) {
    primes.tasks.push_back({fmt::format("t{}", prime), prime, prime, 1});
  }
  expect_refused(to_json(primes), {"more than"});
}

TEST(NotApplicable, WithMoreThan64TasksForTheGraphOnly) {
  SystemText text;
  for (int i = 0; i < 65; ++i) text.tasks.push_back({fmt::format("t{}", i), 100, 100, 1});
  const System system = make(text);
  EXPECT_NE(refusal(kGraph, system).find("65"), std::string::npos);
  EXPECT_TRUE(schedulable(kEdfSerial, system));
  EXPECT_TRUE(schedulable(kEdfParallel, system));
}

TEST(NotApplicable, WithAnOptionThatIsNoNumber) {
  const System system = make(kTwo);
  for (const char* name : {"time-limit", "memory-limit", "state-limit", "margin"}) {
    const Verdict verdict = run(kGraph, system, with({{name, "much"}}));
    EXPECT_EQ(verdict.status, Status::kNotApplicable);
    EXPECT_NE(verdict.reason.find(name), std::string::npos) << verdict.reason;
  }
}

TEST(BestEffort, TasksAreLeftOutWithANote) {
  const std::string json = to_json(kTwo);
  const System system = read(with_best_effort(json, "b"));
  const Verdict verdict = run(kGraph, system);
  EXPECT_EQ(verdict.status, Status::kSchedulable);
  ASSERT_EQ(verdict.warnings.size(), 1u);
  EXPECT_NE(verdict.warnings[0].find("`b`"), std::string::npos);
  EXPECT_EQ(verdict.tasks.size(), 1u);
}

}  // namespace
}  // namespace tactus::pbs::testing
