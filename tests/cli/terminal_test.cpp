// What a person sees on a terminal: a real pseudo-terminal of a given size.
#include <gtest/gtest.h>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>

#include <fmt/core.h>

#include "tests/cli/run_tactus.hpp"

namespace tactus::cli {
namespace {

const std::string kRobot = source_path("examples/robot.system.json");
const std::string kForklift = source_path("examples/forklift.system.json");

constexpr unsigned short kWidths[] = {30, 40, 60, 80, 120, 200};

struct Terminal {
  unsigned short columns = 80, rows = 500;
  std::vector<std::pair<std::string, std::string>> environment = {};
};

int typing = -1;  ///< what is written here is typed on the terminal
void type(const std::string& keys) {
  ASSERT_EQ(write(typing, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
}

/// Runs `tactus` on a terminal; standard output and error are both in `out`. `meanwhile` is told the
/// process id and what is on the terminal, whenever there is more.
Ran on_terminal(const Terminal& terminal, const std::vector<std::string>& arguments,
                const std::function<void(pid_t, const std::string&)>& meanwhile = {}) {
  winsize size{};
  size.ws_col = terminal.columns;
  size.ws_row = terminal.rows;
  int master = -1;
  const pid_t child = forkpty(&master, nullptr, nullptr, &size);
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    for (const char* name : {"NO_COLOR", "PAGER", "LESS"}) unsetenv(name);
    for (const auto& [name, value] : terminal.environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> words = {const_cast<char*>("tactus")};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    execv(TACTUS_BINARY, words.data());
    _exit(127);
  }
  typing = master;
  Ran ran;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(master, buffer, sizeof buffer)) > 0;) {
    ran.out.append(buffer, static_cast<std::size_t>(got));
    if (meanwhile) meanwhile(child, ran.out);
  }
  close(master);
  int status = 0;
  waitpid(child, &status, 0);
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

/// Lines as they are seen: without colours, without the terminal's carriage returns.
std::vector<std::string> seen(const std::string& raw) {
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] == '\033') {
      at = raw.find_first_of("mKHJ", at);
      if (at == std::string::npos) break;
    } else if (raw[at] == '\n') {
      lines.emplace_back();
    } else if (raw[at] != '\r') {
      lines.back() += raw[at];
    }
  }
  return lines;
}

/// Characters, not bytes; none of those in our files is wide.
std::size_t columns_of(const std::string& line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::size_t widest(const Ran& ran) {
  std::size_t widest = 0;
  for (const std::string& line : seen(ran.out)) {
    // A command to type is one line, whatever its length: it must be copied as it is.
    if (line.starts_with("Next: ") || line.starts_with("Room: ") ||
        line.starts_with("    tactus ")) {
      continue;
    }
    const std::size_t word = std::min(line.find_first_not_of(' '), line.size());
    if (line.find(' ', word) == std::string::npos) continue;  // one long word
    widest = std::max(widest, columns_of(line));
  }
  return widest;
}

TEST(Terminal, GetsColoursWhereTheyAreWishedFor) {
  const std::vector<std::string> words = {"analyze", kRobot, "--color"};
  const auto with = [&](const char* wish) {
    std::vector<std::string> all = words;
    all.emplace_back(wish);
    return all;
  };
  EXPECT_FALSE(contains(run_tactus(with("auto")).out, "\033["));
  EXPECT_TRUE(contains(run_tactus(with("always")).out, "\033["));
  EXPECT_TRUE(contains(on_terminal({}, with("auto")).out, "\033["));
  EXPECT_FALSE(contains(on_terminal({}, with("never")).out, "\033["));
  EXPECT_EQ(run_tactus(with("blue")).exit_code, 2);
}

TEST(Quiet, LeavesOutNotesAndKeepsProblems) {
  EXPECT_NE(run_tactus({"lab", "generate", "--list", "--seed", "2"}).err, "");
  EXPECT_EQ(run_tactus({"lab", "generate", "--list", "--seed", "2", "--quiet"}).err, "");
  EXPECT_EQ(run_tactus({"check", "/no/such/file", "--quiet"}).err,
            run_tactus({"check", "/no/such/file"}).err);
}

std::vector<std::string> examples() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("examples"))) {
    const std::string path = entry.path().string();
    if (path.ends_with(".system.json") && !path.ends_with("broken.system.json")) {
      files.push_back(path);
    }
  }
  return files;
}

