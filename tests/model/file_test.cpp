#include "tactus/base/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/folder.hpp"

namespace tactus {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for every test.
class FileTest : public testing::Test {
 protected:
  ~FileTest() override { fs::permissions(folder_, fs::perms::owner_all); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static void put(const std::string& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  static std::string get(const std::string& path) { return support::slurp(path); }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  support::TemporaryFolder place_;
  fs::path folder_ = place_.path();
};

/// Acts as a user without privileges while it lives: permissions do not bind root.
class Unprivileged {
 public:
  Unprivileged() : effective_(::geteuid()), changed_(effective_ == 0 && ::seteuid(65534) == 0) {}
  ~Unprivileged() {
    if (changed_ && ::seteuid(effective_) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  bool active() const { return ::geteuid() != 0; }

 private:
  uid_t effective_;
  bool changed_;
};

std::string read_error(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  return text ? "read " + std::to_string(text->size()) + " bytes" : text.error().message;
}
std::string write_error(const std::string& path, std::string_view text) {
  const std::optional<Error> error = write_text_file(path, text);
  return error ? error->message : "written";
}

TEST_F(FileTest, ReadsAFileAsItIs) {
  const std::string text("a\0\r\n\xFF", 5);
  put(path("f"), text);
  EXPECT_EQ(*read_text_file(path("f")), text);
  put(path("empty"), "");
  EXPECT_EQ(*read_text_file(path("empty")), "");
}

TEST_F(FileTest, ReadsFilesWhoseSizeIsNotKnownBefore) {
  EXPECT_FALSE(read_text_file("/proc/self/status")->empty());
}

TEST_F(FileTest, SaysThatAFileIsMissing) {
  EXPECT_EQ(read_error(path("f")), "cannot open " + path("f") + ": No such file or directory");
}

TEST_F(FileTest, SaysThatAPathIsADirectory) {
  EXPECT_EQ(read_error(folder_), "cannot read " + folder_.string() + ": it is a directory");
}

TEST_F(FileTest, SaysThatAFileIsUnreadable) {
  put(path("f"), "secret");
  ::chmod(folder_.c_str(), 0755);
  ::chmod(path("f").c_str(), 0);
  const Unprivileged user;
  if (!user.active()) GTEST_SKIP() << "cannot act as another user";
  EXPECT_EQ(read_error(path("f")), "cannot open " + path("f") + ": Permission denied");
}

TEST_F(FileTest, RefusesAFileTooLargeWithoutReadingIt) {
  put(path("f"), "");
  fs::resize_file(path("f"), kMaxFileBytes + 1);
  EXPECT_EQ(read_error(path("f")), "cannot read " + path("f") + ": larger than 512 MiB");
}

TEST_F(FileTest, ReadsAPipeToItsEnd) {
  ASSERT_EQ(::mkfifo(path("p").c_str(), 0600), 0);
  const std::string text(1'000'000, 'x');
  std::thread writer([&] { put(path("p"), text); });
  EXPECT_EQ(*read_text_file(path("p")), text);
  writer.join();
}

TEST_F(FileTest, ReadsAPipeThatClosesAtOnceAsEmpty) {
  ASSERT_EQ(::mkfifo(path("p").c_str(), 0600), 0);
  std::thread writer([&] { ::close(::open(path("p").c_str(), O_WRONLY)); });
  EXPECT_EQ(*read_text_file(path("p")), "");
  writer.join();
}

TEST_F(FileTest, ReadsStandardInput) {
  put(path("f"), "from stdin");
  const int saved = ::dup(STDIN_FILENO), file = ::open(path("f").c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  ::close(file);
  const Result<std::string> text = read_text_file("-");
  const bool still_open = ::fcntl(STDIN_FILENO, F_GETFD) != -1;
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  EXPECT_EQ(*text, "from stdin");
  EXPECT_TRUE(still_open);
}

TEST_F(FileTest, WritesANewFileThatOthersMayRead) {
  const mode_t mask = ::umask(022);
  EXPECT_EQ(write_error(path("f"), "text"), "written");
  ::umask(mask);
  EXPECT_EQ(get(path("f")), "text");
  EXPECT_EQ(fs::status(path("f")).permissions(), static_cast<fs::perms>(0644));
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(FileTest, ReplacesAFileAndKeepsItsMode) {
  put(path("f"), "old");
  ::chmod(path("f").c_str(), 0600);
  EXPECT_EQ(write_error(path("f"), "new"), "written");
  EXPECT_EQ(get(path("f")), "new");
  EXPECT_EQ(fs::status(path("f")).permissions(), static_cast<fs::perms>(0600));
}

TEST_F(FileTest, WritesThroughASymbolicLink) {
  put(path("f"), "old");
  fs::create_symlink("f", path("link"));
  EXPECT_EQ(write_error(path("link"), "new"), "written");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(get(path("f")), "new");
}

/// A folder like /tmp, and beside it a file of ours that an attacker would like us to overwrite.
class SharedFolderTest : public FileTest {
 protected:
  SharedFolderTest() {
    fs::create_directory(path("shared"));
    fs::create_directory(path("home"));
    put(path("home/.bashrc"), "precious");
    ::chmod(path("shared").c_str(), 01777);
  }
  void expect_refused(const std::string& name) {
    EXPECT_EQ(write_error(path(name), "text"),
              "cannot write " + path(name) + ": there is a symbolic link in " + path("shared") +
                  ", which others may write to; give the path of the file that it points to");
    EXPECT_EQ(get(path("home/.bashrc")), "precious");
    EXPECT_EQ(std::distance(fs::directory_iterator(path("home")), fs::directory_iterator()), 1);
  }
};

TEST_F(SharedFolderTest, NoLinkIsFollowed) {
  fs::create_symlink(path("home/.bashrc"), path("shared/plan"));
  expect_refused("shared/plan");
  EXPECT_TRUE(fs::is_symlink(path("shared/plan")));
}

TEST_F(SharedFolderTest, NoLinkIsFollowedThatLeadsNowhereYet) {
  fs::create_symlink(path("home/.profile"), path("shared/plan"));
  expect_refused("shared/plan");
}

TEST_F(SharedFolderTest, NoLinkIsFollowedOnTheWay) {
  fs::create_directory_symlink(path("home"), path("shared/results"));
  expect_refused("shared/results/.bashrc");
  expect_refused("shared/results/new");
  expect_refused("shared/../shared/./results/new");
}

TEST_F(SharedFolderTest, NoLinkIsFollowedThatALinkOfOursLeadsTo) {
  fs::create_symlink(path("home/.bashrc"), path("shared/plan"));
  fs::create_symlink("shared/plan", path("mine"));
  EXPECT_NE(write_error(path("mine"), "text"), "written");
  EXPECT_EQ(get(path("home/.bashrc")), "precious");
}

TEST_F(SharedFolderTest, IsOneThatAGroupMayWriteOrAnotherUserHas) {
  fs::create_symlink(path("home/.bashrc"), path("shared/plan"));
  ::chmod(path("shared").c_str(), 0775);
  expect_refused("shared/plan");
  ::chmod(path("shared").c_str(), 0755);
  constexpr uid_t kNobody = 65534;
  if (::chown(path("shared").c_str(), kNobody, kNobody) != 0) GTEST_SKIP() << "needs root";
  expect_refused("shared/plan");
}

TEST_F(SharedFolderTest, TakesFilesOfOurOwn) {
  EXPECT_EQ(write_error(path("shared/plan"), "text"), "written");
  EXPECT_EQ(write_error(path("shared/plan"), "again"), "written");
  EXPECT_EQ(get(path("shared/plan")), "again");
  fs::create_symlink("../shared/plan", path("home/link"));
  EXPECT_EQ(write_error(path("home/link"), "through"), "written") << "the link is in our folder";
  EXPECT_EQ(get(path("shared/plan")), "through");
}

TEST_F(SharedFolderTest, DoesNotLendItsModeToOurFile) {
  put(path("shared/plan"), "old");
  ::chmod(path("shared/plan").c_str(), 0666);
  ::chmod(path("shared").c_str(), 0777);
  constexpr uid_t kNobody = 65534;
  if (::chown(path("shared/plan").c_str(), kNobody, kNobody) != 0) GTEST_SKIP() << "needs root";
  const mode_t mask = ::umask(022);
  EXPECT_EQ(write_error(path("shared/plan"), "text"), "written");
  ::umask(mask);
  EXPECT_EQ(fs::status(path("shared/plan")).permissions(), static_cast<fs::perms>(0644));
}

TEST_F(SharedFolderTest, HoldsNoPipeOfAnotherUser) {
  ASSERT_EQ(::mkfifo(path("shared/p").c_str(), 0666), 0);
  constexpr uid_t kNobody = 65534;
  if (::chown(path("shared/p").c_str(), kNobody, kNobody) != 0) GTEST_SKIP() << "needs root";
  EXPECT_EQ(write_error(path("shared/p"), "text"),
            "cannot write " + path("shared/p") + ": it is not a file, and belongs to another user");
}

TEST_F(SharedFolderTest, NeverLeadsElsewhereHoweverFastItChanges) {
  // Somebody exchanges the file and a link again and again while we write.
  fs::create_symlink(path("home/.bashrc"), path("shared/link"));
  put(path("shared/plan"), "old");
  std::atomic<bool> done = false;
  std::thread attacker([&] {
    while (!done) {
      ::renameat2(AT_FDCWD, path("shared/plan").c_str(), AT_FDCWD, path("shared/link").c_str(),
                  RENAME_EXCHANGE);
    }
  });
  for (int i = 0; i < 500; ++i) write_error(path("shared/plan"), "text");
  done = true;
  attacker.join();
  EXPECT_EQ(get(path("home/.bashrc")), "precious");
}

TEST_F(FileTest, WritesToADescriptorAfterWhatIsThere) {
  put(path("f"), "before ");
  const int open = ::open(path("f").c_str(), O_WRONLY);
  EXPECT_EQ(write_error("/proc/self/fd/" + std::to_string(open), "after"), "written");
  ::close(open);
  EXPECT_EQ(get(path("f")), "before after");
}

TEST_F(FileTest, MakesNoFileOfTheNameOfAFolder) {
  EXPECT_EQ(write_error(path("d/"), "text"), "cannot write " + path("d/") + ": Is a directory");
  EXPECT_EQ(write_error("", "text"), "cannot write : No such file or directory");
  fs::create_symlink("loop", path("loop"));
  EXPECT_EQ(write_error(path("loop"), "text"),
            "cannot write " + path("loop") + ": Too many levels of symbolic links");
}

TEST_F(FileTest, LeavesTheOldFileWhenTheNewOneDoesNotFit) {
  put(path("f"), "old");
  struct rlimit limit {};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit tight = {1000, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &tight);
  const std::string error = write_error(path("f"), std::string(100'000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(error, "cannot write " + path("f") + ": File too large");
  EXPECT_EQ(get(path("f")), "old");
  EXPECT_EQ(files_in_folder(), 1U) << "the half-written file must go";
}

TEST_F(FileTest, SaysThatADeviceIsFullAndLeavesItADevice) {
  // Through a link, so that a mistake here costs the link and not the device.
  fs::create_symlink("/dev/full", path("full"));
  EXPECT_EQ(write_error(path("full"), "text"),
            "cannot write " + path("full") + ": No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
  EXPECT_TRUE(fs::is_symlink(path("full")));
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(FileTest, WritesIntoAPipe) {
  ASSERT_EQ(::mkfifo(path("p").c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = get(path("p")); });
  EXPECT_EQ(write_error(path("p"), "text"), "written");
  reader.join();
  EXPECT_EQ(received, "text");
  EXPECT_TRUE(fs::is_fifo(path("p")));
}

TEST_F(FileTest, DoesNotWriteOverADirectory) {
  fs::create_directory(path("d"));
  EXPECT_EQ(write_error(path("d"), "text"), "cannot write " + path("d") + ": Is a directory");
}

TEST_F(FileTest, SaysThatTheFolderIsMissing) {
  EXPECT_EQ(write_error(path("no/f"), "text"),
            "cannot write " + path("no/f") + ": No such file or directory");
}

TEST_F(FileTest, SaysThatTheFolderIsReadOnly) {
  ::chmod(folder_.c_str(), 0555);
  const Unprivileged user;
  if (!user.active()) GTEST_SKIP() << "cannot act as another user";
  EXPECT_EQ(write_error(path("f"), "text"), "cannot write " + path("f") + ": Permission denied");
}

TEST_F(FileTest, RespectsAReadOnlyFile) {
  put(path("f"), "precious");
  ::chmod(path("f").c_str(), 0444);
  ::chmod(folder_.c_str(), 0777);
  {
    const Unprivileged user;
    if (!user.active()) GTEST_SKIP() << "cannot act as another user";
    EXPECT_EQ(write_error(path("f"), "text"), "cannot write " + path("f") + ": Permission denied");
  }
  EXPECT_EQ(get(path("f")), "precious");
}

}  // namespace
}  // namespace tactus
