#include "tactus/arbiter/daemon/event_log.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tactus/arbiter/daemon/log_writer.hpp"
#include "tactus/host/clock.hpp"
#include "tests/arbiter/arbiter_here.hpp"

namespace tactus::arbiter::daemon {
namespace {

using support::slurp;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST(EventLog, KeepsLinesInOrderAndWholeUntilItsEnd) {
  const Folder folder;
  const std::string path = folder.file("log");
  {
    auto log = EventLog::open(path);
    ASSERT_TRUE(log) << log.error().message;
    for (int i = 0; i < 1000; ++i) {
      log->line("begin", 0, R"("number": {})", i);
      if (i % 7 == 0) log->flush();
    }
  }
  const std::string text = slurp(path);
  std::size_t at = 0;
  for (int i = 0; i < 1000; ++i) {
    at = text.find("\"number\": " + std::to_string(i) + "}\n", at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST(EventLog, IsNeverWaitedForWhenNobodyReadsThePipeItGoesTo) {
  const Folder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(EventLog::open(path));  // nobody reads it: told at once
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  {
    auto log = EventLog::open(path);
    ASSERT_TRUE(log) << log.error().message;
    const std::string long_text(1000, 'x');
    // Far more than fits into a pipe and into memory; the test ends, so nobody waited.
    for (int i = 0; i < 20'000; ++i) {
      log->line("begin", 0, R"("text": "{}")", long_text);
      log->flush();
    }
    close(reader);  // and now there is nobody left at all
    for (int i = 0; i < 100; ++i) {
      log->line("begin", 0);
      log->flush();
    }
  }
}

TEST(EventLog, SaysHowManyLinesAreMissing) {
  const Folder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  std::string got;
  constexpr std::size_t kLines = 20'000;
  {
    auto log = EventLog::open(path);
    ASSERT_TRUE(log) << log.error().message;
    const std::string long_text(1000, 'x');
    for (std::size_t i = 0; i < kLines; ++i) {
      log->line("begin", 0, R"("text": "{}")", long_text);
      log->flush();
    }
    const auto read_some = [&] {
      std::string text(100'000, 0);
      const ssize_t some = read(reader, text.data(), text.size());
      if (some > 0) got.append(text, 0, static_cast<std::size_t>(some));
    };
    EXPECT_TRUE(eventually([&] {
      read_some();
      log->line("end", 0);
      log->flush();
      return got.find("\"dropped\"") != std::string::npos;
    }));
  }
  const std::size_t at = got.find("\"lines\": ");
  ASSERT_NE(at, std::string::npos);
  EXPECT_GT(std::stoul(got.substr(at + 9)), 0U);
  EXPECT_LE(count(got, "\"begin\"") + std::stoul(got.substr(at + 9)), kLines);
  close(reader);
}

TEST(EventLog, OutlivesAFileThatMustNotGrow) {
  const Folder folder;
  const std::string path = folder.file("log");
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);  // told by a signal that kills
    {
      auto log = EventLog::open(path);
      for (int i = 0; log && i < 1000; ++i) {
        log->line("begin", 0, R"("number": {})", i);
        log->flush();
        if (i == 500) usleep(50'000);
      }
    }
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(slurp(path).size(), 4096U);
}

TEST(EventLog, GoesOnInANewFileWhenTheOldOneWasMovedAway) {
  const Folder folder;
  const std::string path = folder.file("log");
  auto log = EventLog::open(path);
  ASSERT_TRUE(log);
  log->line("before", 0);
  log->flush();
  ASSERT_TRUE(eventually([&] { return slurp(path).find("before") != std::string::npos; }));
  std::filesystem::rename(path, folder.file("log.1"));
  log->reopen();
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(path); }));
  log->line("after", 0);
  log->flush();
  EXPECT_TRUE(eventually([&] { return slurp(path).find("after") != std::string::npos; }));
  EXPECT_EQ(slurp(folder.file("log.1")).find("after"), std::string::npos);
}

TEST(EventLog, LetsNoClientFillIt) {
  const Folder folder;
  const std::string path = folder.file("log");
  constexpr std::size_t kLines = 100'000;
  const std::int64_t start = host::now_ns();
  {
    auto log = EventLog::open(path);
    ASSERT_TRUE(log);
    log->belongs(2, 7);
    // One after the other, each with connections of its own: it is the same user.
    for (std::size_t i = 0; i < kLines; ++i) {
      const auto client = static_cast<std::uint32_t>(100 + i / 1000);
      log->belongs(client, 6);
      log->line("begin", client);
      log->forget(client);
    }
    for (std::size_t i = 0; i < kLines; ++i) log->line_of_user(6, "refuse", "{}", R"("why": "x")");
    log->line("begin", 2);
  }
  const double seconds = static_cast<double>(host::now_ns() - start) / 1e9;
  const std::string text = slurp(path);
  const std::size_t kept =
      count(text, R"("begin", "client": 1)") + count(text, "refuse") + count(text, R"("dropped")");
  EXPECT_LE(static_cast<double>(kept),
            LogAllowances::kUserBurst + seconds * LogAllowances::kUserASecond + 2);
  EXPECT_EQ(count(text, R"("begin", "client": 2)"), 1U);
  // Told when the user may write again, or at the end.
  EXPECT_NE(text.find(R"("event": "dropped", "client": )"), std::string::npos);
}

TEST(EventLog, LetsManyUsersTogetherFillItNoMoreThanAFew) {
  LogAllowances allowances;
  std::size_t kept = 0;
  std::uint64_t missing = 0;
  for (uid_t user = 0; user < 100; ++user) {
    for (int line = 0; line < 10'000; ++line) kept += allowances.take(user, 1, missing) ? 1 : 0;
  }
  EXPECT_EQ(static_cast<double>(kept), LogAllowances::kAllBurst);
  EXPECT_EQ(allowances.take_dropped(), 1'000'000 - kept);
  // Who has been quiet for long begins anew, and is not remembered until then.
  constexpr std::int64_t kSecond = 1'000'000'000;
  allowances.forget_the_quiet(5 * kSecond);
  EXPECT_TRUE(allowances.take(0, 5 * kSecond, missing));
}

TEST(EventLog, BeginsANewFileBeforeTheOldOneIsTooLarge) {
  const Folder folder;
  const std::string path = folder.file("log");
  constexpr std::uint64_t kMost = 10'000;
  {
    auto log = EventLog::open(path, kMost);
    ASSERT_TRUE(log);
    for (int i = 0; i < 20; ++i) {
      for (int line = 0; line < 20; ++line) log->line("begin", 0, R"("number": {})", line);
      log->flush();
      const auto size = [&] {  // between two files there is none
        std::error_code none;
        return std::filesystem::file_size(path, none);
      };
      const std::uint64_t before = size();
      ASSERT_TRUE(eventually([&] { return size() != before; }));
    }
  }
  EXPECT_LE(std::filesystem::file_size(path), kMost);
  EXPECT_LE(std::filesystem::file_size(path + ".1"), kMost);
  EXPECT_EQ(slurp(path).find(R"({"t": )"), 0U);
  EXPECT_LT(slurp(path).find("rotated"), slurp(path).find("begin"));
}

TEST(EventLog, StopsWhereTheOldFileCannotBeMoved) {
  const Folder folder;
  const std::string path = folder.file("log");
  std::filesystem::create_directory(path + ".1");  // nothing can take its place
  {
    auto log = EventLog::open(path, 1000);
    ASSERT_TRUE(log);
    for (int line = 0; line < 100; ++line) {
      log->line("begin", 0);
      log->flush();
      if (line % 10 == 0) usleep(20'000);
    }
  }
  EXPECT_LE(std::filesystem::file_size(path), 1000U);
}

TEST(EventLog, FollowsNoLinkThatAnotherMayHavePutThere) {
  const Folder folder;
  std::filesystem::create_directory(folder.file("shared"));
  chmod(folder.file("shared").c_str(), 01777);
  std::ofstream(folder.file("precious")) << "mine";
  std::filesystem::create_symlink(folder.file("precious"), folder.file("shared/log"));
  EXPECT_FALSE(EventLog::open(folder.file("shared/log")));
  EXPECT_EQ(slurp(folder.file("precious")), "mine");
  std::filesystem::create_symlink(folder.file("elsewhere"), folder.file("log"));
  EXPECT_TRUE(EventLog::open(folder.file("log")));  // in one's own folder it is one's own
  if (geteuid() != 0) return;
  std::ofstream(folder.file("shared/theirs")) << "";
  ASSERT_EQ(chown(folder.file("shared/theirs").c_str(), 65534, 65534), 0);
  EXPECT_FALSE(EventLog::open(folder.file("shared/theirs")));
}

}  // namespace
}  // namespace tactus::arbiter::daemon
