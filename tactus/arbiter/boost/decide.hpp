#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tactus/arbiter/urgency.hpp"

/// Which batch of GPU work may run: the rules of gcaps.boost, as pure functions
/// (docs/use/methods/boost.md).
namespace tactus::arbiter::boost {

/// Names one connected client (one process).
using ClientId = std::uint32_t;

enum class State : std::uint8_t {
  kFresh,  ///< submitted; its gate is shut
  kOn,
  kOff,  ///< taken off, unfinished
};

/// A segment of a client, from its Submit to its completion. A client without one is idle.
struct Batch {
  ClientId client = 0;
  std::uint32_t segment = 0;   ///< the client's own count
  Urgency urgency;             ///< its GPU priority
  std::int32_t threshold = 0;  ///< of real-time work; not below the priority
  bool stays = false;          ///< nothing can take it off: it is protected, also as best effort
  bool slices = false;         ///< best effort without an end: it takes turns with its equals
  /// Below best effort, because it broke what it had promised: the how-manieth to do so. 0: it did not.
  std::uint32_t demoted = 0;
  /// A reserved one is demoted rather than put on where it could not be taken off by then.
  std::int64_t on_before_ns = INT64_MAX;
  State state = State::kFresh;

  bool started() const { return state != State::kFresh; }
  friend bool operator==(const Batch&, const Batch&) = default;
};

enum class Move : std::uint8_t { kStart, kOff, kOn };

/// What the arbiter does to ONE segment of a client, not to the client: if that segment completes or
/// the client dies meanwhile, the operation runs to its end and changes no state.
struct Operation {
  Move move = Move::kStart;
  ClientId client = 0;
  std::uint32_t segment = 0;
  bool slice_over = false;  ///< of kOff: for an equal; it will be fresh again, behind the others

  friend bool operator==(const Operation&, const Operation&) = default;
};

/// Everything that the rules look at.
struct Turns {
  std::vector<Batch> batches;          ///< in order of their Submit; at most one per client
  std::optional<Operation> operation;  ///< in progress; there is never a second one

  const Batch* find(ClientId client) const;
  const Batch* on() const;
  friend bool operator==(const Turns&, const Turns&) = default;
};

/// The rule:
///   1. While an operation is in progress: nothing.
///   2. The effective priority of a fresh batch is its GPU priority, that of a started one its
///      threshold; best effort is below every priority, and what is demoted below that, in the order
///      of demotion. `top` is the highest; a started one wins a tie, then the first to be submitted.
///   3. If no batch is on: on(top) or start(top). If another batch than `top` is on: off(that one).
std::optional<Operation> decide(const Turns& turns);

/// Of best-effort batches that wait, this one is next: the first of them, as if it had come first.
/// Nothing where it does not wait.
void prefer(Turns& turns, ClientId client);

// The events. After each of them `decide` says what to do next.

/// A client submits a segment. What it submitted before is complete: the mark can be faster than
/// the arbiter.
void submit(Turns& turns, Batch batch);
/// A segment is complete. False if it was known already.
bool complete(Turns& turns, ClientId client, std::uint32_t segment);
/// A client died or hung up.
void gone(Turns& turns, ClientId client);
/// The operation in progress has ended. @pre there is one
void finish(Turns& turns);

/// A segment broke what was promised for it. It keeps its state.
void demote(Turns& turns, ClientId client);
/// It has another place now; what decides between two that are there must not change by that. Nothing
/// for what is demoted.
void amend(Turns& turns, ClientId client, std::int32_t priority, std::int32_t threshold,
           std::int64_t on_before_ns);

/// Decides; what it decides is in progress from now on.
std::optional<Operation> begin_next(Turns& turns);
/// The same at this time, if starts and putting on take so long at most: what would be too late then
/// is demoted first.
std::optional<Operation> begin_next(Turns& turns, std::int64_t now_ns, std::int64_t start_ns,
                                    std::int64_t on_ns);

/// For batches that never end (whole programs): one best-effort batch makes room for the next one
/// of its kind, and will be fresh again behind the others. Real-time work never waits for more than
/// the operation in progress, as with every other start or off of best-effort work. Nothing where
/// there is nobody to make room for. @pre `decide` has nothing to do
std::optional<Operation> begin_rotation(Turns& turns);

/// What must hold at all times; null if it does, else what does not.
const char* broken_invariant(const Turns& turns);

}  // namespace tactus::arbiter::boost
