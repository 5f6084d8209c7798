#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "tactus/arbiter/daemon/decision.hpp"

namespace tactus::arbiter::daemon {

/// How long the arbiter waits for a client that must make room, or come back.
///
/// One order is waited for until the update timeout at most. But a client that always takes nearly
/// as long would cost the others that much at every begin. So each client has an account of
/// waiting: it holds one timeout, shrinks while others wait for this client, and fills up again
/// with a share of the time that passes. For a client that has used it up the arbiter waits only a
/// short moment, and then goes on without it (late, silent).
///
/// All others together delay a begin by at most two timeouts: after that every client gets only the
/// short moment.
class Patience {
 public:
  /// @param percent of the time that may be spent on waiting for one client; 100: no account
  Patience(std::int64_t timeout_ns, int percent) : timeout_ns_(timeout_ns), percent_(percent) {}

  /// For how long an order to this client is waited for.
  std::int64_t with(ClientId client, std::int64_t now_ns) const;
  /// What every client gets in any case.
  std::int64_t least() const { return std::min(timeout_ns_ / 20 + 1, timeout_ns_); }
  /// How long others may delay a begin before that is all they get.
  std::int64_t with_all() const { return 2 * timeout_ns_; }
  /// Others have waited for it, until now.
  void spend(ClientId client, std::int64_t waited_ns, std::int64_t now_ns);
  void forget(ClientId client) { accounts_.erase(client); }

 private:
  struct Account {
    std::int64_t left_ns = 0, since_ns = 0;
  };
  std::int64_t left(const Account& account, std::int64_t now_ns) const;

  std::int64_t timeout_ns_;
  int percent_;
  std::map<ClientId, Account> accounts_;  ///< of those whose account is not full
};

}  // namespace tactus::arbiter::daemon
