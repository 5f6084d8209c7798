#include "tactus/base/yaml.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tactus/model/reader.hpp"
#include "tactus/model/writer.hpp"
#include "tests/model/random_system.hpp"
#include "tests/support/read.hpp"

namespace tactus {
namespace {

constexpr const char* kSystem = R"(# a little system
tactus: 1
name: little
platform:
  elements:
    - {name: cpu, kind: cpu, units: 1}
    - name: gpu
      kind: gpu
      units: 8
tasks:
  - name: camera
    period: 33.3
    nodes:
      - name: pre
        on: cpu
        wcet: 2
      - {name: conv, "on": gpu, wcet: 4.5}
)";

constexpr const char* kSame = R"({"tactus": 1, "name": "little", "platform": {"elements": [
  {"name": "cpu", "kind": "cpu", "units": 1}, {"name": "gpu", "kind": "gpu", "units": 8}]},
  "tasks": [{"name": "camera", "period": 33.3, "nodes": [
    {"name": "pre", "on": "cpu", "wcet": 2}, {"name": "conv", "on": "gpu", "wcet": 4.5}]}]})";

/// What is wrong with a text, one line each.
std::string problems_of(const std::string& text) {
  std::string lines;
  for (const Diagnostic& problem : read_system(text).diagnostics) {
    lines += to_string(problem, "f") + "\n";
  }
  return lines;
}

/// The little system with one piece of text replaced.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = kSystem;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Yaml, SaysTheSameAsJson) { EXPECT_EQ(support::read(kSystem), support::read(kSame)); }

TEST(Yaml, OnIsAKeyWithAndWithoutQuotes) {
  const System system = support::read(kSystem);
  EXPECT_EQ(system.tasks[0].nodes[0].on, 0U);
  EXPECT_EQ(system.tasks[0].nodes[1].on, 1U);
}

TEST(Yaml, ErrorsNameTheirPlaceInTheText) {
  EXPECT_EQ(problems_of(changed("units: 8", "units: 0")),
            "f:9:14: platform: element `gpu`: `units` must be an integer >= 1, got 0\n");
  EXPECT_EQ(problems_of(changed("period:", "peroid:")),
            "f:12:5: task `camera`: unknown key `peroid`; did you mean `period`?\n");
  EXPECT_EQ(problems_of(changed("wcet: 4.5", "wcet: -4.5")),
            "f:17:39: task `camera`: node `conv`: `wcet` must be a time >= 0, got -4.5\n");
}

TEST(Yaml, ColumnsCountCharactersNotBytes) {
  const std::string text = changed("name: camera", "name: \"k\xc3\xa4mera\"");
  std::string wrong = text;
  const std::string from = "{name: conv, \"on\": gpu, wcet: 4.5}";
  wrong.replace(wrong.find(from), from.size(),
                "{name: \"\xc3\xa4\xc3\xa4\", \"on\": gpo, wcet: 4.5}");
  EXPECT_NE(problems_of(wrong).find("f:17:28: "), std::string::npos) << problems_of(wrong);
}

TEST(Yaml, TextThatIsNotYamlIsRefusedWithItsPlace) {
  EXPECT_NE(problems_of("tactus: 1\n  bad: [1,\n").find("not valid YAML"), std::string::npos);
  EXPECT_NE(problems_of("---\n").find("expected"), std::string::npos) << problems_of("---\n");
  EXPECT_NE(problems_of("tactus: 1\n---\ntactus: 1\n").find("second document"), std::string::npos);
  EXPECT_NE(problems_of("# \xff\n").find("not valid UTF-8"), std::string::npos);
  EXPECT_EQ(problems_of(std::string("# \0x\n", 5)), "f:1:3: the file contains a NUL byte\n");
}

TEST(Yaml, NumbersThatReadersTakeDifferentlyAreRefused) {
  for (const char* number : {".5", "+3", "1_000", "0x10", "010", "1.", ".inf", "0o17"}) {
    const std::string text = changed("wcet: 2", std::string("wcet: ") + number);
    EXPECT_NE(problems_of(text).find("is a number to some readers of YAML"), std::string::npos)
        << number << ": " << problems_of(text);
  }
  // In quotes they are texts, and the reader of the system says what it wants.
  EXPECT_NE(problems_of(changed("wcet: 2", "wcet: \"2\"")).find("`wcet` must be a time"),
            std::string::npos);
  support::read(changed("name: little", "name: 2026-11-15"));
  support::read(changed("name: little", "name: 1.2.3"));
  support::read(changed("name: little", "name: yes"));
}

