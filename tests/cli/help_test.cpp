#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/cli/run_tactus.hpp"

/// What `--help`, `help`, a call without a verb, and the man pages say.
namespace tactus::cli {
namespace {

const std::string kRobot = source_path("examples/robot.system.json");

/// The verbs that a help shows.
std::vector<std::string> verbs_in(const std::vector<std::string>& help) {
  std::vector<std::string> verbs;
  std::istringstream lines(run_tactus(help).out);
  for (std::string line; std::getline(lines, line);) {
    // "  gpu           Look at the GPU"; a command of an example has one blank after its first word.
    const std::size_t end = line.find("  ", 2);
    const bool entry = line.starts_with("  ") && end != std::string::npos && line[2] != '-' &&
                       end > 2 && line.find(' ', 2) == end;
    if (entry) verbs.push_back(line.substr(2, end - 2));
  }
  return verbs;
}

std::vector<std::string> all_verbs() { return verbs_in({"--help"}); }

TEST(Help, OfEveryVerbFitsEightyColumns) {
  auto verbs = all_verbs();
  for (const std::string& verb : verbs_in({"help", "lab"})) verbs.push_back("lab " + verb);
  EXPECT_GE(verbs.size(), 19U);
  for (const std::string& verb : verbs) {
    const bool in_lab = verb.starts_with("lab ");
    const Ran ran =
        in_lab ? run_tactus({"lab", verb.substr(4), "--help"}) : run_tactus({verb, "--help"});
    EXPECT_EQ(ran.exit_code, 0) << verb;
    EXPECT_TRUE(contains(ran.out, "Usage: tactus " + verb)) << ran.out;
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
      // A command to copy stays on one line.
      EXPECT_TRUE(line.size() <= 80 || line.starts_with("  tactus ")) << verb << ": " << line;
    }
  }
}

TEST(Help, ShowsOptionsOfAMethodOnlyWithThatMethod) {
  const std::string plain = run_tactus({"help", "analyze"}).out;
  EXPECT_FALSE(contains(plain, "--state-limit")) << plain;
  EXPECT_TRUE(contains(plain, "`tactus analyze --help --method ID` tells")) << plain;
  const std::string pbs = run_tactus({"help", "analyze", "--method", "pbs.graph"}).out;
  EXPECT_TRUE(contains(pbs, "--state-limit N")) << pbs;
  EXPECT_FALSE(contains(pbs, "--theorem1")) << pbs;
  EXPECT_EQ(run_tactus({"analyze", "--help", "-m", "pbs.graph"}).out, pbs);
  const std::string none = run_tactus({"help", "plan", "-m", "gcaps.suspend"}).out;
  EXPECT_TRUE(contains(none, "gcaps.suspend has no options of its own")) << none;
}

/// What few people need is named, and told only where that is asked for.
TEST(Help, OfRunFitsIntoSixtyLines) {
  const std::string plain = run_tactus({"run", "--help"}).out;
  EXPECT_LT(std::count(plain.begin(), plain.end(), '\n'), 60) << plain;
  EXPECT_TRUE(contains(plain, "Seldom needed (`tactus run --help-all` tells about them):\n"))
      << plain;
  EXPECT_TRUE(contains(plain, "--partition-step")) << plain;
  EXPECT_FALSE(contains(plain, "--partition-step N")) << plain;
  const Ran all = run_tactus({"run", "--help-all"});
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_TRUE(contains(all.out, "--partition-step N")) << all.out;
  EXPECT_TRUE(contains(all.out, "--backend ")) << all.out;
  EXPECT_EQ(run_tactus({"check", "--help-all"}).exit_code, 2) << "it has no such options";
}

/// What a product needs; what research needs, and what is asked once, is told of below.
TEST(Help, ShowsANewcomerTheVerbsOfAProduct) {
  const std::vector<std::string> verbs = all_verbs();
  const std::vector<std::string> product = {"init",    "check", "import",   "export",  "explain",
                                            "analyze", "slack", "advise",   "reserve", "report",
                                            "serve",   "plan",  "simulate", "run",     "deploy",
                                            "doctor",  "watch", "exec",     "top",     "measure"};
  ASSERT_GE(verbs.size(), product.size());
  EXPECT_EQ(std::vector<std::string>(verbs.begin(),
                                     verbs.begin() + static_cast<std::ptrdiff_t>(product.size())),
            product);
  EXPECT_EQ(verbs_in({"lab", "--help"}),
            (std::vector<std::string>{"generate", "validate", "reproduce", "results", "plot",
                                      "own-methods"}));
}

TEST(OldNames, OfVerbsAreRefusedWithTheNewOne) {
  for (const std::string verb : {"generate", "validate", "reproduce", "results", "plot"}) {
    const Ran ran = run_tactus({verb, "x"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(ran.err, fmt::format("tactus: there is no verb `{0}`; did you mean `tactus lab {0}`? "
                                   "(see tactus --help)\n",
                                   verb));
  }
  EXPECT_EQ(run_tactus({"lab", "check"}).err,
            "tactus: there is no verb `check` (see tactus lab --help)\n");
}

TEST(Usage, IsWhatACallWithoutAVerbPrints) {
  for (const auto& words : {std::vector<std::string>{}, {"gpu"}, {"lab"}}) {
    const Ran ran = run_tactus(words);
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(ran.err, "");
    EXPECT_TRUE(ran.out.starts_with("Usage: tactus ")) << ran.out;
    EXPECT_FALSE(contains(ran.out, "--version")) << ran.out;  // it is short
  }
  EXPECT_TRUE(contains(run_tactus({}).out, "\n  analyze       Prove ")) << run_tactus({}).out;
  EXPECT_TRUE(contains(run_tactus({"gpu"}).out, "\n  calibrate ")) << run_tactus({"gpu"}).out;
}

TEST(OldNames, AreRefusedWithTheNewOneAndNotShown) {
  for (const auto& [verb, old_name, name] : {std::tuple("simulate", "--horizon", "--duration"),
                                             {"run", "--horizon", "--duration"},
                                             {"tiers", "--rounds", "--runs"},
                                             {"measure", "--node", "--nodes"},
                                             {"advise", "--for", "--target"},
                                             {"advise", "--time-limit", "--stop-after"}}) {
    EXPECT_FALSE(contains(run_tactus({"help", verb}).out, std::string(old_name) + " ")) << verb;
    const Ran ran = run_tactus({verb, kRobot, old_name, "5"});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_EQ(ran.err, fmt::format("tactus: {} must be written {} (see tactus {} --help)\n",
                                   old_name, name, verb));
  }
  // What belongs to a command that is started is left alone.
  EXPECT_EQ(run_tactus({"exec", "--best-effort", "--tier", "process", "--quiet", "--", "echo",
                        "--horizon"})
                .out,
            "--horizon\n");
}

TEST(ManPages, SayWhatHelpSaysAndAreCleanRoff) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_tactus({"man-pages", folder.file("man")}).exit_code, 0);
  const std::string analyze = slurp(folder.file("man/man1/tactus-analyze.1"));
  EXPECT_TRUE(analyze.starts_with(".TH TACTUS-ANALYZE 1 ")) << analyze;
  for (const char* part : {"\\fB\\-\\-explain\\fR \\fITASK\\fR", ".SH EXIT STATUS", ".SH EXAMPLES",
                           "\\-\\-state\\-limit", "(pbs.graph"}) {
    EXPECT_TRUE(contains(analyze, part)) << part << "\n" << analyze;
  }
  std::size_t pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("man/man1"))) {
    ++pages;
    if (std::system("man --version > /dev/null 2>&1") != 0) continue;
    const std::string complaints = folder.file("complaints");
    const std::string command = "LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings=all -l -Tutf8 '" +
                                entry.path().string() + "' > /dev/null 2> " + complaints;
    EXPECT_EQ(std::system(command.c_str()), 0) << entry.path();
    EXPECT_EQ(slurp(complaints), "") << entry.path();
    if (std::system("mandoc -h > /dev/null 2>&1") == 0) {
      EXPECT_EQ(std::system(("mandoc -T lint -W error '" + entry.path().string() + "'").c_str()),
                0);
    }
  }
  std::size_t verbs = all_verbs().size() + 1;  // with the page of all
  for (const char* above : {"gpu", "lab"}) verbs += verbs_in({"help", above}).size();
  EXPECT_EQ(pages, verbs);
}

}  // namespace
}  // namespace tactus::cli
