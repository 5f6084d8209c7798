// Who may be the arbiter, who may speak to it, and for what.
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "tactus/arbiter/client/observer.hpp"
#include "tactus/arbiter/daemon/listening_socket.hpp"
#include "tactus/arbiter/daemon/permissions.hpp"
#include "tests/arbiter/arbiter_here.hpp"

namespace tactus::arbiter::daemon {
namespace {

TEST(ListeningSocket, IsPrivateAndReplacesAStaleOne) {
  const Folder folder;
  const std::string path = folder.file("own/tactus.sock");
  struct stat found {};
  {
    auto socket = ListeningSocket::open(path, std::nullopt);
    ASSERT_TRUE(socket) << socket.error().message;
    ASSERT_EQ(stat(path.c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0600U);
    ASSERT_EQ(stat(folder.file("own").c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777, 0700U);
    const auto second = ListeningSocket::open(path, std::nullopt);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find("another arbiter is running"), std::string::npos);
  }
  EXPECT_NE(stat(path.c_str(), &found), 0);
  const int left_over = socket(AF_UNIX, SOCK_SEQPACKET, 0);  // as by an arbiter that was killed
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(left_over, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  close(left_over);
  EXPECT_TRUE(ListeningSocket::open(path, std::nullopt));
}

TEST(ListeningSocket, RemovesNothingButASocket) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("own"));
  chmod(folder.file("own").c_str(), 0700);
  const std::string path = folder.file("own/thesis.tex");
  std::ofstream(path) << "years of work";
  EXPECT_FALSE(ListeningSocket::open(path, std::nullopt));
  EXPECT_EQ(std::filesystem::file_size(path), 13U);
}

TEST(ListeningSocket, RefusesAFolderThatItsGroupCannotEnter) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("own"));
  chmod(folder.file("own").c_str(), 0700);
  EXPECT_TRUE(ListeningSocket::open(folder.file("own/s"), std::nullopt));
  EXPECT_FALSE(ListeningSocket::open(folder.file("own/s"), getegid()));
  chmod(folder.file("own").c_str(), 0750);
  EXPECT_TRUE(ListeningSocket::open(folder.file("own/s"), getegid()));
}

TEST(ListeningSocket, RefusesAFolderThatOthersCanWrite) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("open"));
  chmod(folder.file("open").c_str(), 0777);
  EXPECT_FALSE(ListeningSocket::open(folder.file("open/tactus.sock"), std::nullopt));
  EXPECT_FALSE(ListeningSocket::open("tactus.sock", std::nullopt));
  EXPECT_FALSE(ListeningSocket::open(folder.file(std::string(200, 'x') + "/s"), std::nullopt));
}

