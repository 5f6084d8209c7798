#include <gtest/gtest.h>

#include "tests/model/marked_text.hpp"

/// Attributes that nothing reads where they stand are told, one line each, at their place.
namespace tactus {
namespace {

struct Case {
  std::string text;  ///< with a mark where the warning points at
  std::string warning;
};

std::string task(const std::string& members) {
  return with_task(members + R"(, "nodes": [{"name": "n", "on": "gpu", "wcet": 1}])");
}

const std::vector<Case> kCases = {
    {task(R"("best_effort": true, "deadline": @5)"),
     "task `t`: `deadline` has no effect: the task is best effort"},
    {task(R"("best_effort": true, "period": 5, "deadline": @5)"),
     "task `t`: `deadline` has no effect: the task is best effort"},
    {task(R"("best_effort": true, "priority": @5)"),
     "task `t`: `priority` has no effect: the task is best effort"},
    {task(R"("best_effort": true, "gpu_priority": @5)"),
     "task `t`: `gpu_priority` has no effect: the task is best effort"},
    {with_task(
         R"("best_effort": true, "nodes": [{"name": "n", "on": "gpu", "wcet": 1, "gpu_threshold": @3}])"),
     "task `t`: node `n`: `gpu_threshold` has no effect: the task is best effort"},
    {with_task(R"("nodes": [{"name": "n", "on": "cpu", "wcet": 1, "gpu_threshold": @3}])"),
     "task `t`: node `n`: `gpu_threshold` has no effect: the node is on a cpu"},
    {with_task(R"("nodes": [{"name": "n", "on": "cpu", "wcet": 1, "blocks": @3}])"),
     "task `t`: node `n`: `blocks` has no effect: the node is not on a gpu"},
    {with_task(R"("nodes": [{"name": "n", "on": "gpu", "wcet": 1, "overhead": @3}])"),
     "task `t`: node `n`: `overhead` has no effect: the node has no `load`"},
    {with_element(R"("kind": "cpu", "units": 4, "runlist_update": @3)"),
     "platform: element `e`: `runlist_update` has no effect: the element is no gpu"},
};

TEST(WithoutEffect, IsOneWarningWhereItStands) {
  for (const Case& each : kCases) {
    const MarkedText marked = unmark(each.text);
    const ReadResult read = read_system(marked.text);
    ASSERT_TRUE(read.system) << marked.text;
    ASSERT_EQ(read.diagnostics.size(), 1U) << marked.text;
    const Diagnostic& told = read.diagnostics.front();
    EXPECT_EQ(told.severity, Severity::kWarning);
    EXPECT_EQ(told.message, each.warning);
    EXPECT_EQ(told.at, marked.at) << marked.text;
    // The same of a system in memory: what came from a file may have been changed.
    const ReadResult again = check_system(*read.system);
    const bool period = each.text.find("period") != std::string::npos;
    ASSERT_EQ(again.diagnostics.size(), period ? 0U : 1U) << marked.text;
    if (period) continue;
    EXPECT_EQ(again.diagnostics.front().message, each.warning);
  }
}

TEST(WithoutEffect, IsNotSaidOfWhatIsRead) {
  for (const std::string& text :
       {task(R"("deadline": 5, "priority": 1, "gpu_priority": 2)"),
        task(R"("best_effort": true, "period": 5, "offset": 2, "core": 1, "wait": "busy")"),
        with_task(R"("nodes": [{"name": "n", "on": "gpu", "load": 4, "overhead": 1,
                     "load_min": 2, "interleave": 1.5, "blocks": 3, "gpu_threshold": 3}])")}) {
    EXPECT_EQ(complaints(read_system(text)), std::vector<std::string>{}) << text;
  }
}

std::string with_unit(const std::string& unit, const std::string& period) {
  return R"({"tactus": 1, "time_unit": ")" + unit +
         R"(", "platform": {"elements": [{"name": "cpu", "kind": "cpu", "units": 1}]}, "tasks": [
           {"name": "planner", "period": 2000, "nodes": [{"name": "n", "on": "cpu", "wcet": 1}]},
           {"name": "wheel", "period": )" +
         period + R"(, "nodes": [{"name": "n", "on": "cpu", "wcet": 0.5}]},
           {"name": "other", "period": )" +
         period + R"(, "nodes": [{"name": "n", "on": "cpu", "wcet": 0.5}]}]})";
}

TEST(TimeUnit, ThatMakesAPeriodUnlikelyIsAskedAboutOnce) {
  const ReadResult read = read_system(with_unit("us", "5"));
  ASSERT_EQ(read.diagnostics.size(), 1U);
  EXPECT_EQ(read.diagnostics.front().severity, Severity::kWarning);
  EXPECT_EQ(read.diagnostics.front().message, "task `wheel`: period 5 us; is `time_unit` right?");
  for (const std::string unit : {"ms", "s", "unit"}) {
    EXPECT_TRUE(read_system(with_unit(unit, "5")).diagnostics.empty()) << unit;
  }
  EXPECT_TRUE(read_system(with_unit("us", "25")).diagnostics.empty()) << "a motor current";
}

TEST(Synonyms, AreSuggestedThoughNoLetterIsRight) {
  const ReadResult read = read_system(task(R"("rate": 15)"));
  ASSERT_FALSE(read.diagnostics.empty());
  EXPECT_NE(read.diagnostics.front().message.find("unknown key `rate`; did you mean `period`?"),
            std::string::npos)
      << read.diagnostics.front().message;
}

}  // namespace
}  // namespace tactus
