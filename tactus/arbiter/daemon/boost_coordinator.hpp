#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "tactus/arbiter/boost/decide.hpp"
#include "tactus/arbiter/boost/shares.hpp"
#include "tactus/arbiter/daemon/patience.hpp"
#include "tactus/arbiter/protocol.hpp"

namespace tactus::arbiter::daemon {

/// A time that the analysis needs, as far as it was seen.
struct OperationCost {
  std::uint64_t count = 0;
  std::int64_t max_ns = 0, total_ns = 0;

  void add(std::int64_t ns);
  std::int64_t mean_ns() const {
    return count == 0 ? 0 : total_ns / static_cast<std::int64_t>(count);
  }
};

/// From the decision to the effect. If a completion led to the decision: from the last time it was
/// seen to be outstanding, so the time until the arbiter has seen it is contained.
struct BoostCosts {
  std::uint64_t starts = 0;  ///< also those whose effect nobody saw
  OperationCost start, off, on;
  OperationCost gate;  ///< the part of a start after the gate was opened: the switch to its context
  OperationCost late;  ///< how late a completion may have been seen

  /// A batch that is put back switches the context, too, and nobody sees when: so that counts on top.
  std::int64_t resume_max_ns() const { return on.count == 0 ? 0 : on.max_ns + gate.max_ns; }
};

/// What the arbiter is to do in the world.
struct BoostAction {
  enum class Kind {
    kOpenGate,  ///< of `client`, for `segment`
    kOrder,     ///< tell `client` to take `segment` off or put it on
    kEnded,     ///< an operation has ended
    kLate,      ///< `client` did not confirm its order in time; the arbiter goes on without it
  };
  Kind kind = Kind::kOpenGate;
  ClientId client = 0;
  std::uint32_t segment = 0;
  boost::Move move = boost::Move::kStart;
  bool shared = false;       ///< another client that must be off has not been seen to be off
  std::int64_t took_ns = 0;  ///< of kEnded
};

/// Carries out the rules of boost: one operation at a time, each to its end.
///
/// Makes no system call and looks at no clock. A client that does not confirm an order in time is
/// not waited for until it has confirmed one (`Patience`), as under gcaps.
class BoostCoordinator {
 public:
  /// @param percent see `Patience`
  /// @param slice_ns after which `rotate` is called
  BoostCoordinator(std::int64_t update_timeout_ns, int percent, std::int64_t slice_ns = 100'000'000)
      : patience_(update_timeout_ns, percent), shares_(slice_ns) {}

  /// @param held_by_tier an order starts it, not the gate
  /// @param seen kByAWord: `started` will be called
  void submit(const boost::Batch& batch, bool held_by_tier, StartSeen seen, std::int64_t now_ns);
  /// @param outstanding_ns when it was last seen not to be complete
  void complete(ClientId client, std::uint32_t segment, std::int64_t outstanding_ns,
                std::int64_t now_ns);
  /// Its work has passed the gate.
  void started(ClientId client, std::uint32_t segment, std::int64_t now_ns);
  /// The client has done with its last order. @param carried_out it says that its work is as ordered
  void done(ClientId client, std::int64_t now_ns, bool carried_out);
  void gone(ClientId client, std::int64_t now_ns);

  // Reservations: who breaks one is demoted (`Enforcement` says who).

  /// What operations cost at most: before one that would end too late its segment is demoted.
  void expect(std::int64_t start_ns, std::int64_t on_ns);
  void demote(ClientId client, std::int64_t now_ns);
  /// Its segment has another place, or another time by which it must be off. `consider` afterwards.
  void amend(ClientId client, std::int32_t priority, std::int32_t threshold,
             std::int64_t on_before_ns);
  void consider(std::int64_t now_ns) { advance(now_ns, now_ns); }
  /// How long the segment of a client has been on, less what its operations cost at most. None: it is
  /// not on, or is being taken off.
  std::optional<std::int64_t> used_ns(ClientId client, std::int64_t now_ns) const;
  /// Who was demoted because its operation would have ended too late; each is returned once.
  std::vector<ClientId> take_too_late() { return std::exchange(too_late_, {}); }

  /// The slice of a whole program is over.
  void rotate(std::int64_t now_ns);
  /// Goes on without a client that did not confirm, when `deadline` has passed.
  void expire(std::int64_t now_ns);

  /// Its work is on the GPU, and nobody can take it off; until it is `gone`.
  void is_there(ClientId client) { still_there_.insert(client); }
  /// Somebody whom we do not know may be on the GPU: as long as that is so, nobody has it alone.
  void others_may_be_there(bool so) {
    so ? void(still_there_.insert(0)) : void(still_there_.erase(0));
  }

  /// Until when a confirmation is awaited, if one is.
  std::optional<std::int64_t> deadline() const;
  const boost::Turns& turns() const { return turns_; }
  /// Of best-effort work.
  const boost::Shares& shares() const { return shares_; }
  bool silent(ClientId client) const { return silent_.contains(client); }
  /// Has it started, without having been seen to pass its gate?
  bool starting(ClientId client) const { return starting_.contains(client); }
  const BoostCosts& costs() const { return costs_; }

  /// What is to be done now, in this order; each is returned once.
  std::vector<BoostAction> take_actions();
  bool has_actions() const { return !actions_.empty(); }

 private:
  struct Starting {
    std::uint32_t segment = 0;
    std::int64_t since_ns = 0, opened_ns = 0;
  };
  struct Manner {
    bool held_by_tier = false;
    StartSeen seen = StartSeen::kAtTheGate;
  };

  /// Of the segment of a client, counted from the decisions.
  struct Used {
    std::int64_t before_ns = 0, allowed_ns = 0;
    std::optional<std::int64_t> since_ns;
  };

  void advance(std::int64_t since_ns, std::int64_t now_ns);
  std::optional<boost::Operation> next(std::int64_t now_ns);
  void note_used(const boost::Operation& operation, std::int64_t now_ns);
  void count_best_effort(std::int64_t now_ns);
  std::optional<ClientId> best_effort_turn() const;
  void forget_segment_of(ClientId client);
  void perform(const boost::Operation& operation, std::int64_t now_ns);
  void open_gate(const boost::Operation& operation, std::int64_t now_ns);
  void end_operation(std::int64_t now_ns, bool counts);

  boost::Turns turns_;
  Patience patience_;
  std::map<ClientId, Manner> manners_;  ///< of the batches
  std::map<ClientId, Starting> starting_;
  std::map<ClientId, Used> used_;
  std::int64_t start_ns_ = 0, on_ns_ = 0;  ///< what they cost at most
  std::vector<ClientId> too_late_;
  boost::Shares shares_;
  std::int64_t counted_ns_ = 0;     ///< until when the use of best effort is counted
  std::set<ClientId> silent_;       ///< who is told, but not waited for
  std::set<ClientId> still_there_;  ///< told to be off, but not seen to be off
  std::int64_t since_ns_ = 0;       ///< from when the operation in progress counts
  std::int64_t ordered_ns_ = 0, patience_ns_ = 0;
  BoostCosts costs_;
  std::vector<BoostAction> actions_;
};

}  // namespace tactus::arbiter::daemon