TEST(ListeningSocket, RefusesAWayThatOthersCanTurnElsewhere) {
  const Folder folder;
  std::filesystem::create_directories(folder.file("open/own"));
  chmod(folder.file("open").c_str(), 0777);
  chmod(folder.file("open/own").c_str(), 0700);
  EXPECT_FALSE(ListeningSocket::open(folder.file("open/own/s"), std::nullopt));
  chmod(folder.file("open").c_str(), 01777);  // names belong to whoever made them
  EXPECT_TRUE(ListeningSocket::open(folder.file("open/own/s"), std::nullopt));
  if (geteuid() != 0) return;
  std::filesystem::create_symlink(folder.file("open/own"), folder.file("open/link"));
  EXPECT_TRUE(ListeningSocket::open(folder.file("open/link/sub/s"), std::nullopt));
  ASSERT_EQ(lchown(folder.file("open/link").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(ListeningSocket::open(folder.file("open/link/sub/s"), std::nullopt));
  ASSERT_EQ(chown(folder.file("open/own").c_str(), 65534, 65534), 0);  // squatted
  EXPECT_FALSE(ListeningSocket::open(folder.file("open/own/s"), std::nullopt));
}

TEST(ListeningSocket, IsNotTakenFromAnArbiterWhoseLockFileWasRemoved) {
  const Folder folder;
  const std::string path = folder.file("own/s");
  auto first = ListeningSocket::open(path, std::nullopt);
  ASSERT_TRUE(first);
  std::filesystem::remove(path + ".lock");
  const auto second = ListeningSocket::open(path, std::nullopt);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another arbiter is running"), std::string::npos);
}

TEST(ListeningSocket, RemovesNoSocketButItsOwn) {
  const Folder folder;
  const std::string path = folder.file("own/s");
  auto first = std::make_unique<Result<ListeningSocket>>(ListeningSocket::open(path, std::nullopt));
  ASSERT_TRUE(*first);
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".lock");
  const auto second = ListeningSocket::open(path, std::nullopt);
  ASSERT_TRUE(second) << second.error().message;
  first.reset();
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST(Permissions, AreReadAndRefused) {
  Permissions permissions;
  EXPECT_TRUE(permissions.allows(1, Urgency::real_time(99)));
  EXPECT_FALSE(permissions.add("4242:10-20"));
  EXPECT_FALSE(permissions.add("*:best-effort"));
  EXPECT_FALSE(permissions.add("4243:-5--1"));
  EXPECT_TRUE(permissions.allows(4242, Urgency::real_time(10)));
  EXPECT_FALSE(permissions.allows(4242, Urgency::real_time(21)));
  EXPECT_TRUE(permissions.allows(4243, Urgency::real_time(-3)));
  EXPECT_FALSE(permissions.allows(1, Urgency::real_time(1)));
  EXPECT_TRUE(permissions.allows(1, Urgency{}));
  for (const char* wrong : {"", "x", "4242:", "4242:a-b", "4242:5-1", ":1-2", "no-such-user:1-2"})
    EXPECT_TRUE(permissions.add(wrong)) << wrong;
  for (const char* wrong : {"a\nb", "a\nb:1-2"})
    EXPECT_EQ(permissions.add(wrong)->message.find('\n'), std::string::npos) << "one line";
}

TEST(Connection, ObeysNoStrangerInTheUsualPlace) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be somebody else";
  constexpr uid_t kStranger = 65534;
  const Folder folder;
  chmod(folder.file("").c_str(), 01777);
  const pid_t stranger = fork();
  if (stranger == 0) {
    if (setgid(kStranger) != 0 || setuid(kStranger) != 0) _exit(1);
    DaemonOptions options;
    options.socket = folder.file("tactus/tactus.sock");
    auto daemon = Daemon::open(options);
    if (daemon) (*daemon)->run();
    _exit(1);
  }
  const std::string path = folder.file("tactus/tactus.sock");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(path); }));
  const pid_t victim = fork();
  if (victim == 0) {
    setenv("XDG_RUNTIME_DIR", folder.file("").c_str(), 1);
    unsetenv(kSocketVariable);
    client::Connection connection;
    const bool refused = !connection.open(nullptr, "victim");
    const bool said = std::string(connection.problem()).find("another user's") != std::string::npos;
    const auto observer = client::Observer::open("");
    const bool unseen =
        !observer && observer.error().message.find("another user's") != std::string::npos;
    // Whoever is told to go there knows what it does.
    const bool told = connection.open(path.c_str(), "victim") && client::Observer::open(path);
    _exit(refused && said && unseen && told ? 0 : 1);
  }
  int status = -1;
  waitpid(victim, &status, 0);
  EXPECT_EQ(status, 0);
  kill(stranger, SIGKILL);
  waitpid(stranger, nullptr, 0);
}

TEST(Daemon, LetsInNobodyButItsOwnUserAndItsGroup) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be somebody else";
  constexpr uid_t kOther = 65534;
  constexpr gid_t kFriends = 4242, kNobody = 65534;
  DaemonOptions options;
  options.group = kFriends;
  ASSERT_FALSE(options.permissions.add("*:1-50"));
  ArbiterHere arbiter(options);
  chmod(std::filesystem::path(arbiter.socket()).parent_path().parent_path().c_str(), 0755);
  const auto as_other = [&](gid_t group, const std::function<bool(FlagClient&)>& holds) {
    const pid_t child = fork();
    if (child == 0) {
      if (setgroups(0, nullptr) != 0 || setgid(group) != 0 || setuid(kOther) != 0) _exit(2);
      FlagClient client(arbiter.socket());
      _exit(holds(client) ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  };
  EXPECT_EQ(as_other(kNobody, [](FlagClient& c) { return !c.connected; }), 0);
  EXPECT_EQ(as_other(kFriends,
                     [](FlagClient& c) {
                       return c.connected && c.begin(51) == client::Outcome::kForbidden &&
                              c.begin(50) == client::Outcome::kRunning;
                     }),
            0);
  // Not root, so never on the fast path: everything it did was decided.
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"forbid\""); }));
  EXPECT_TRUE(eventually([&] { return arbiter.logged("\"gone\""); }));
}

}  // namespace
}  // namespace tactus::arbiter::daemon
