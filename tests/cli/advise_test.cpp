#include <fmt/core.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>

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
  const Ran ran = run_tactus({"advise", kForklift, "--vary", "cores", "--target", "tactusd", "-o",
                              best, "--plan-out", plan});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_LE(longest_line(ran.out), 80U) << ran.out;
  const Ran analyzed = run_tactus({"analyze", best});
  EXPECT_EQ(analyzed.exit_code, 0) << analyzed.out;
  EXPECT_NE(analyzed.out.find("which the file\ndeploys"), std::string::npos) << analyzed.out;
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
  const Ran ran = run_tactus({"advise", kForklift, "--vary", "cores", "--target", "tactusd",
                              "--set", "camera.detect.wcet=20", "-o", best});
  EXPECT_EQ(ran.exit_code, 1) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("Smallest single changes that would do:"), std::string::npos) << ran.out;
  EXPECT_NE(ran.err.find("nothing is written"), std::string::npos);
  EXPECT_EQ(slurp(best), "");
  EXPECT_LE(longest_line(ran.out), 80U) << ran.out;
}

TEST(AdviseVerb, SaysWhereItLookedAtNothingButWhatTheFileDeploys) {
  const std::vector<std::string> words = {
      "advise", source_path("tests/data/copies/copy-blocking.system.json")};
  const Ran ran = run_tactus(words);
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_NE(ran.out.find("No way to run amr by gcaps.boost.suspend, which the file deploys, is"),
            std::string::npos)
      << ran.out;
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return run_tactus(more);
  };
  // Others do prove it.
  EXPECT_EQ(with({"--vary", "method"}).exit_code, 0);
  EXPECT_NE(with({"--json"}).out.find(R"("conclusion": "No way to run amr by gcaps.boost.suspend)"),
            std::string::npos);
  EXPECT_NE(with({"--vary", "method", "--json"}).out.find("\"A way to run amr is proved: "),
            std::string::npos);
}

TEST(AdviseVerb, RefusesInOneLine) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"advise", kForklift, "--vary", "colours"},
        std::vector<std::string>{"advise", kForklift, "--target", "nobody"},
        std::vector<std::string>{"advise", kForklift, "--method", "gcpas.busy"},
        std::vector<std::string>{"advise", "/no/such/file"}}) {
    const Ran ran = run_tactus(words);
    EXPECT_EQ(ran.exit_code, 2) << words.back();
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

/// Cores and priorities of many tasks: far more candidates than can be looked at in a minute.
std::string large() {
  std::string tasks;
  for (int k = 0; k < 32; ++k) {
    tasks += fmt::format(R"({}{{"name":"t{}","period":{},"nodes":[
        {{"name":"c","on":"cpu","wcet":{}}},{{"name":"g","on":"gpu","wcet":{}}}]}})",
                         k == 0 ? "" : ",", k, 200 + 7 * k, 2 + k % 3, 1 + k % 2);
  }
  return fmt::format(R"({{"tactus":1,"name":"large","time_unit":"ms","platform":{{"elements":[
      {{"name":"cpu","kind":"cpu","units":5}},
      {{"name":"gpu","kind":"gpu","units":1,"runlist_update":0.05}}]}},"tasks":[{}]}})",
                     tasks);
}

/// One SIGINT once the search has surely found something: it listens from its beginning on.
void interrupt_search(pid_t process) {
  const std::string status = fmt::format("/proc/{}/status", process);
  const auto listens = [&] {
    const std::string text = slurp(status);
    const std::size_t at = text.find("SigBlk:");
    return at != std::string::npos &&
           (std::stoull(text.substr(at + 7), nullptr, 16) & (1U << (SIGINT - 1))) != 0;
  };
  for (int k = 0; k < 6000 && !listens(); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  ::kill(process, SIGINT);
}

TEST(AdviseVerb, KeepsTheBestSoFarWhenItIsInterrupted) {
  const TemporaryFolder folder;
  const std::string file = folder.file("large.system.json", large());
  const std::string best = folder.file("best.system.json");
  const Ran ran =
      run_tactus({"advise", file, "--target", "tactusd", "-o", best}, {}, interrupt_search);
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("Stopped"), std::string::npos) << ran.out;
  EXPECT_EQ(run_tactus({"analyze", best}).exit_code, 0) << "what was written is proved";
}

TEST(AdviseVerb, KeepsTheBestSoFarWhenItsTimeIsUp) {
  const TemporaryFolder folder;
  const std::string file = folder.file("large.system.json", large());
  const std::string best = folder.file("best.system.json");
  const Ran ran =
      run_tactus({"advise", file, "--target", "tactusd", "--stop-after", "1", "-o", best});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("Stopped"), std::string::npos) << ran.out;
  EXPECT_EQ(run_tactus({"analyze", best}).exit_code, 0);
}

TEST(AdviseVerb, RefusesToVarySharesWhereNobodyTakesThem) {
  const Ran ran = run_tactus({"advise", kForklift, "--vary", "shares"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_TRUE(ran.err.starts_with("tactus: --vary shares: ")) << ran.err;
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  const Ran divided = run_tactus(
      {"advise", source_path("examples/rtgpu-perception.system.json"), "--vary", "shares"});
  EXPECT_EQ(divided.exit_code, 0) << divided.err;
  EXPECT_NE(divided.out.find("  SMs:         camera="), std::string::npos) << divided.out;
}

}  // namespace
}  // namespace tactus::cli
