#include "tactus/arbiter/boost/shares.hpp"

#include <algorithm>

namespace tactus::arbiter::boost {
namespace {

constexpr int kWhole = 100;

/// With so many percent, `ns` of the GPU take so much virtual time.
std::int64_t virtual_ns(std::int64_t ns, int percent) { return ns * kWhole / percent; }

}  // namespace

int Shares::of(ClientId client) const {
  const auto at = clients_.find(client);
  return at == clients_.end() ? 0 : at->second;
}

const Shares::Account& Shares::account_of(ClientId client) const {
  const auto own = shared_.find(client);
  return own == shared_.end() ? rest_ : own->second;
}

/// The percent of all that want the GPU.
int Shares::present() const { return promised_ + (without_ > 0 ? rest_.percent : 0); }

/// What it has got too little, or too much, stays the same.
void Shares::resize_rest(int percent) {
  rest_.eligible = virtual_now_ - (virtual_now_ - rest_.eligible) * rest_.percent / percent;
  rest_.percent = percent;
}

void Shares::join(ClientId client, int percent) {
  leave(client);
  clients_[client] = percent;
  if (percent == 0) {
    if (without_++ == 0) rest_.eligible = virtual_now_;
    return;
  }
  promised_ += percent;
  shared_[client] = {percent, virtual_now_};
  resize_rest(kWhole - promised_);
}

void Shares::leave(ClientId client) {
  const auto at = clients_.find(client);
  if (at == clients_.end()) return;
  if (at->second == 0) {
    --without_;
  } else {
    promised_ -= at->second;
    shared_.erase(client);
    resize_rest(kWhole - promised_);
  }
  clients_.erase(at);
}

void Shares::used(ClientId client, std::int64_t ns) {
  if (!clients_.contains(client)) return;
  virtual_now_ += virtual_ns(ns, present());
  const auto own = shared_.find(client);
  Account& account = own == shared_.end() ? rest_ : own->second;
  account.eligible += virtual_ns(ns, account.percent);
}

std::optional<ClientId> Shares::next(std::span<const ClientId> waiting) const {
  std::optional<ClientId> best;
  bool best_eligible = false;
  std::int64_t best_rank = 0;
  for (const ClientId client : waiting) {
    const Account& account = account_of(client);
    const bool eligible = account.eligible <= virtual_now_;
    const std::int64_t rank =
        account.eligible + (eligible ? virtual_ns(slice_ns_, account.percent) : 0);
    if (best && (best_eligible != eligible ? best_eligible : best_rank <= rank)) continue;
    best = client;
    best_eligible = eligible;
    best_rank = rank;
  }
  return best;
}

}  // namespace tactus::arbiter::boost
