#include <gtest/gtest.h>

#include "tests/cli/run_tactus.hpp"

/// Values of methods' options that have no sense are the caller's mistake, whatever the system.
namespace tactus::cli {
namespace {

std::string example(const std::string& name) {
  return source_path("examples/" + name + ".system.json");
}

void expect_usage_error(const std::vector<std::string>& words, const std::string& line) {
  const Ran ran = run_tactus(words);
  EXPECT_EQ(ran.exit_code, 2) << line;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "tactus: " + line + "\n");
}

struct BadOption {
  std::vector<std::string> words;
  std::string line;
};

const std::vector<BadOption> kBadOptions = {
    {{"-m", "pbs.graph", "--time-limit", "x"},
     "--time-limit must be a number from 0 to 999999999, got `x`"},
    {{"-m", "pbs.graph", "--time-limit", ""},
     "--time-limit must be a number from 0 to 999999999, got ``"},
    {{"-m", "pbs.graph", "--time-limit", "1e3"},
     "--time-limit must be a number from 0 to 999999999, got `1e3`"},
    {{"-m", "pbs.graph", "--time-limit", "99999999999999999999"},
     "--time-limit must be a number from 0 to 999999999, got `99999999999999999999`"},
    {{"-m", "pbs.graph", "--margin", "-1"},
     "--margin must be a number from 0 to 999999999, got `-1`"},
    {{"-m", "pbs.graph", "--state-limit", "1.5"},
     "--state-limit must be a whole number from 0 to 999999999, got `1.5`"},
    {{"-m", "dag.balanced", "--effort", "highest"},
     "--effort must be one of normal|high, got `highest`"},
    {{"-m", "dag.balanced", "--effort", "normal|high"},
     "--effort must be one of normal|high, got `normal|high`"},
    {{"-m", "gang.wc-he", "--requests", "."},
     "--requests must be a number from 0 to 999999999, got `.`"},
    {{"-m", "gang.wc-he", "--k", "two"},
     "--k must be a whole number from 0 to 999999999, got `two`"},
    {{"-m", "rtgpu", "--allocation", ""}, "--allocation must be TASK=SMS,..., got ``"},
    {{"-m", "gcaps.suspend", "--effort", "high"},
     "none of the chosen methods has the option --effort"},
    {{"-m", "gcaps.suspend", "--variant", "papper"},
     "gcaps.suspend has no variant `papper`; did you mean `paper`?"},
    {{"--variant", "best"},
     "none of the chosen methods has the variant `best`; `tactus methods` lists them"},
};

TEST(MethodOptions, AreJudgedBeforeTheSystemIs) {
  for (const BadOption& bad : kBadOptions) {
    std::vector<std::string> words = {"analyze", "/no/such/file"};
    words.insert(words.end(), bad.words.begin(), bad.words.end());
    expect_usage_error(words, bad.line);
  }
}

TEST(MethodOptions, AreJudgedByEveryVerbThatHasThem) {
  const std::string drone = example("pbs-drone");
  const std::string line = "--time-limit must be a number from 0 to 999999999, got `soon`";
  expect_usage_error({"plan", drone, "-m", "pbs.graph", "--time-limit", "soon"}, line);
  expect_usage_error({"simulate", drone, "-p", "pbs.graph", "--time-limit", "soon"}, line);
  expect_usage_error({"run", drone, "-m", "pbs.graph", "--time-limit", "soon"}, line);
  expect_usage_error({"lab", "validate", "-m", "pbs.graph", "--count", "1", "--time-limit", "soon"},
                     line);
}

TEST(MethodOptions, ThatDoNotFitTheSystemAreRefusedToo) {
  expect_usage_error({"analyze", example("rtgpu-perception"), "-m", "rtgpu", "--allocation", "x=1"},
                     "rtgpu: --allocation: expected TASK=SMS, but there is no task `x`");
  expect_usage_error({"analyze", example("gang-hog"), "-m", "gang.wc-he", "--k", "0"},
                     "gang.wc-he: --k must be a count of at least 1, got `0`");
}

TEST(MethodOptions, OfSomeMethodsOnlyLeaveTheOthersAlone) {
  const Ran ran =
      run_tactus({"analyze", example("robot"), "--variant", "safe-arbiter", "--details"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("rtgpu has no variant `safe-arbiter`"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace tactus::cli
