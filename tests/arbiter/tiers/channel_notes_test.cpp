#include "tactus/arbiter/tiers/channel_notes.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/folder.hpp"

namespace tactus::arbiter::tiers {
namespace {

constexpr TierCost kCost = {760'000, 650'000, 380'000, 350'000, 50};
constexpr TierCost kForged = {1, 1, 1, 1, 1};

/// A place for the folder, and one for what an attacker is after.
class ChannelNotesTest : public testing::Test {
 protected:
  ChannelNotes notes() const { return {folder_, "580.159.04", 0}; }
  /// What the file of the notes is called.
  std::string name_of_the_note() const {
    const ChannelNotes elsewhere(place_ + "/elsewhere", "580.159.04", 0);
    return elsewhere.path().substr(elsewhere.path().rfind('/'));
  }
  void forge() const { std::ofstream(folder_ + name_of_the_note()) << to_text(kForged) << "\n"; }
  bool nothing_new_in_folder() const {
    const auto entries = std::filesystem::directory_iterator(folder_);
    return std::distance(begin(entries), end(entries)) == 1;  // the forged one
  }

  support::TemporaryFolder temporary_;
  std::string place_ = temporary_.path(), folder_ = place_ + "/own";
};

TEST_F(ChannelNotesTest, AreKeptForTheNextTime) {
  EXPECT_FALSE(notes().read());
  notes().write(kCost);
  const auto kept = notes().read();
  ASSERT_TRUE(kept);
  EXPECT_EQ(to_text(*kept), to_text(kCost));
  EXPECT_FALSE(ChannelNotes(folder_, "580.200.00", 0).read()) << "another driver";
  EXPECT_FALSE(ChannelNotes(folder_, "580.159.04", 1).read()) << "another GPU";
}

TEST_F(ChannelNotesTest, AreNotKeptInAFolderThatOthersMayWrite) {
  std::filesystem::create_directory(folder_);
  forge();
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  EXPECT_FALSE(notes().read());
  notes().write(kCost);
  EXPECT_TRUE(nothing_new_in_folder());
}

TEST_F(ChannelNotesTest, AreNotKeptInAFolderThatSomebodyElseMadeFirst) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  std::filesystem::create_directory(folder_);
  forge();
  ASSERT_EQ(chmod(folder_.c_str(), 0755), 0);
  ASSERT_EQ(chown(folder_.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(notes().read());
  notes().write(kCost);
  EXPECT_TRUE(nothing_new_in_folder());
}

TEST_F(ChannelNotesTest, AreNotKeptBehindALinkThatSomebodyElseHasLaid) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  std::filesystem::create_directory(place_ + "/victim");
  std::filesystem::create_directory_symlink(place_ + "/victim", folder_);
  ASSERT_EQ(lchown(folder_.c_str(), 12345, 12345), 0);
  notes().write(kCost);
  EXPECT_TRUE(std::filesystem::is_empty(place_ + "/victim"));
}

TEST_F(ChannelNotesTest, AreNotBelievedWhereAnotherWroteThem) {
  std::filesystem::create_directory(folder_);
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
  forge();
  EXPECT_TRUE(notes().read());
  ASSERT_EQ(chmod((folder_ + name_of_the_note()).c_str(), 0666), 0);
  EXPECT_FALSE(notes().read()) << "others may write it";
  std::filesystem::rename(folder_ + name_of_the_note(), place_ + "/elsewhere-note");
  ASSERT_EQ(chmod((place_ + "/elsewhere-note").c_str(), 0600), 0);
  std::filesystem::create_symlink(place_ + "/elsewhere-note", folder_ + name_of_the_note());
  EXPECT_FALSE(notes().read()) << "a link";
}

}  // namespace
}  // namespace tactus::arbiter::tiers
