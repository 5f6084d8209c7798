#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "tactus/arbiter/daemon/boost_coordinator.hpp"
#include "tactus/arbiter/daemon/enforcement.hpp"
#include "tactus/arbiter/daemon/referee.hpp"

namespace tactus::arbiter::daemon {

/// The protocol of boost: batches that are submitted, gates that are opened, marks that are seen.
class BoostReferee final : public Referee {
 public:
  explicit BoostReferee(Floor& floor);

  void settle() override;
  bool take(Peer& peer, const Message& message) override;
  void done(Peer& peer, const Done& done, std::int64_t took_ns) override;
  void gone(ClientId client) override;
  void hold_to(const std::shared_ptr<const Book>& book) override;
  void is_there(ClientId client) override { coordinator_.is_there(client); }
  void others_may_be_there(bool so) override { coordinator_.others_may_be_there(so); }
  /// Is there a batch that may complete without a message?
  bool must_look() const override;
  /// Whose marks are all there is complete.
  void look() override;
  bool has_news() const override { return coordinator_.has_actions(); }
  void expire(std::int64_t now) override { coordinator_.expire(now); }
  std::optional<std::int64_t> deadline() const override;
  void carry_out() override;
  void renew(Peer& peer) override;
  bool silent(ClientId client) const override { return coordinator_.silent(client); }
  void fill(const Peer& peer, Row& row) const override;
  void summarise(Peer& observer) const override;
  std::uint32_t rule() const override { return kRuleBoost; }
  BoostCosts boost_costs() const override { return coordinator_.costs(); }

 private:
  bool take_submit(Peer& peer, const Submit& submit);
  bool admits() const { return floor_.office != nullptr; }
  bool may_submit(const Peer& peer, const boost::Batch& batch, const Submit& submit) const;
  int promised(Peer& peer, const Submit& submit);
  void note_breaches();
  void take_end(Peer& peer);
  /// Does a program have the GPU for which another one waits?
  bool slices_take_turns() const;
  void carry_out(const BoostAction& action, Peer& peer);
  void note_beyond(const BoostAction& action);
  void note_start(Peer& peer, std::int64_t now);
  void note_complete(Peer& peer, std::int64_t now);
  void note_broken_invariant();

  BoostCoordinator coordinator_;
  Enforcement enforcement_{coordinator_};
  std::map<pid_t, ReservationId> owners_;
  std::int64_t last_look_ns_ = 0;         ///< at the marks
  std::int64_t slice_until_ns_ = 0;       ///< of the program that is on
  const char* invariant_told_ = nullptr;  ///< the last that was broken
};

}  // namespace tactus::arbiter::daemon
