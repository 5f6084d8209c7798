// An arbiter that is killed at any moment, again and again: nobody's work stays off.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <random>
#include <vector>

#include "tactus/arbiter/client/process_tier.hpp"
#include "tests/arbiter/arbiter_here.hpp"

namespace tactus::arbiter {
namespace {

using client::Connection;
using client::ProcessTier;
using client::Waiting;

constexpr std::size_t kClients = 12;

struct Board {
  std::atomic<bool> over;
  struct {
    std::atomic<std::uint64_t> work;      ///< counted up by the worker while it runs
    std::atomic<std::uint64_t> segments;  ///< begun under an arbiter
  } clients[kClients];
};

[[noreturn]] void serve(const std::string& socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  daemon::DaemonOptions options;
  options.socket = socket;
  options.lease_ns = 100'000'000;
  options.update_timeout_ns = 20'000'000;
  auto daemon = daemon::Daemon::open(options);
  if (daemon) (*daemon)->run();
  _exit(1);
}

[[noreturn]] void live(Board& board, std::size_t number, const std::string& socket) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto& own = board.clients[number];
  const pid_t worker = fork();
  if (worker == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) own.work.fetch_add(1);
  }
  ProcessTier work(worker);
  Connection connection;
  connection.set_tier(work.tier());
  std::mt19937 random(static_cast<unsigned>(number));
  while (!board.over.load()) {
    if (!connection.connected()) connection.open(socket.c_str(), "mortal");
    const auto outcome =
        connection.begin(Urgency::real_time(static_cast<int>(number % 5)), Waiting::kSuspend);
    if (outcome != client::Outcome::kUnarbitrated) own.segments.fetch_add(1);
    usleep(static_cast<useconds_t>(random() % 2000));
    if (random() % 8 != 0) connection.end();  // sometimes it is still inside when all ends
    usleep(static_cast<useconds_t>(random() % 2000));
  }
  for (;;) pause();
}

TEST(KilledArbiter, LeavesNobodysWorkOff) {
  const Folder folder;
  const std::string socket = folder.file("own/s");
  auto& board = *static_cast<Board*>(
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::vector<pid_t> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(fork());
    if (clients.back() == 0) live(board, i, socket);
  }
  std::mt19937 random(5);
  const int kills = std::getenv("TACTUS_FULL") != nullptr ? 600 : 30;
  for (int i = 0; i < kills; ++i) {
    const pid_t arbiter = fork();
    if (arbiter == 0) serve(socket);
    usleep(static_cast<useconds_t>(5'000 + random() % 100'000));
    kill(arbiter, SIGKILL);
    waitpid(arbiter, nullptr, 0);
  }
  std::uint64_t segments = 0;
  // Nobody serves any more, and some are still inside of a segment: everybody's work goes on.
  for (std::size_t i = 0; i < kClients; ++i) {
    const std::uint64_t so_far = board.clients[i].work.load();
    EXPECT_TRUE(eventually([&] { return board.clients[i].work.load() > so_far; })) << i;
    segments += board.clients[i].segments.load();
  }
  EXPECT_GT(segments, kClients);
  board.over.store(true);
  for (const pid_t client : clients) {
    kill(client, SIGKILL);
    waitpid(client, nullptr, 0);
  }
  munmap(&board, sizeof board);
}

}  // namespace
}  // namespace tactus::arbiter
