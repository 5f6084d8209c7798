// The recipes of docs/use/ci.md are YAML, and their commands work.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/paths.hpp"

namespace tactus {
namespace {

/// The fenced blocks of YAML in the page, each as one text.
std::vector<std::string> recipes() {
  std::ifstream page(support::source_path("docs/use/ci.md"));
  std::vector<std::string> blocks;
  bool open = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "```yaml") {
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
  const auto folder = std::filesystem::temp_directory_path() / "tactus-recipes-yaml";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(recipes().size(), 2U);
  for (const std::string& recipe : recipes()) {
    std::ofstream(folder / "recipe.yml") << recipe;
    EXPECT_EQ(shell("python3 -c 'import sys, yaml; assert yaml.safe_load(open(sys.argv[1]))' " +
                    (folder / "recipe.yml").string()),
              0)
        << recipe;
  }
  std::filesystem::remove_all(folder);
}

TEST(Recipes, HaveCommandsThatWork) {
  const auto folder = std::filesystem::temp_directory_path() / "tactus-recipes";
  const std::string in = "cd " + folder.string() + " && '" TACTUS_BINARY "' ";
  for (const std::string& recipe : recipes()) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::filesystem::copy(support::source_path("examples/robot.system.json"), folder);
    // As the page says how to make it.
    ASSERT_EQ(shell(in + "analyze robot.system.json --method gcaps.suspend --json > "
                         "robot.verdicts.json"),
              0);
    const auto commands = commands_of(recipe);
    EXPECT_EQ(commands.size(), 2U) << recipe;
    for (const std::string& command : commands) {
      EXPECT_EQ(shell(in + command + " > out.txt"), 0) << command;
    }
    EXPECT_TRUE(std::filesystem::exists(folder / "deadlines.xml"));
    EXPECT_TRUE(std::filesystem::exists(folder / "deadlines.sarif"));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tactus
