#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/cli/run_tactus.hpp"

/// `tactus serve`, as programs on the same machine see it.
namespace tactus::cli {
namespace {

class Served : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    process_ = fork();
    if (process_ == 0) {
      const std::string file = source_path("examples/robot.system.json");
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      execl(TACTUS_BINARY, "tactus", "serve", file.c_str(), "--port", "0", nullptr);
      _exit(127);
    }
    close(ends[1]);
    said_ = ends[0];
    const std::string head = "http://127.0.0.1:";
    std::string text;
    for (char c = 0; text.find("#token=") == std::string::npos && read(said_, &c, 1) == 1;)
      text += c;
    if (text.find("no page to serve") != std::string::npos) GTEST_SKIP() << text;
    const std::size_t at = text.find(head);
    ASSERT_NE(at, std::string::npos) << text;
    port_ = std::atoi(text.c_str() + at + head.size());
    for (char c = 0; token_.size() < 32 && read(said_, &c, 1) == 1;) token_ += c;
  }
  void TearDown() override {
    for (const int one : open_) close(one);
    close(said_);
    kill(process_, SIGTERM);
    waitpid(process_, nullptr, 0);
  }

  int connection(const std::string& text) {
    const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(made, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(send(made, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    open_.push_back(made);
    return made;
  }
  std::string head(const std::string& request) const {
    return request + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n";
  }
  /// The first line of the answer.
  static std::string answer(int connection) {
    std::string text(12, '\0');
    const ssize_t got = recv(connection, text.data(), text.size(), MSG_WAITALL);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  }
  std::string get(const std::string& path) {
    return answer(connection(head("GET " + path) + "\r\n"));
  }

  pid_t process_ = -1;
  int said_ = -1, port_ = 0;
  std::string token_;
  std::vector<int> open_;
};

TEST_F(Served, ServesItsOwnerBesideMuteConnections) {
  for (int i = 0; i < 200; ++i) connection("G");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get("/"), "HTTP/1.1 200");
  EXPECT_EQ(get("/api/methods?token=" + token_), "HTTP/1.1 200");
}

TEST_F(Served, DropsTheConnectionThatHasBeenMuteForLongest) {
  const int oldest = connection("G");
  for (int i = 0; i < 512; ++i) connection("G");
  EXPECT_EQ(answer(oldest), "HTTP/1.1 503");
  EXPECT_EQ(get("/"), "HTTP/1.1 200");
}

TEST_F(Served, WaitsForTheFirstWordWhileManyOthersCome) {
  const int owner = connection("");
  for (int i = 0; i < 300; ++i) connection("G");
  const std::string request = head("GET /api/methods?token=" + token_) + "\r\n";
  send(owner, request.data(), request.size(), MSG_NOSIGNAL);
  EXPECT_EQ(answer(owner), "HTTP/1.1 200");
}

TEST_F(Served, WaitsForNoBodyOfSomebodyWithoutTheToken) {
  for (const char* path : {"POST /", "POST /api/check", "PUT /x", "DELETE /api/jobs/1"}) {
    const int made =
        connection(head(path) + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
    const std::string status = answer(made);
    EXPECT_TRUE(status == "HTTP/1.1 404" || status == "HTTP/1.1 401") << path << status;
  }
}

TEST_F(Served, TakesARequestInManyPieces) {
  const std::string request = head("GET /") + "\r\n";
  const int made = connection(request.substr(0, 1));
  for (const char c : request.substr(1)) EXPECT_EQ(send(made, &c, 1, MSG_NOSIGNAL), 1);
  EXPECT_EQ(answer(made), "HTTP/1.1 200");
}

TEST_F(Served, GivesNoThreadToAHeadWithoutAnEnd) {
  const std::string endless(100'000, 'x');
  for (int i = 0; i < 80; ++i) {
    const int made = connection(head("GET /") + "X: ");
    send(made, endless.data(), endless.size(), MSG_NOSIGNAL);
  }
  EXPECT_EQ(get("/"), "HTTP/1.1 200");
}

TEST(Serve, OpensABrowserWithoutTellingOthersTheSecret) {
  const TemporaryFolder folder;
  const std::string seen = folder.path() + "/seen", fake = folder.path() + "/xdg-open";
  folder.file("xdg-open", "#!/bin/sh\necho \"$1\" > '" + seen + ".new'\ncat \"$1\" >> '" + seen +
                              ".new'\nmv '" + seen + ".new' '" + seen + "'\n");
  chmod(fake.c_str(), 0700);
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder.path() + ":" + path).c_str(), 1);
  const Ran ran =
      run_tactus({"serve", source_path("examples/robot.system.json"), "--port", "0", "--open"}, {},
                 [&](pid_t process) {
                   for (int k = 0; k < 1000 && access(seen.c_str(), R_OK) != 0; ++k) usleep(10'000);
                   kill(process, SIGTERM);
                 });
  setenv("PATH", path.c_str(), 1);
  if (contains(ran.err, "no page to serve")) GTEST_SKIP() << ran.err;
  const std::string told = slurp(seen);
  EXPECT_EQ(told.substr(0, told.find('\n')).find("token"), std::string::npos) << told;
  EXPECT_TRUE(contains(told, "0; url=http://127.0.0.1:")) << told << ran.err;
  EXPECT_TRUE(contains(told, "#token=")) << told;
}

}  // namespace
}  // namespace tactus::cli
