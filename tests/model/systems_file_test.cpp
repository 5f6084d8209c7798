#include "tactus/model/systems_file.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tactus
