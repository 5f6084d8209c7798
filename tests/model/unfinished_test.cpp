#include "tactus/model/unfinished.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tactus/model/file.hpp"
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

}  // namespace
}  // namespace tactus
