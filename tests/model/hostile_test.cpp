#include <gtest/gtest.h>

#include "tests/model/big_system.hpp"
#include "tests/model/marked_text.hpp"

/// Files made to exhaust the reader: each must be read or refused in time that grows with its size,
/// so that a slip here shows as a test that does not end.
namespace tactus {
namespace {

TEST(HostileFile, AMillionNodesAreRead) {
  for (bool edges : {false, true}) {
    for (bool pretty : {false, true}) {
      const ReadResult result = read_system(big_system_text({1'000'000, edges, pretty}));
      ASSERT_TRUE(result.system);
      EXPECT_TRUE(result.diagnostics.empty());
      const Task& task = result.system->tasks[0];
      ASSERT_EQ(task.nodes.size(), 1'000'000U);
      EXPECT_EQ(task.nodes.back().name, "node999999");
      EXPECT_EQ(task.graph.edge_count(), 999'999U);
      EXPECT_EQ(task.nodes.back().at.line, pretty ? 1'000'001U : 1U);
    }
  }
}

TEST(HostileFile, AHundredThousandTasksAreRead) {
  std::string tasks;
  for (int i = 0; i < 100'000; ++i) {
    tasks += fmt::format(R"({}{{"name":"t{}","priority":{},"nodes":[{{"name":"n","on":"cpu"}}]}})",
                         i == 0 ? "" : ",", i, i);
  }
  const ReadResult result = read_system(with_top(fmt::format(R"("tasks":[{}])", tasks)));
  ASSERT_TRUE(result.system);
  EXPECT_EQ(result.system->tasks.size(), 100'000U);
}

TEST(HostileFile, HalfAMillionUnknownNamesAreCounted) {
  std::string nodes, edges;
  for (int i = 0; i < 9'999; ++i) {
    nodes += fmt::format(R"({}{{"name":"node{}","on":"cpu"}})", i == 0 ? "" : ",", i);
  }
  for (int i = 0; i < 250'000; ++i) {
    edges += fmt::format(R"({}["nodeX{}","nodeY{}"])", i == 0 ? "" : ",", i, i);
  }
  const auto lines =
      complaints(read_system(with_task(fmt::format(R"("nodes":[{}],"edges":[{}])", nodes, edges))));
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_TRUE(lines[0].ends_with("there is no node `nodeX0`; did you mean `node0`?")) << lines[0];
  EXPECT_EQ(lines[20], " and 499980 more errors");
}

TEST(HostileFile, HalfAMillionUnknownKeysAreCounted) {
  std::string keys;
  for (int i = 0; i < 500'000; ++i) keys += fmt::format(R"(, "wcet{}": 1)", i);
  const auto lines = complaints(read_system(with_node(R"("wcet": 1)" + keys)));
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_EQ(lines[20], " and 499980 more errors");
}

TEST(HostileFile, EndlessNamesAreRefusedInShortWords) {
  const std::string endless(20'000'000, 'x'), other(20'000'000, 'y');
  const auto lines = complaints(read_system(with_task(
      fmt::format(R"("nodes": [{{"name": "{}", "on": "{}"}}], "edges": [["{}", "{}"]], "{}": 1)",
                  endless, other, endless, other, other))));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_NE(lines[0].find("must be a name of at most 1000 bytes"), std::string::npos) << lines[0];
  for (const std::string& line : lines) EXPECT_LT(line.size(), 300U) << line;
}

TEST(HostileFile, EndlessNumbersAreToldInShortWords) {
  const std::string nines(300, '9'), zeros(1'000'000, '0');
  for (const std::string& number : {nines, "-" + nines, "0." + zeros + "1e-9", "1" + nines}) {
    for (const char* key : {"period", "priority", "core", "offset"}) {
      const auto lines = complaints(read_system(with_task(
          fmt::format(R"("nodes": [{{"name": "n", "on": "cpu"}}], "{}": {})", key, number))));
      ASSERT_EQ(lines.size(), 1U);
      EXPECT_LT(lines[0].size(), 200U) << lines[0];
    }
  }
}

TEST(HostileFile, ManyRepeatedEdgesAreCounted) {
  std::string edges;
  for (int i = 0; i < 200'000; ++i) edges += i == 0 ? R"(["a","b"])" : R"(,["a","b"])";
  const auto lines = complaints(read_system(with_edges("[" + edges + "]")));
  ASSERT_EQ(lines.size(), 21U);
  EXPECT_EQ(lines[20], " and 199979 more errors");
}

TEST(HostileFile, ACycleOfAMillionNodesIsNamedInShort) {
  std::string text = big_system_text({1'000'000, true, false});
  text.insert(text.rfind("]}]"), R"(,["node999999","node0"])");
  const auto lines = complaints(read_system(std::move(text)));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].ends_with("`node9` -> ... (999990 more) -> `node0`")) << lines[0];
}

}  // namespace
}  // namespace tactus
