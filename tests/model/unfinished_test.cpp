#include "tactus/base/unfinished.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "tactus/base/file.hpp"
#include "tests/support/folder.hpp"

namespace tactus {
namespace {

namespace fs = std::filesystem;

class UnfinishedTest : public testing::Test {
 protected:
  support::TemporaryFolder place_;
  fs::path folder_ = place_.path();
};

TEST_F(UnfinishedTest, FoldersAndAllThatIsInThemAreRemoved) {
  const std::string made = (folder_ / "made").string();
  fs::create_directories(made + "/units");
  std::ofstream(made + "/units/one") << "text";
  unfinished::note(AT_FDCWD, made.c_str());
  unfinished::remove_all();
  EXPECT_FALSE(fs::exists(made));
  EXPECT_TRUE(fs::exists(folder_));
}

TEST_F(UnfinishedTest, WhatIsForgottenStays) {
  const std::string kept = (folder_ / "kept").string();
  std::ofstream(kept) << "text";
  unfinished::note(AT_FDCWD, kept.c_str());
  unfinished::forget(kept.c_str());
  unfinished::remove_all();
  EXPECT_TRUE(fs::exists(kept));
}

TEST_F(UnfinishedTest, AReplacementThatIsBeingWrittenLeavesNothingBesideTheOldFile) {
  const std::string path = (folder_ / "file").string();
  std::ofstream(path) << "old";
  const FileReplacement replacement(path);
  ASSERT_FALSE(replacement.error());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
  unfinished::remove_all();
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(UnfinishedTest, AFileInItsPlaceIsNoLongerUnfinished) {
  const std::string path = (folder_ / "file").string();
  ASSERT_FALSE(write_text_file(path, "new"));
  unfinished::remove_all();
  EXPECT_TRUE(fs::exists(path));
}

/// What `work` leaves behind in a process that it ends. @return how the process ended
int ended_by(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    unfinished::remove_all_at_signals();
    work();
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST_F(UnfinishedTest, ASignalThatEndsTheProgramLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU}) {
    const int status = ended_by([&] {
      const FileReplacement replacement((folder_ / "file").string());
      const std::string made = (folder_ / "made").string();
      fs::create_directories(made + "/units");
      std::ofstream(made + "/units/one") << "text";
      unfinished::note(AT_FDCWD, made.c_str());
      ::raise(signal);
    });
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_TRUE(fs::is_empty(folder_)) << signal;
  }
}

TEST_F(UnfinishedTest, ASignalThatWasIgnoredStaysSo) {
  const int status = ended_by([&] {
    ::signal(SIGHUP, SIG_IGN);
    unfinished::remove_all_at_signals();
    ::raise(SIGHUP);
  });
  EXPECT_FALSE(WIFSIGNALED(status)) << "the second call must not undo the first: " << status;
}

TEST_F(UnfinishedTest, AForkedProcessLeavesTheFilesOfItsParent) {
  const FileReplacement replacement((folder_ / "file").string());
  ended_by([] { ::raise(SIGTERM); });
  EXPECT_FALSE(fs::is_empty(folder_));
}

TEST_F(UnfinishedTest, AFileThatMayNotGrowIsToldByTheWriteAndLeavesNothing) {
  const int status = ended_by([&] {
    const rlimit most{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &most);
    const auto problem = write_text_file((folder_ / "file").string(), std::string(5000, 'x'));
    const bool told = problem && problem->message.find("File too large") != std::string::npos;
    ::_exit(told ? 7 : 8);
  });
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace tactus
