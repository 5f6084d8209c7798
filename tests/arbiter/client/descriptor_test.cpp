// Programs that close descriptors they did not open: the client must not use what comes next there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>

#include "tests/arbiter/arbiter_here.hpp"

namespace tactus::arbiter::client {
namespace {

/// The exit code of `act`, run in a process of its own.
int in_a_process(const std::function<int()>& act) {
  const pid_t child = fork();
  if (child == 0) _exit(act());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Sends itself bytes through all descriptors it can open, and looks whether they all arrive.
/// @return 0: nothing was lost, and nothing was added
int move_data(const std::function<void()>& meanwhile) {
  std::vector<std::array<int, 2>> pairs;
  std::array<int, 2> ends{};
  while (pairs.size() < 600 && socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0)
    pairs.push_back(ends);
  const std::string data(160, 'd');  // as long as a message of the protocol
  for (const auto& pair : pairs) {
    for (const int end : pair) {
      if (send(end, data.data(), data.size(), 0) != static_cast<ssize_t>(data.size())) return 2;
    }
  }
  meanwhile();
  for (const auto& pair : pairs) {
    for (const int end : pair) {
      std::string got(1000, 0);
      const ssize_t size = recv(end, got.data(), got.size(), MSG_DONTWAIT);
      if (size != static_cast<ssize_t>(data.size())) return 3;
      if (got.compare(0, data.size(), data) != 0) return 4;
    }
  }
  return 0;
}

TEST(Connection, TouchesNothingOfAProgramThatHasClosedItsSocket) {
  ArbiterHere arbiter;
  EXPECT_EQ(in_a_process([&] {
              const rlimit few{1024, 1024};
              setrlimit(RLIMIT_NOFILE, &few);
              FlagClient low(arbiter.socket(), "robbed");
              if (low.begin(1) != Outcome::kRunning) return 10;
              int ready[2];
              if (pipe(ready) != 0) return 11;
              const pid_t other = fork();  // with a socket of its own, that is not closed
              if (other == 0) {
                close(ready[1]);
                FlagClient high(arbiter.socket(), "high");
                char byte = 0;
                while (read(ready[0], &byte, 1) == 1) {
                  high.begin(2);
                  high.connection.end();
                }
                _exit(0);
              }
              const int tell = dup2(ready[1], 2);
              syscall(SYS_close_range, 3U, ~0U, 0U);  // as a program does that becomes a daemon
              const int result = move_data([&] {
                for (int i = 0; i < 20; ++i) {
                  if (write(tell, "x", 1) != 1) return;
                  usleep(5'000);
                }
              });
              if (result != 0) return result;
              if (!eventually([&] { return !low.connection.connected(); })) return 12;
              // What it has to say goes nowhere, and harms nobody; the next arbiter can be joined.
              if (low.connection.end() != Outcome::kUnarbitrated) return 13;
              close(tell);
              return low.connection.open(arbiter.socket().c_str(), "again") ? 0 : 14;
            }),
            0);
}

TEST(Connection, SendsNothingToAFileThatHasItsNumberNow) {
  ArbiterHere arbiter;
  EXPECT_EQ(in_a_process([&] {
              const rlimit few{1024, 1024};
              setrlimit(RLIMIT_NOFILE, &few);
              FlagClient client(arbiter.socket(), "sender");
              FlagClient rival(arbiter.socket(), "rival");
              if (rival.begin(1) != Outcome::kRunning) return 10;
              syscall(SYS_close_range, 3U, ~0U, 0U);
              return move_data([&] {
                client.begin(2);
                client.connection.end();
                client.connection.close();
                rival.connection.close();
              });
            }),
            0);
}

TEST(Connection, NeverHasTheNumberOfAStandardStream) {
  ArbiterHere arbiter;
  EXPECT_EQ(in_a_process([&] {
              for (int stream = 0; stream < 3; ++stream) close(stream);
              FlagClient client(arbiter.socket(), "bare");
              if (!client.connected) return 10;
              const char text[] = "what a program prints";
              for (int stream = 0; stream < 3; ++stream) {
                if (write(stream, text, sizeof text) >= 0 || errno != EBADF) return 11 + stream;
              }
              return client.begin(1) == Outcome::kRunning ? 0 : 20;
            }),
            0);
}

}  // namespace
}  // namespace tactus::arbiter::client
