#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "tactus/arbiter/daemon/daemon_options.hpp"
#include "tactus/arbiter/daemon/office.hpp"
#include "tactus/arbiter/daemon/peer.hpp"

namespace tactus::arbiter::daemon {

/// The times so far of updates that moved a client.
struct UpdateCosts {
  std::uint64_t updates = 0;
  std::int64_t max_ns = 0, total_ns = 0;
  std::int64_t prompt_max_ns = 0;  ///< without the wait for work that leaves by itself
  std::int64_t take_off_max_ns = 0, put_back_max_ns = 0;  ///< of the tiers, as clients report it
  std::int64_t leave_max_ns = 0;  ///< of work that leaves by itself, which tiers only wait for
  Leaving leaving{};              ///< the driver takes one program off after the other

  std::int64_t mean_ns() const {
    return updates == 0 ? 0 : total_ns / static_cast<std::int64_t>(updates);
  }
};

/// What the daemon and its referee both have before them: who is connected, what they are told, and
/// what is counted.
struct Floor {
  explicit Floor(DaemonOptions chosen) : options(std::move(chosen)) {}

  Peer* find(ClientId client);
  /// Tells it to be off or on.
  void order(Peer& peer, bool off, std::int64_t now);
  void send_order(Peer& peer, bool renewal);
  /// It has the GPU, and another client that must be off may have it, too.
  void note_shared(Peer& peer);
  /// It has had the GPU for this long.
  void note_stay(Peer& peer, std::int64_t since, std::int64_t held);
  /// The longest that leaving took under a tier like this peer's.
  std::int64_t& taking_off(const Peer& peer) {
    return peer.leaves_by_itself ? costs.leave_max_ns : costs.take_off_max_ns;
  }

  DaemonOptions options;
  /// Boost: who has no reservation is best effort, and this decides who has one. None: all say how
  /// urgent they are.
  std::shared_ptr<Office> office;
  EventLog log;
  std::map<ClientId, std::unique_ptr<Peer>> peers;
  std::vector<ClientId> broken;      ///< to be dropped at the end of the round
  std::vector<ClientId> overstayed;  ///< of this round, to be acted on at its end
  UpdateCosts costs;
  std::uint64_t begins = 0, late = 0, shared = 0;
  std::uint64_t forced = 0;  ///< gates that clients have opened themselves

  /// Asks to be told when an order that did not fit can be sent.
  std::function<void(const Peer&)> wait_for_room;
  /// Reads one message of this peer and does what it asks for. False: there is none, or it is gone.
  std::function<bool(Peer&)> hear;
};

}  // namespace tactus::arbiter::daemon
