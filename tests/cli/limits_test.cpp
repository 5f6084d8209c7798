// What a limit of the machine, a signal or another user's link leaves behind: nothing.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "tests/cli/run_tactus.hpp"
#include "tests/cli/with_arbiter.hpp"

namespace tactus::cli {
namespace {

namespace fs = std::filesystem;

TEST(ALimitOnTheSizeOfFiles, IsToldInOneLineAndLeavesNothing) {
  const TemporaryFolder folder;
  const std::string robot = source_path("examples/robot.system.json");
  const std::vector<std::string> commands = {
      "lab generate common --count 3 -o " + folder.file("out"),
      "report " + robot + " -o " + folder.file("out/page.html"),
      "export " + robot + " --to graphml -o " + folder.file("out/graph"),
  };
  for (const std::string& command : commands) {
    fs::create_directories(folder.file("out"));
    const Ran ran = run_program(
        "/bin/sh", {"-c", fmt::format("ulimit -f 1; exec {} {}", TACTUS_BINARY, command)});
    EXPECT_EQ(ran.exit_code, 2) << command << ran.err;
    EXPECT_NE(ran.err.find("File too large"), std::string::npos) << command << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
    EXPECT_TRUE(fs::is_empty(folder.file("out"))) << command;
    fs::remove_all(folder.file("out"));
  }
}

TEST(ALimitOnTheSizeOfFiles, IsToldByAnArbiterThatCannotShareMemory) {
  const TemporaryFolder folder;
  fs::create_directory(folder.file("own"));
  fs::permissions(folder.file("own"), fs::perms::owner_all);
  const std::string tactusd = fs::path(TACTUS_BINARY).replace_filename("tactusd");
  const Ran ran = run_program("/bin/bash", {"-c", fmt::format("ulimit -f 1; exec {} --socket {}",
                                                              tactusd, folder.file("own/s"))});
  EXPECT_EQ(ran.exit_code, 3) << ran.err;
  EXPECT_EQ(ran.err, "tactusd: cannot make a shared page: File too large\n");
}

TEST(ASignal, IsHandledByVerbsThatWriteFiles) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const char* verb : {"import", "check"}) {
    Background waiting({TACTUS_BINARY, verb, pipe});
    EXPECT_TRUE(eventually([&] {
      const std::string status = slurp("/proc/" + waiting.pid() + "/status");
      const std::size_t at = status.find("SigCgt:");
      if (at == std::string::npos) return false;
      const auto caught = std::stoull(status.substr(at + 7), nullptr, 16);
      constexpr int kAll[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};
      return std::all_of(std::begin(kAll), std::end(kAll),
                         [&](int signal) { return (caught >> (signal - 1) & 1) != 0; });
    })) << verb;
    const int status = waiting.stop(SIGTERM);
    EXPECT_TRUE(WIFSIGNALED(status));
  }
}

TEST(AnotherUsersLink, LeadsToNoNewFolder) {
  const TemporaryFolder folder;
  const std::string shared = folder.file("pub"), precious = folder.file("precious");
  fs::create_directory(shared);
  fs::create_directory(precious);
  ASSERT_EQ(chmod(shared.c_str(), 0777), 0);
  fs::create_directory_symlink(precious, shared + "/link");
  const std::string forklift = source_path("examples/forklift.system.json"),
                    plan = folder.file("plan.json");
  ASSERT_EQ(
      run_tactus({"plan", forklift, "-m", "gcaps.busy", "--variant", "safe-arbiter", "-o", plan})
          .exit_code,
      0);
  const std::vector<std::vector<std::string>> commands = {
      {"lab", "generate", "common", "--count", "1", "-o", shared + "/link/sub"},
      {"lab", "reproduce", "gcaps-table5", "--no-figures", "-o", shared + "/link/sub/deeper"},
      {"deploy", forklift, "--plan", plan, "--accept", "leaves", "-o", shared + "/link/sub"},
  };
  const auto untouched = fs::last_write_time(precious);
  for (const auto& command : commands) {
    const Ran ran = run_tactus(command);
    EXPECT_EQ(ran.exit_code, 2) << command[0] << ran.err;
    EXPECT_NE(ran.err.find("symbolic link"), std::string::npos) << ran.err;
    EXPECT_TRUE(fs::is_empty(precious)) << command[0];
    EXPECT_EQ(fs::last_write_time(precious), untouched)
        << command[0] << ": not for a moment either";
    EXPECT_EQ(ran.err.find(".new-"), std::string::npos) << ran.err;
  }
  // In a folder of one's own it is one's own link.
  fs::create_directory_symlink(precious, folder.file("mine"));
  EXPECT_EQ(run_tactus({"lab", "generate", "common", "--count", "1", "-o", folder.file("mine/a/b")})
                .exit_code,
            0);
  EXPECT_FALSE(fs::is_empty(precious + "/a/b"));
}

}  // namespace
}  // namespace tactus::cli
