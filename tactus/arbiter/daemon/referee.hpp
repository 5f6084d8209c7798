#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tactus/arbiter/daemon/boost_coordinator.hpp"
#include "tactus/arbiter/daemon/floor.hpp"

namespace tactus::arbiter::daemon {

/// Decides who has the GPU as one protocol has it, and tells the clients. The daemon has one, chosen
/// when it is opened; it looks after sockets, processes and the log, and knows no protocol itself.
///
/// Decisions are a coordinator's; a referee hears requests, asks it, and carries out what it says.
class Referee {
 public:
  explicit Referee(Floor& floor) : floor_(floor) {}
  virtual ~Referee() = default;
  Referee(const Referee&) = delete;
  Referee& operator=(const Referee&) = delete;

  /// On the thread that serves, before the first round.
  virtual void settle() {}
  /// A round begins: of what has happened in it, nothing is known yet.
  virtual void begin_round() {}
  /// A Begin, Raise, End or Submit. False: the client broke the protocol, and must go.
  virtual bool take(Peer& peer, const Message& message) = 0;
  /// It has done with its latest order, and says how long that took.
  virtual void done(Peer& peer, const Done& done, std::int64_t took_ns) = 0;
  virtual void gone(ClientId client) = 0;
  /// Its work is on the GPU, and nobody can take it off; until it is `gone`.
  virtual void is_there(ClientId client) = 0;
  /// Somebody whom we do not know may be on the GPU.
  virtual void others_may_be_there(bool so) = 0;
  /// Other reservations are in force, or the same for other processes.
  virtual void hold_to(const std::shared_ptr<const Book>&) {}
  /// It overstayed: from now on it is best effort until its segment ends.
  virtual void demote(Peer&) {}

  /// May something happen that nobody tells? Then `look` must be called again and again.
  virtual bool must_look() const { return false; }
  virtual void look() {}
  /// Is there something to be carried out?
  virtual bool has_news() const { return false; }
  /// Goes on without who did not confirm in time.
  virtual void expire(std::int64_t now) = 0;
  /// Until when nothing is to be done without a message; none: for ever.
  virtual std::optional<std::int64_t> deadline() const = 0;
  virtual void carry_out() = 0;
  /// Tells it that the arbiter is alive, if it waits for a word.
  virtual void renew(Peer& peer) = 0;

  /// Did it ignore an order, and has it confirmed none since?
  virtual bool silent(ClientId client) const = 0;
  /// Was it told to be off?
  virtual bool off(ClientId) const { return false; }
  /// Who has the GPU without having asked; 0: nobody.
  virtual ClientId fast_owner() const { return 0; }
  /// The page with which this client begins without asking; -1: it has to ask.
  virtual int fast_page_for(const Peer&) const { return -1; }

  /// What observers see.
  virtual void fill(const Peer& peer, Row& row) const = 0;
  virtual void summarise(Peer&) const {}
  virtual std::uint32_t rule() const = 0;
  /// The costs of operations, where there are any.
  virtual BoostCosts boost_costs() const { return {}; }

 protected:
  Floor& floor_;
};

/// The referee of the options' protocol.
Result<std::unique_ptr<Referee>> make_referee(Floor& floor);

}  // namespace tactus::arbiter::daemon
