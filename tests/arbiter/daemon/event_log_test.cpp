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
    for (std::size_t i = 0; i < kLines; ++i) log->line("begin", 1);
    log->line("begin", 2);
    log->forget(1);
  }
  const double seconds = static_cast<double>(host::now_ns() - start) / 1e9;
  const std::string text = slurp(path);
  const std::size_t kept = count(text, R"("begin", "client": 1)");
  EXPECT_LE(static_cast<double>(kept), LogAllowance::kBurst + seconds * LogAllowance::kASecond + 1);
  EXPECT_EQ(count(text, R"("begin", "client": 2)"), 1U);
  EXPECT_NE(text.find(R"("event": "dropped", "client": 1, "lines": )"), std::string::npos);
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
