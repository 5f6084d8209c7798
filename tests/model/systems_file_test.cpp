#include "tactus/model/systems_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tactus {
namespace {

/// A small system on one line.
std::string line(const std::string& name, const std::string& wcet = "1") {
  return R"({"tactus": 1, "name": ")" + name +
         R"(", "time_unit": "ms", "platform": {"elements": [{"name": "cpu", "kind": "cpu", "units": 1}]}, )"
         R"("tasks": [{"name": "t", "period": 10, "nodes": [{"name": "a", "on": "cpu", "wcet": )" +
         wcet + "}]}]}\n";
}

TEST(SystemsFile, KnowsJsonLinesFromASystemThatIsSpreadOverLines) {
  EXPECT_TRUE(is_json_lines(line("a") + line("b")));
  EXPECT_TRUE(is_json_lines("\n" + line("a") + "\n\n" + line("b")));
  EXPECT_FALSE(is_json_lines(line("a")));
  EXPECT_FALSE(is_json_lines("{\n  \"tactus\": 1\n}\n"));
  EXPECT_FALSE(is_json_lines("// {}\n{ \"tactus\": 1 }\n"));
  EXPECT_FALSE(is_json_lines(""));
}

TEST(SystemsFile, ReadsASystemPerLine) {
  const ReadSystems read = read_system_lines(line("a") + "\n" + line("b"));
  EXPECT_TRUE(read.diagnostics.empty());
  ASSERT_EQ(read.systems.size(), 2U);
  EXPECT_EQ(read.systems[0].system.name, "a");
  EXPECT_EQ(read.systems[1].system.name, "b");
  EXPECT_EQ(read.systems[1].line, 3U);
}

TEST(SystemsFile, SaysInWhichLineSomethingIsWrongAndThenHasNoSystems) {
  const ReadSystems read = read_system_lines(line("a") + line("b", "-1") + line("c", "x"));
  EXPECT_TRUE(read.systems.empty());
  ASSERT_EQ(read.diagnostics.size(), 2U);
  EXPECT_EQ(read.diagnostics[0].at.line, 2U);
  EXPECT_EQ(read.diagnostics[1].at.line, 3U);
  EXPECT_GT(read.diagnostics[0].at.column, 100U);
}

/// A time finer than 1 ns is a warning.
std::string line_with_a_warning(int index) { return line(std::to_string(index), "1.0000001"); }

TEST(SystemsFile, IsReadToTheEndHoweverMuchThereIsToTell) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += line_with_a_warning(i);
  const ReadSystems read = read_system_lines(text);
  ASSERT_EQ(read.systems.size(), 40U);
  EXPECT_EQ(read.systems.back().line, 40U);
  ASSERT_EQ(read.diagnostics.size(), 21U);
  EXPECT_EQ(read.diagnostics[19].at.line, 20U);
  EXPECT_EQ(to_string(read.diagnostics[20], "sets.jsonl"),
            "sets.jsonl: warning: and 20 more warnings");
}

TEST(SystemsFile, IsNotAcceptedForAnErrorBehindManyWarnings) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += line_with_a_warning(i);
  const ReadSystems read = read_system_lines(text + line("last", "-1"));
  EXPECT_TRUE(read.systems.empty());
  const auto errors =
      std::count_if(read.diagnostics.begin(), read.diagnostics.end(),
                    [](const Diagnostic& each) { return each.severity == Severity::kError; });
  EXPECT_EQ(errors, 1);
}

}  // namespace
}  // namespace tactus
