#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tactus/arbiter/urgency.hpp"

/// Which clients may use the GPU: the rule of the arbiter, as a pure function.
namespace tactus::arbiter::daemon {

/// Names one connected client (one process); never reused while the arbiter runs, never 0.
using ClientId = std::uint32_t;

/// A client between its Begin and its End.
struct Active {
  ClientId client = 0;
  Urgency urgency;

  friend bool operator==(const Active&, const Active&) = default;
};

/// What decides.
enum class Rule {
  kPriority,  ///< GCAPS: preemptive GPU priorities
  kFifo,      ///< one lock around GPU segments, first come first served (the FMLP+ baseline)
};

/// The rule, a function of the active clients in order of arrival and of nothing else:
///
///   priority: if any active client is real-time, the one with the highest priority runs alone
///             (among equals the first to arrive); else all active clients share the GPU.
///   fifo:     the first to arrive runs alone.
///
/// Every other active client is pending. Algorithm 1 of the paper patches two lists instead and
/// loses or duplicates tasks on the way (docs/use/arbiter.md); a function of the whole set cannot.
std::vector<ClientId> running_of(std::span<const Active> active, Rule rule = Rule::kPriority);

/// The active clients, and the three events that change them.
class Decision {
 public:
  explicit Decision(Rule rule = Rule::kPriority) : rule_(rule) {}

  /// False, and nothing happens, when the client is active already: segments do not nest.
  bool begin(ClientId client, Urgency urgency);
  /// False, and nothing happens, when the client is not active.
  bool end(ClientId client);
  /// Like `end`, but the client need not be active: it died or disconnected.
  void gone(ClientId client) { end(client); }
  /// Makes an active client more urgent; it keeps its place among equals. For a process whose
  /// second thread enters a segment: threads share one GPU context, so they are one client.
  bool raise(ClientId client, Urgency urgency);
  /// Makes an active client best effort; it keeps its place. False when it is not active.
  bool demote(ClientId client);

  std::span<const Active> active() const { return active_; }
  const Active* find(ClientId client) const;
  std::vector<ClientId> running() const { return running_of(active_, rule_); }
  /// Those that must be off the GPU. @return in order of arrival
  std::vector<ClientId> pending() const;

  friend bool operator==(const Decision&, const Decision&) = default;

 private:
  Rule rule_;
  std::vector<Active> active_;  ///< in order of arrival
};

}  // namespace tactus::arbiter::daemon
