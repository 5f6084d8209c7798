#include <gtest/gtest.h>

#include "tests/api/answers.hpp"

namespace tactus::api_test {
namespace {

TEST(Exchange, ImportsAFileWithTheOptionsOfTheCommandLine) {
  const std::string file = support::source_path("tests/data/traces/resnet50_fp16_b1.json.gz");
  const Answer answer = tactus_import(
      nullptr,
      (R"({"file": ")" + file + R"(", "fold": "task", "margin": 0, "period": ["33"]})").c_str());
  EXPECT_EQ(answer.status(), TACTUS_YES) << answer.problems();
  EXPECT_TRUE(answer.shows("\"gpu_work\": 342"));
  EXPECT_TRUE(answer.shows("\"period\": 33"));
  EXPECT_TRUE(answer.shows("\"wcet\": 0.9024"));
}

TEST(Exchange, ImportsATextAndSaysWhatIsWrongWithIt) {
  const Answer joined =
      tactus_import(text_of("tests/data/profiles/trtexec-times.json").c_str(),
                    (R"({"name": "net", "join": [")" +
                     support::source_path("tests/data/profiles/trtexec-profile.json") + R"("]})")
                        .c_str());
  EXPECT_TRUE(joined.shows("divided among 4 layers")) << joined.problems();
  const Answer graph = tactus_import("digraph G { a -> b }", R"({"name": "g"})");
  EXPECT_EQ(graph.status(), TACTUS_YES) << graph.problems();
  const Answer wrong = tactus_import("digraph G { a -> }", nullptr);
  EXPECT_EQ(wrong.status(), TACTUS_BAD_INPUT);
  EXPECT_TRUE(wrong.says("expected a node behind"));
  EXPECT_TRUE(wrong.says("<source>"));
  EXPECT_TRUE(Answer(tactus_import(nullptr, nullptr)).says("an import needs a source"));
  EXPECT_TRUE(Answer(tactus_import("x", R"({"fold": "napkin"})")).says("`fold` must be one of"));
  EXPECT_TRUE(Answer(tactus_import("x", R"({"fodl": "task"})")).says("fodl"));
}

TEST(Exchange, ExportsAndReadsYaml) {
  const std::string robot = text_of("examples/robot.system.json");
  const Answer yaml = tactus_export(robot.c_str(), R"({"to": "yaml"})");
  EXPECT_EQ(yaml.status(), TACTUS_YES) << yaml.problems();
  EXPECT_TRUE(yaml.shows("tactus: 1\\nname: robot")) << yaml.document().substr(0, 200);
  EXPECT_TRUE(
      Answer(tactus_export(robot.c_str(), R"({"to": "ymal"})")).says("did you mean `yaml`"));
  EXPECT_TRUE(Answer(tactus_export(robot.c_str(), nullptr)).says("an export needs `to`"));
  EXPECT_EQ(
      Answer(tactus_check("tactus: 1\nplatform: {elements: []}\ntasks: []\n", nullptr)).status(),
      TACTUS_YES);
}

}  // namespace
}  // namespace tactus::api_test