TEST(Yaml, TagsAndKeysThatAreNoTextsAreRefused) {
  EXPECT_NE(problems_of(changed("wcet: 2", "wcet: !!float 2")).find("the tag"), std::string::npos);
  EXPECT_NE(problems_of(changed("wcet: 2", "[a, b]: 2")).find("a key must be a text"),
            std::string::npos);
  support::read(changed("name: little", "name: !!str 12"));
}

TEST(Yaml, AliasesRepeatValues) {
  const std::string text = changed("      - {name: conv, \"on\": gpu, wcet: 4.5}\n",
                                   "      - {name: conv, \"on\": gpu, wcet: &t 4.5}\n"
                                   "      - {name: more, \"on\": gpu, wcet: *t}\n");
  EXPECT_EQ(support::read(text).tasks[0].nodes[2].wcet, Time::from_us(4500));
}

TEST(Yaml, AliasesThatRepeatTooMuchAreRefusedAtOnce) {
  std::string text = "tactus: 1\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i <= 20; ++i) {
    text += fmt::format("a{}: &a{} [", i, i);
    for (int j = 0; j < 10; ++j) text += fmt::format("{}*a{}", j == 0 ? "" : ", ", i - 1);
    text += "]\n";
  }
  EXPECT_NE(problems_of(text).find("aliases repeat more than 1000000 values"), std::string::npos)
      << problems_of(text);
  EXPECT_NE(problems_of("tactus: 1\na: &a [*a]\n").find("f:2:"), std::string::npos);
}

TEST(Yaml, DeepNestingIsRefused) {
  const std::string text = "tactus: " + std::string(5000, '[') + std::string(5000, ']') + "\n";
  EXPECT_NE(problems_of(text).find("nested deeper than 64 levels"), std::string::npos)
      << problems_of(text).substr(0, 200);
}

TEST(Yaml, WrittenAndReadAgainIsTheSameSystem) {
  Random random(22, 0);
  int same = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string text = write_system(random_system(random));
    const std::string yaml_text = yaml::from_json(text);
    const ReadResult from_json = read_system(text), from_yaml = read_system(yaml_text);
    ASSERT_EQ(from_yaml.system, from_json.system) << problems_of(yaml_text) << yaml_text;
    ASSERT_EQ(from_yaml.diagnostics.size(), from_json.diagnostics.size()) << yaml_text;
    same += from_json.system ? 1 : 0;
  }
  EXPECT_GT(same, 100);
}

TEST(Yaml, EveryExampleSurvivesBeingWritten) {
  namespace fs = std::filesystem;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(support::source_path("examples"))) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".system.json")) continue;
    const auto read = load_system(path);
    if (!read || !read->system) continue;  // examples/broken.system.json
    const std::string text = yaml::from_json(write_system(*read->system));
    EXPECT_EQ(support::read(text), *read->system) << path;
    EXPECT_EQ(text.find("\non:"), std::string::npos);
    EXPECT_NE(text.find("\"on\": "), std::string::npos) << "YAML 1.1 takes `on` for a truth value";
    ++files;
  }
  EXPECT_GE(files, 10U);
}

TEST(Yaml, LooksLikeItselfAndNotLikeJson) {
  EXPECT_TRUE(yaml::looks_like_yaml("tactus: 1\n"));
  EXPECT_TRUE(yaml::looks_like_yaml("\n\n# hello\ntactus: 1\n"));
  EXPECT_TRUE(yaml::looks_like_yaml("---\ntactus: 1\n"));
  EXPECT_FALSE(yaml::looks_like_yaml("{\"tactus\": 1}"));
  EXPECT_FALSE(yaml::looks_like_yaml("// comment\n{\"tactus\": 1}"));
  EXPECT_FALSE(yaml::looks_like_yaml(""));
  EXPECT_FALSE(yaml::looks_like_yaml("\"tactus\": 1"));
}

TEST(Yaml, IsNotReadWhenItIsSoLargeThatItWouldTakeGigabytes) {
  const auto parsed = yaml::parse(std::string(yaml::kMostText, ' ') + "a: 1\n");
  ASSERT_TRUE(std::holds_alternative<Diagnostic>(parsed));
  EXPECT_EQ(std::get<Diagnostic>(parsed).message,
            "larger than 16 MiB, which is too large for YAML; write it as JSON");
}

}  // namespace
}  // namespace tactus
