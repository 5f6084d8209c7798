#include "tactus/arbiter/daemon/patience.hpp"

namespace tactus::arbiter::daemon {

std::int64_t Patience::left(const Account& account, std::int64_t now_ns) const {
  const std::int64_t passed = std::max<std::int64_t>(now_ns - account.since_ns, 0);
  if (passed / 100 >= timeout_ns_) return timeout_ns_;  // full, whatever the share
  return std::min(timeout_ns_, account.left_ns + passed * percent_ / 100);
}

std::int64_t Patience::with(ClientId client, std::int64_t now_ns) const {
  const auto account = accounts_.find(client);
  if (account == accounts_.end() || percent_ >= 100) return timeout_ns_;
  return std::max(least(), left(account->second, now_ns));
}

void Patience::spend(ClientId client, std::int64_t waited_ns, std::int64_t now_ns) {
  if (percent_ >= 100) return;
  const auto found = accounts_.find(client);
  const std::int64_t before = found == accounts_.end() ? timeout_ns_ : left(found->second, now_ns);
  accounts_[client] = {std::max<std::int64_t>(before - waited_ns, 0), now_ns};
}

}  // namespace tactus::arbiter::daemon
