#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tactus/base/random.hpp"
#include "tactus/experiment/describe/bundled.hpp"
#include "tactus/experiment/describe/experiment.hpp"
#include "tests/model/schema_validator.hpp"

namespace tactus::experiment {
namespace {

/// Whatever stands in a file, it is read or refused with a reason; nothing crashes.
TEST(BrokenExperiments, AreReadOrRefusedWithAReason) {
  static constexpr std::string_view kPieces[] = {
      "{",       "}",         "[",          "]",         "\"",          ",",          ":",
      "null",    "true",      "-1",         "1e999",     "\"\"",        "{}",         "[]",
      "\"set\"", "\"lines\"", "\"system\"", "\"cases\"", "\"options\"", "\"claims\"", "3"};
  Random random(8, 1);
  int refused = 0;
  for (const BundledFile& file : bundled_files()) {
    for (int round = 0; round < 40; ++round) {
      std::string text(file.text);
      for (std::int64_t edits = random.integer(1, 3); edits > 0; --edits) {
        const auto at =
            static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(text.size()) - 1));
        const auto length = static_cast<std::size_t>(random.integer(0, 12));
        text.replace(at, length, kPieces[random.integer(0, std::ssize(kPieces) - 1)]);
      }
      const ReadExperiment read = read_experiment(std::move(text));
      if (read.experiment) continue;
      ++refused;
      ASSERT_FALSE(read.diagnostics.empty());
      EXPECT_FALSE(read.diagnostics.front().message.empty());
    }
  }
  EXPECT_GT(refused, 100);
}

/// What an experiment of few characters asks for, at the place where it asks.
std::string complaint(std::string_view recipe, std::string_view settings, std::string_view values,
                      std::string_view lines = R"({"method":"gang.wc"})") {
  const ReadExperiment read = read_experiment(fmt::format(
      R"({{"tactus_experiment":1,"name":"big","title":"b","recipe":"{}","settings":{{{}}},
"sweep":{{"label":"u","set":["{}"],"values":[{}]}},"sets":1,
"lines":[{}]}})",
      recipe, settings, recipe.starts_with("gang") ? "utilisation" : "utilization", values, lines));
  return read.experiment ? "" : to_string(read.diagnostics.front(), "f");
}

TEST(SmallExperiments, AskForNoSystemThatNoMachineHolds) {
  EXPECT_EQ(complaint("gang-fig10", R"("cpus":100000)", "0.5"),
            "f:2:54: at `0.5`: these settings can make a system of 108000360 nodes; there can be "
            "1000000");
}

TEST(SmallExperiments, AskForNoMoreThanCanBeDrawnAtAllTheirPoints) {
  std::string values = "0.5";
  for (int i = 0; i < 200; ++i) values += fmt::format(",0.5{:03}", i);
  EXPECT_EQ(
      complaint("rtgpu-table1", R"("tasks":100000,"subtasks":3)", values, R"({"method":"rtgpu"})"),
      "f:2:53: one set at each point makes more than 20000000 nodes; that is too much for "
      "one experiment");
}

TEST(SmallExperiments, CompareNoMoreCurvesThanCanBeKept) {
  std::string lines = R"({"method":"gang.wc","name":"l"})";
  for (int i = 0; i < 5'000; ++i) {
    lines += fmt::format(R"(,{{"method":"gang.wc","name":"l{}"}})", i);
  }
  EXPECT_EQ(complaint("gang-fig10", "", "0.5", lines),
            "f:3:9: 5001 curves at 1 points are more than an experiment compares (points * "
            "curves^2 may be 20000000)");
}

TEST(ExperimentSchema, IsFollowedByEveryBundledFile) {
  const auto parse = [](std::string text) {
    return std::get<json::Document>(json::Document::parse(std::move(text)));
  };
  const json::Document schema = parse(experiment_schema());
  for (const BundledFile& file : bundled_files()) {
    const json::Document document = parse(std::string(file.text));
    EXPECT_EQ(violation(schema.root(), document.root()), std::nullopt) << file.name;
  }
  const json::Document wrong = parse(R"({"tactus_experiment": 1, "lines": 5})");
  EXPECT_TRUE(violation(schema.root(), wrong.root()));
}

/// Every value of a file, replaced by one of another kind, is told as wrong where it stands.
TEST(BrokenExperiments, HaveEveryValueOfAWrongKindTold) {
  static constexpr std::string_view kKeys[] = {"name",   "title",   "recipe",  "settings",
                                               "sweep",  "cases",   "sets",    "lines",
                                               "claims", "measure", "options", "plot"};
  for (std::string_view key : kKeys) {
    for (std::string_view wrong : {"null", "7.5", "[7]", "{\"a\": [1]}", "\"?\"", "true"}) {
      std::string text = R"json({"tactus_experiment": 1, "name": "a", "title": "b",
        "recipe": "gcaps-table3", "settings": {}, "cases": [{"name": "c", "set": {}}],
        "sweep": {"label": "x", "set": ["cpus"], "values": [1]}, "sets": 1,
        "measure": "accepted", "plot": {}, "claims": [],
        "lines": [{"method": "gcaps.busy", "options": {}}]})json";
      const std::size_t at = text.find(fmt::format("\"{}\":", key)) + key.size() + 4;
      std::size_t end = at;
      for (int depth = 0; depth > 0 || (text[end] != ',' && text[end] != '}'); ++end) {
        depth += text[end] == '{' || text[end] == '[' ? 1 : 0;
        depth -= text[end] == '}' || text[end] == ']' ? 1 : 0;
      }
      text.replace(at, end - at, wrong);
      const ReadExperiment read = read_experiment(text);
      const bool text_anyway = key == "title" && wrong == "\"?\"";
      EXPECT_EQ(read.experiment.has_value(), text_anyway) << text;
    }
  }
}

}  // namespace
}  // namespace tactus::experiment