/// Many tasks, with names as long as one likes.
std::string many_tasks(int count, const std::string& name) {
  std::string tasks;
  for (int k = 0; k < count; ++k) {
    tasks += fmt::format(
        R"({}{{"name":"{}_{}","period":{},"core":{},"nodes":[{{"name":"c","on":"cpu","wcet":0.5}},
           {{"name":"g","on":"gpu","wcet":0.25}}]}})",
        k == 0 ? "" : ",", name, k, 40 + 10 * k, k % 7 + 1);
  }
  return fmt::format(R"({{"tactus":1,"name":"many","time_unit":"ms","platform":{{"elements":[
      {{"name":"cpu","kind":"cpu","units":8}},
      {{"name":"gpu","kind":"gpu","units":1,"runlist_update":0.01,"time_slice":1,
        "context_switch":0.01}}]}},"tasks":[{}]}})",
                     tasks);
}

TEST(OnATerminal, NothingIsWiderThanTheTerminal) {
  for (const unsigned short columns : kWidths) {
    for (const std::string& file : examples()) {
      for (const bool details : {false, true}) {
        std::vector<std::string> words = {"analyze", file, "--no-pager"};
        if (details && columns < 40) continue;  // a line of it is a name and its variant
        if (details) words.emplace_back("--details");
        const Ran ran = on_terminal({.columns = columns}, words);
        EXPECT_LE(ran.exit_code, 3);
        EXPECT_LE(widest(ran), columns) << file << " " << details << "\n" << ran.out;
      }
    }
  }
}

TEST(OnATerminal, OneThatIsTooNarrowForTablesGetsTheNarrowest) {
  const Ran ran = on_terminal({.columns = 12}, {"analyze", kRobot, "--no-pager"});
  EXPECT_LE(widest(ran), 30U) << ran.out;
}

TEST(OnATerminal, InitAsksForWhatIsNotSaid) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/robot.system.json";
  const Ran ran =
      on_terminal({}, {"init", "-o", file},
                  [&, typed = std::string::size_type(0)](pid_t, const std::string& so_far) mutable {
                    // A person answers what is asked, and mends what was not understood.
                    static const std::string kAnswers[] = {"4\n",
                                                           "16\n",
                                                           "\n",
                                                           "camera\n",
                                                           "camera 30 Hz, 8 ms GPU\n",
                                                           "camera 5 Hz, 1 ms GPU\n",
                                                           "motor 200 Hz, 1 ms CPU\n",
                                                           "\n",
                                                           "camera > moter, 90\n",
                                                           "camera > motor, 90\n",
                                                           "\n"};
                    const bool asks = so_far.ends_with("]: ") || so_far.ends_with(": ");
                    if (asks && typed < std::size(kAnswers)) type(kAnswers[typed++]);
                  });
  EXPECT_EQ(ran.exit_code, 0) << ran.out;
  EXPECT_TRUE(contains(ran.out, "expected a rate such as `30 Hz`")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "there is a task `camera` already")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "there is no task `moter`")) << ran.out;
  EXPECT_TRUE(contains(slurp(file), "\"reaction\": 90")) << slurp(file);
  EXPECT_TRUE(contains(slurp(file), "\"units\": 16, ")) << slurp(file);
  EXPECT_TRUE(contains(slurp(file), "Costs: h200/channel")) << slurp(file);
}

TEST(OnATerminal, TablesOfOtherVerbsFitNarrowOnesToo) {
  const std::string warehouse = source_path("examples/warehouse-pipeline.system.json");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"slack", source_path("examples/gcaps-table2.system.json"),
                                 "--method", "gcaps.suspend", "--quiet"},
        std::vector<std::string>{"analyze", warehouse, "--no-pager"}}) {
    const Ran ran = on_terminal({.columns = 30}, words);
    EXPECT_LE(ran.exit_code, 1) << ran.out;
    EXPECT_LE(widest(ran), 30U) << ran.out;
  }
}

TEST(OnATerminal, ProgressIsOneLineHoweverNarrow) {
  for (const unsigned short columns : {kWidths[0], kWidths[3]}) {
    const Ran ran = on_terminal({.columns = columns},
                                {"lab", "validate", "--method", "gcaps.suspend", "--count", "200"});
    EXPECT_TRUE(contains(ran.out, "[")) << ran.out;
    std::size_t begin = 0;
    while ((begin = ran.out.find("\r\033[K[", begin)) != std::string::npos) {
      begin += 4;
      const std::string line = ran.out.substr(begin, ran.out.find_first_of("\r\n", begin) - begin);
      EXPECT_LT(columns_of(line), columns) << line;
    }
  }
}

TEST(OnATerminal, ReproducingEverythingSaysHowLongAndAsks) {
  const Ran ran = on_terminal({}, {"lab", "reproduce", "-j", "2"},
                              [asked = false](pid_t, const std::string& so_far) mutable {
                                if (!asked && contains(so_far, "Go on? (y)")) {
                                  asked = true;
                                  type("n\n");
                                }
                              });
  EXPECT_EQ(ran.exit_code, 3) << ran.out;
  EXPECT_TRUE(contains(ran.out, " min with 2 threads")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "nothing is run")) << ran.out;
}

