#include "tactus/arbiter/daemon/floor.hpp"

namespace tactus::arbiter::daemon {

Peer* Floor::find(ClientId client) {
  const auto at = peers.find(client);
  return at == peers.end() ? nullptr : at->second.get();
}

void Floor::order(Peer& peer, bool off, std::int64_t now) {
  if (off && peer.begun_ns != 0) ++peer.preemptions;  // else it is its own begin that has to wait
  peer.off_before_ns = peer.off_ns(now);
  peer.ordered_ns = now;
  ++peer.order;
  peer.order_off = off;
  log.line(off ? "order-off" : "order-on", peer.id);
  send_order(peer, false);
  if (!peer.order_unsent) return;
  log.line("socket-full", peer.id);
  wait_for_room(peer);
}

void Floor::send_order(Peer& peer, bool renewal) {
  const bool broken_before = peer.broken;
  peer.send_order(renewal);
  if (peer.broken && !broken_before) broken.push_back(peer.id);
}

void Floor::note_shared(Peer& peer) {
  ++shared;
  ++peer.shared_turns;
  log.line("shared", peer.id);
}

void Floor::note_stay(Peer& peer, std::int64_t since, std::int64_t held) {
  if (options.budget_ns <= 0 || held <= options.budget_ns || since == peer.overstay_of_ns) return;
  ++peer.overstays;
  peer.overstay_of_ns = since;
  log.line("overstay", peer.id, R"("for_ns": {})", held);
  if (options.on_overstay != Overstay::kReport) overstayed.push_back(peer.id);
}

}  // namespace tactus::arbiter::daemon
