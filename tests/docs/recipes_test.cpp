// The recipes of docs/use/ci.md, the action and the hooks are YAML, and their commands work; so do those of
// docs/use/recipes.md.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/docs/pages.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/paths.hpp"

namespace tactus {
namespace {

/// The fenced blocks in a language on a page, each as one text.
std::vector<std::string> blocks_of(const std::string& name, const std::string& language) {
  std::ifstream page(support::source_path(name));
  std::vector<std::string> blocks;
  bool open = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "```" + language) {
      open = true;
      blocks.emplace_back();
    } else if (line.starts_with("```")) {
      open = false;
    } else if (open) {
      blocks.back() += line + "\n";
    }
  }
  return blocks;
}

std::vector<std::string> recipes() { return blocks_of("docs/use/ci.md", "yaml"); }

/// The lines of a recipe that run tactus itself.
std::vector<std::string> commands_of(const std::string& recipe) {
  std::vector<std::string> commands;
  std::istringstream lines(recipe);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t start = line.find_first_not_of(" -");
    if (start != std::string::npos && line.compare(start, 7, "tactus ") == 0) {
      commands.push_back(line.substr(start + 7));
    }
  }
  return commands;
}

int shell(const std::string& command) { return std::system(command.c_str()); }

TEST(Recipes, AreYaml) {
  if (shell("python3 -c 'import yaml' 2> /dev/null") != 0)
    GTEST_SKIP() << "python3-yaml is not here";
  const support::TemporaryFolder folder;
  std::vector<std::string> all = recipes();
  EXPECT_EQ(all.size(), 3U);
  all.push_back(docs::text_of(support::source_path("action.yml")));
  all.push_back(docs::text_of(support::source_path(".pre-commit-hooks.yaml")));
  for (const std::string& recipe : all) {
    EXPECT_EQ(shell("python3 -c 'import sys, yaml; assert yaml.safe_load(open(sys.argv[1]))' " +
                    folder.file("recipe.yml", recipe)),
              0)
        << recipe;
  }
}

TEST(Recipes, HaveCommandsThatWork) {
  const std::vector<std::string> all = recipes();
  for (const std::string& recipe : {all[0], all[1]}) {
    const support::TemporaryFolder folder;
    const std::string in = "cd " + folder.path() + " && '" TACTUS_BINARY "' ";
    std::filesystem::copy(support::source_path("examples/robot.system.json"), folder.path());
    // As the page says how to make it.
    ASSERT_EQ(shell(in + "analyze robot.system.json --method gcaps.suspend --json > "
                         "robot.verdicts.json"),
              0);
    const auto commands = commands_of(recipe);
    EXPECT_EQ(commands.size(), 2U) << recipe;
    for (const std::string& command : commands) {
      EXPECT_EQ(shell(in + command + " > out.txt"), 0) << command;
    }
    EXPECT_TRUE(std::filesystem::exists(folder.file("deadlines.xml")));
    EXPECT_TRUE(std::filesystem::exists(folder.file("deadlines.sarif")));
  }
}

/// Exit code 1 is an answer, too: what is measured on the way depends on the machine.
TEST(Recipes, OfThePageRun) {
  const std::string programs = std::filesystem::path(TACTUS_BINARY).parent_path();
  const bool namespaces = shell("unshare --user --map-root-user --mount true 2> /dev/null") == 0;
  const auto blocks = blocks_of("docs/use/recipes.md", "sh");
  EXPECT_EQ(blocks.size(), 5U);
  for (const std::string& block : blocks) {
    if (!namespaces && block.find("unshare ") != std::string::npos) continue;
    const support::TemporaryFolder folder;
    const std::string in = "cd '" + folder.path() + "' && EXAMPLES='" +
                           support::source_path("examples") + "' DATA='" +
                           support::source_path("tests/data") + "' PATH='" + programs +
                           "':\"$PATH\" && export EXAMPLES DATA PATH && { ";
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);) {
      std::string command = in;
      command += line;
      command += "; } > out.txt 2>&1";
      const int ended = shell(command);
      std::ostringstream out;
      out << std::ifstream(folder.file("out.txt")).rdbuf();
      EXPECT_TRUE(WIFEXITED(ended) && WEXITSTATUS(ended) <= 1) << line << "\n" << out.str();
    }
  }
}

/// docs/use/import.md has these commands and these figures.
TEST(Recipes, OfTheModelLikeThatOfTheWatersChallengeHaveTheFiguresOfThePage) {
  const support::TemporaryFolder folder;
  const std::string in = "cd '" + folder.path() + "' && ";
  ASSERT_EQ(
      shell(in + "python3 '" + support::source_path("examples/waters2019.py") + "' > waters.amxmi"),
      0);
  ASSERT_EQ(shell(in + "'" TACTUS_BINARY "' import waters.amxmi -o waters.system.json > out.txt"),
            0);
  EXPECT_EQ(WEXITSTATUS(shell(
                in + "'" TACTUS_BINARY "' analyze waters.system.json --set GP10B.runlist_update=1 "
                     "--set GP10B.context_switch=0.2 --method gcaps.boost.suspend,mpcp.suspend "
                     "> out.txt")),
            1)
      << "locks fail";
  const std::string said = support::slurp(folder.file("out.txt"));
  for (const char* const figure :
       {"SFM                   33      27.48", "Detection            200      185.9",
        "CANbus_polling to DASM          66.662", "SFM to DASM                     96.781",
        "Lane_detection to DASM          161.58", "Detection to DASM              422.192",
        "Lidar_Grabber to DASM          809.254", "mpcp.suspend: SFM needs"}) {
    EXPECT_NE(said.find(figure), std::string::npos) << figure << "\n" << said;
  }
}

/// What stands behind `key` in a file.
std::string value_in(const std::string& file, const std::string& key) {
  const std::string text = docs::text_of(support::source_path(file));
  const std::size_t at = text.find(key);
  return at == std::string::npos
             ? ""
             : text.substr(at + key.size(), text.find('\n', at) - at - key.size());
}

TEST(Recipes, HaveAnActionAndAHookThatWork) {
  const support::TemporaryFolder folder;
  const std::string robot = support::source_path("examples/robot.system.json");
  const std::string in =
      "cd " + folder.path() + " && PATH=\"$(dirname '" TACTUS_BINARY "'):$PATH\" ";
  const std::string action = value_in("action.yml", "      run: tactus ");
  const std::string hook = value_in(".pre-commit-hooks.yaml", "  entry: ");
  ASSERT_FALSE(action.empty());
  EXPECT_EQ(shell("export FILE=" + robot + " OPTIONS='--method gcaps.suspend --min-slack 5%'; " +
                  in + "tactus " + action + " > out.txt"),
            0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("deadlines.sarif")));
  EXPECT_EQ(shell(in + hook + " " + robot + " " + robot + " > out.txt"), 0);
  EXPECT_NE(shell(in + hook + " " + robot + " " +
                  support::source_path("examples/broken.system.json") + " > out.txt 2>&1"),
            0);
}

}  // namespace
}  // namespace tactus
