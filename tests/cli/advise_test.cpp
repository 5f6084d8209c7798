#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kForklift = source_path("examples/forklift.system.json");

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(AdviseVerb, WritesASystemAndAPlanThatHold) {
  const TemporaryFolder folder;
  const std::string best = folder.file("best.system.json"), plan = folder.file("best.plan.json");
  const Ran ran = run_tactus(
      {"advise", kForklift, "--vary", "cores", "--for", "tactusd", "-o", best, "--plan-out", plan});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_LE(longest_line(ran.out), 80U) << ran.out;
  const Ran analyzed = run_tactus({"analyze", best});
  EXPECT_EQ(analyzed.exit_code, 0) << analyzed.out;
  EXPECT_NE(analyzed.out.find("which the file deploys"), std::string::npos) << analyzed.out;
  const Ran checked = run_tactus({"plan", best, "--check", plan});
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

TEST(AdviseVerb, GivesTheSameForAnyNumberOfThreads) {
  const std::vector<std::string> words = {"advise",   kForklift, "--vary", "cores,priorities",
                                          "--method", "gcaps.*", "--json"};
  std::vector<std::string> shared = words;
  shared.insert(shared.end(), {"-j", "3"});
  EXPECT_EQ(run_tactus(words).out, run_tactus(shared).out);
}

TEST(AdviseVerb, SaysWhatWouldHaveToChangeWhereNothingWorks) {
  const TemporaryFolder folder;
  const std::string best = folder.file("best.system.json");
  const Ran ran = run_tactus({"advise", kForklift, "--vary", "cores", "--for", "tactusd", "--set",
                              "camera.detect.wcet=20", "-o", best});
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("Smallest single changes that would do:"), std::string::npos) << ran.out;
  EXPECT_NE(ran.err.find("nothing is written"), std::string::npos);
  EXPECT_EQ(slurp(best), "");
  EXPECT_LE(longest_line(ran.out), 80U) << ran.out;
}

TEST(AdviseVerb, RefusesInOneLine) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"advise", kForklift, "--vary", "colours"},
        std::vector<std::string>{"advise", kForklift, "--for", "nobody"},
        std::vector<std::string>{"advise", kForklift, "--method", "gcpas.busy"},
        std::vector<std::string>{"advise", "/no/such/file"}}) {
    const Ran ran = run_tactus(words);
    EXPECT_EQ(ran.exit_code, 2) << words.back();
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

}  // namespace
}  // namespace tactus::cli
