#include "tactus/arbiter/daemon/decision.hpp"

#include <algorithm>

namespace tactus::arbiter::daemon {

std::vector<ClientId> running_of(std::span<const Active> active, Rule rule) {
  if (active.empty()) return {};
  if (rule == Rule::kFifo) return {active.front().client};
  const Active* first = &active.front();
  for (const Active& candidate : active) {
    if (candidate.urgency.above(first->urgency)) first = &candidate;
  }
  if (!first->urgency.best_effort) return {first->client};
  std::vector<ClientId> everyone;
  for (const Active& sharer : active) everyone.push_back(sharer.client);
  return everyone;
}

bool Decision::begin(ClientId client, Urgency urgency) {
  if (find(client) != nullptr) return false;
  active_.push_back({client, urgency});
  return true;
}

bool Decision::end(ClientId client) {
  return std::erase_if(active_, [&](const Active& entry) { return entry.client == client; }) > 0;
}

bool Decision::raise(ClientId client, Urgency urgency) {
  for (Active& entry : active_) {
    if (entry.client != client) continue;
    if (!urgency.above(entry.urgency)) return false;
    entry.urgency = urgency;
    return true;
  }
  return false;
}

bool Decision::demote(ClientId client) {
  for (Active& entry : active_) {
    if (entry.client != client) continue;
    entry.urgency = Urgency{};
    return true;
  }
  return false;
}

const Active* Decision::find(ClientId client) const {
  const auto at = std::find_if(active_.begin(), active_.end(),
                               [&](const Active& e) { return e.client == client; });
  return at == active_.end() ? nullptr : &*at;
}

std::vector<ClientId> Decision::pending() const {
  const std::vector<ClientId> on = running();
  std::vector<ClientId> off;
  for (const Active& entry : active_) {
    if (std::find(on.begin(), on.end(), entry.client) == on.end()) off.push_back(entry.client);
  }
  return off;
}

}  // namespace tactus::arbiter::daemon
