#pragma once

#include <cstdint>
#include <optional>

#include "tactus/arbiter/daemon/coordinator.hpp"
#include "tactus/arbiter/daemon/referee.hpp"
#include "tactus/host/shared_memory.hpp"

namespace tactus::arbiter::daemon {

/// The protocol of gcaps: segments begin and end, the most urgent one runs, and a client that is
/// alone need not ask (the fast path).
class GcapsReferee final : public Referee {
 public:
  /// @param fast the page of the fast path
  GcapsReferee(Floor& floor, host::SharedMemory fast);

  void begin_round() override { heard_ = false; }
  bool take(Peer& peer, const Message& message) override;
  void done(Peer& peer, const Done& done, std::int64_t took_ns) override;
  void gone(ClientId client) override;
  void is_there(ClientId client) override { coordinator_.is_there(client); }
  void others_may_be_there(bool so) override;
  void demote(Peer& peer) override;
  void expire(std::int64_t now) override { coordinator_.expire(now); }
  std::optional<std::int64_t> deadline() const override { return coordinator_.deadline(); }
  void carry_out() override;
  void renew(Peer& peer) override;
  bool silent(ClientId client) const override { return coordinator_.silent(client); }
  bool off(ClientId client) const override { return coordinator_.off(client); }
  ClientId fast_owner() const override { return fast().owner.load(); }
  int fast_page_for(const Peer& peer) const override;
  void fill(const Peer& peer, Row& row) const override;
  void summarise(Peer& observer) const override;
  std::uint32_t rule() const override { return static_cast<std::uint32_t>(floor_.options.rule); }

 private:
  void hear_the_silent(ClientId except);
  void close_fast_path();
  void reopen_fast_path();
  void answer(const Action& action, Peer& peer, std::int64_t now);
  void note_update(const Action& action, Peer* peer, std::int64_t now);
  FastPage& fast() const { return fast_.as<FastPage>(); }

  host::SharedMemory fast_;
  Coordinator coordinator_;
  bool heard_ = false;                      ///< silent clients were heard in this round
  bool strangers_ = false;                  ///< clients of the last arbiter may be on the GPU
  std::int64_t waited_for_leavers_ns_ = 0;  ///< in the update in progress
};

}  // namespace tactus::arbiter::daemon