TEST(OnATerminal, ManyTasksAndLongNamesDoNotBreakTheTable) {
  const TemporaryFolder folder;
  const std::string many = folder.file("many", many_tasks(30, "task"));
  const std::string long_names =
      folder.file("long", many_tasks(6, "perception_pipeline_of_the_front_camera_number"));
  const std::string one = folder.file("one", many_tasks(1, "t"));
  for (const unsigned short columns : kWidths) {
    for (const std::string& file : {many, long_names, one}) {
      const Ran ran = on_terminal({.columns = columns}, {"analyze", file, "--no-pager"});
      EXPECT_EQ(ran.exit_code, 0) << ran.out;
      EXPECT_LE(widest(ran), columns) << ran.out;
    }
  }
  const Ran narrow = on_terminal({.columns = 60}, {"analyze", many, "--no-pager"});
  for (const std::string task : {"task_0 ", "task_17 ", "task_29 "}) {
    EXPECT_NE(narrow.out.find(task), std::string::npos) << task << narrow.out;
  }
}

TEST(OnATerminal, ColoursAreLeftOutOnRequest) {
  EXPECT_NE(on_terminal({}, {"analyze", kRobot}).out.find("\033["), std::string::npos);
  EXPECT_EQ(
      on_terminal({.environment = {{"NO_COLOR", "1"}}}, {"analyze", kRobot}).out.find("\033["),
      std::string::npos);
}

TEST(OnATerminal, ALongRunShowsALiveLineAndItsReportOnSigusr1) {
  enum { kBegun, kAsked, kStopped } state = kBegun;
  const Ran ran =
      on_terminal({.columns = 120},
                  {"run", source_path("examples/pbs-drone.system.json"), "--method", "pbs.graph",
                   "--until-stopped"},
                  [&](pid_t tactus, const std::string& so_far) {
                    if (state == kBegun && so_far.find(" jobs, 0 misses, 0 longer than a bound") !=
                                               std::string::npos) {
                      kill(tactus, SIGUSR1);
                      state = kAsked;
                    } else if (state == kAsked && so_far.find("Batches: ") != std::string::npos) {
                      kill(tactus, SIGINT);
                      state = kStopped;
                    }
                  });
  EXPECT_EQ(state, kStopped) << ran.out;
  EXPECT_NE(ran.out.find("Batches: "), ran.out.rfind("Batches: ")) << "the last report, too";
}

TEST(Pager, ShowsWhatIsLongerThanTheTerminal) {
  const TemporaryFolder folder;
  const std::string paged = folder.file("paged");
  const Terminal terminal{.rows = 10, .environment = {{"PAGER", "cat > " + paged}}};
  const Ran ran = on_terminal(terminal, {"analyze", kForklift});
  EXPECT_EQ(ran.exit_code, 0) << "of the analysis, not of the pager";
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(slurp(paged).find("forklift: "), std::string::npos);
  const Ran off = on_terminal(terminal, {"analyze", kForklift, "--no-pager"});
  EXPECT_NE(off.out.find("forklift: "), std::string::npos);
}

TEST(Pager, IsNotStartedForShortTextNorWhereThereIsNoTerminal) {
  const Terminal tall{.rows = 500, .environment = {{"PAGER", "echo paged; cat > /dev/null"}}};
  EXPECT_EQ(on_terminal(tall, {"analyze", kForklift}).out.find("paged"), std::string::npos);
  EXPECT_NE(run_tactus({"analyze", kForklift}).out.find("forklift: "), std::string::npos);
}

TEST(Pager, MayBeTurnedOffLackingOrLeftEarly) {
  for (const std::string pager : {"", "cat", "/no/such/pager"}) {
    const Ran ran =
        on_terminal({.rows = 10, .environment = {{"PAGER", pager}}}, {"analyze", kForklift});
    EXPECT_EQ(ran.exit_code, 0) << pager;
    EXPECT_NE(ran.out.find("forklift: "), std::string::npos) << pager << ran.out;
  }
  const Ran left = on_terminal({.rows = 10, .environment = {{"PAGER", "head -n 1"}}},
                               {"analyze", kForklift, "--details"});
  EXPECT_EQ(left.exit_code, 0);
  EXPECT_LE(seen(left.out).size(), 2U) << left.out;
}

TEST(Pager, IsToldToShowColoursAndToLeaveShortTextsAsGitDoes) {
  const Terminal terminal{.rows = 10, .environment = {{"PAGER", "cat > /dev/null; echo $LESS"}}};
  EXPECT_EQ(on_terminal(terminal, {"analyze", kForklift}).out, "FRX\r\n");
}

}  // namespace
}  // namespace tactus::cli
