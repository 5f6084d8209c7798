// What the arbiter costs without any GPU: distributions, not means, because the worst case counts.
//
//   bench_arbiter [ROUNDS]
#include <fmt/core.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tactus/arbiter/client/connection.hpp"
#include "tactus/arbiter/client/observer.hpp"
#include "tactus/arbiter/daemon/coordinator.hpp"
#include "tactus/arbiter/daemon/daemon.hpp"
#include "tactus/host/clock.hpp"

namespace {

using namespace tactus::arbiter;
using namespace tactus::arbiter::daemon;
using tactus::arbiter::client::Connection;
using tactus::arbiter::client::Observer;
using tactus::arbiter::client::Waiting;

constexpr std::size_t kClients = 50;

/// A client whose work is a time stamp: when it was told to go.
struct Client {
  explicit Client(const std::string& socket) {
    Tier tier;
    tier.name = "stamp";
    tier.self = this;
    tier.take_off = [](void* self, std::int64_t) {
      static_cast<Client*>(self)->told_ns = tactus::host::now_ns();
      return TierResult::kDone;
    };
    tier.put_back = [](void*) { return TierResult::kDone; };
    connection.set_tier(tier);
    if (!connection.open(socket.c_str(), "bench")) std::abort();
  }
  std::atomic<std::int64_t> told_ns{0};
  Connection connection;
};

class Arbiter {
 public:
  explicit Arbiter(bool fast_path, std::int64_t spin_ns = 0) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tactus-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    DaemonOptions options;
    options.socket = folder_ + "/own/s";
    options.fast_path = fast_path;
    options.spin_ns = spin_ns;
    daemon_ = std::move(*Daemon::open(options));
    thread_ = std::thread([this] { daemon_->run(); });
  }
  ~Arbiter() {
    daemon_->stop();
    thread_.join();
    daemon_.reset();
    std::filesystem::remove_all(folder_);
  }
  Arbiter(const Arbiter&) = delete;
  Arbiter& operator=(const Arbiter&) = delete;
  std::string socket() const { return folder_ + "/own/s"; }

 private:
  std::string folder_;
  std::unique_ptr<Daemon> daemon_;
  std::thread thread_;
};

void show(const char* what, std::vector<std::int64_t> ns) {
  std::sort(ns.begin(), ns.end());
  const auto at = [&](std::size_t percent) {
    return static_cast<double>(ns[std::min(ns.size() - 1, ns.size() * percent / 100)]) / 1000;
  };
  fmt::print("{:<66} {:>8} {:>10.2f} {:>10.2f} {:>10.2f}\n", what, ns.size(), at(50), at(99),
             static_cast<double>(ns.back()) / 1000);
}

std::vector<std::int64_t> alone(bool fast_path, Waiting waiting, int rounds) {
  Arbiter arbiter(fast_path);
  Client client(arbiter.socket());
  std::vector<std::int64_t> times;
  for (int i = 0; i < rounds; ++i) {
    const std::int64_t start = tactus::host::now_ns();
    client.connection.begin(Urgency::real_time(1), waiting);
    times.push_back(tactus::host::now_ns() - start);
    client.connection.end();
  }
  return times;
}

/// Fifty active clients; one more urgent than all begins, and the owner is told.
/// @param pause_us between two rounds, so that whoever sleeps does
void contended(int rounds, std::int64_t spin_ns, int pause_us, const std::string& how) {
  Arbiter arbiter(true, spin_ns);
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < kClients; ++i)
    clients.push_back(std::make_unique<Client>(arbiter.socket()));
  Client& urgent = *clients.back();
  Client& owner = *clients[kClients - 2];
  for (std::size_t i = 0; i + 1 < kClients; ++i)
    clients[i]->connection.begin(Urgency::real_time(static_cast<int>(i)), Waiting::kSuspend);
  auto eye = Observer::open(arbiter.socket());
  if (!eye) std::abort();
  std::uint64_t updates = eye->look()->summary.updates;
  std::vector<std::int64_t> told, granted;
  for (int i = 0; i < rounds; ++i) {
    const std::int64_t start = tactus::host::now_ns();
    urgent.connection.begin(Urgency::real_time(1000), Waiting::kSuspend);
    granted.push_back(tactus::host::now_ns() - start);
    told.push_back(owner.told_ns.load() - start);
    urgent.connection.end();
    // The owner reports that it is back a moment after it is. A begin before that would also wait
    // for the rest of this update, which is no part of what is measured.
    updates += 2;
    while (eye->look()->summary.updates < updates) std::this_thread::yield();
    if (pause_us > 0) std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
  }
  show(("begin until the owner of 50 clients is told" + how).c_str(), told);
  show(("begin until it is off and begin returns" + how).c_str(), granted);
}

/// The decision itself, without a socket: 50 active clients, one begins and ends.
std::vector<std::int64_t> decision(int rounds) {
  Coordinator coordinator(Rule::kPriority, 1);
  const auto all_done = [&] {
    for (const Action& action : coordinator.take_actions()) {
      if (action.kind == Action::Kind::kOrder) coordinator.done(action.client, 0);
    }
  };
  const auto ask = [&](Request::Kind kind, ClientId client, int priority) {
    Request request;
    request.kind = kind;
    request.client = client;
    if (kind == Request::Kind::kBegin) request.urgency = Urgency::real_time(priority);
    coordinator.request(request, 0);
  };
  for (ClientId c = 1; c < kClients; ++c) {
    ask(Request::Kind::kBegin, c, static_cast<int>(c));
    all_done();
  }
  std::vector<std::int64_t> times;
  for (int i = 0; i < rounds; ++i) {
    const std::int64_t start = tactus::host::now_ns();
    ask(Request::Kind::kBegin, kClients, 1000);
    times.push_back(tactus::host::now_ns() - start);
    all_done();
    ask(Request::Kind::kEnd, kClients, 0);
    all_done();
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(10, std::atoi(argv[1])) : 20'000;
  fmt::print("{:<66} {:>8} {:>10} {:>10} {:>10}\n", "us", "rounds", "p50", "p99", "max");
  show("begin without contention", alone(true, Waiting::kSuspend, rounds));
  show("begin without contention, decided by the daemon", alone(false, Waiting::kSuspend, rounds));
  show("the same, waiting busily", alone(false, Waiting::kBusy, rounds));
  show("decision among 50 clients", decision(rounds));
  constexpr std::int64_t kSpinNs = 20'000'000;
  constexpr int kPauseUs = 1000;
  contended(rounds, 0, 0, "");
  contended(rounds, kSpinNs, 0, ", spinning");
  contended(rounds / 10, 0, kPauseUs, ", every ms");
  contended(rounds / 10, kSpinNs, kPauseUs, ", every ms, spinning");
}
