#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "tactus/arbiter/daemon/decision.hpp"
#include "tactus/arbiter/daemon/patience.hpp"
#include "tactus/arbiter/protocol.hpp"

namespace tactus::arbiter::daemon {

/// What a client wants, or what happened to it.
struct Request {
  enum class Kind { kBegin, kEnd, kRaise, kGone, kDemote };
  Kind kind = Kind::kBegin;
  ClientId client = 0;
  Urgency urgency;           ///< of kBegin and kRaise
  std::uint32_t number = 0;  ///< the client's own count, returned with the answer
  std::int64_t since_ns = 0;

  friend bool operator==(const Request&, const Request&) = default;
};

/// What the arbiter is to do in the world.
struct Action {
  enum class Kind {
    kOrder,    ///< tell `client` to be off or on
    kAnswer,   ///< tell `client` what became of its request
    kLate,     ///< `client` did not confirm its order in time; the arbiter goes on without it
    kUpdated,  ///< a request has been served completely
    kRefused,  ///< an end without a begin
  };
  Kind kind = Kind::kOrder;
  ClientId client = 0;
  bool off = false;  ///< of kOrder and kLate
  /// For kOrder, not off: another client that must be off has not been seen to be off.
  bool shared = false;
  Answer answer = Answer::kRunning;
  Request request;
  bool changed = false;      ///< of kUpdated: was a client taken off or put back?
  std::size_t left = 0;      ///< of kUpdated: how many were taken off
  std::int64_t took_ns = 0;  ///< of kUpdated: without the wait for earlier updates
};

/// Serves requests one at a time: decides, takes off, waits, puts back, waits, answers.
///
/// Makes no system call and looks at no clock, so every interleaving can be explored in a test. The
/// update in progress is the lock of the analysis: what arrives meanwhile waits, and is served in
/// the order of GPU priorities (a client's own requests in their order, at the highest of their
/// priorities).
///
/// If a client does not confirm an order in time, the others go on, and it is not waited for again
/// until it has confirmed one: a frozen client costs the others one timeout, not one per update.
/// How long "in time" is depends on how much the others have waited for it of late (`Patience`).
///
/// Invariants, whatever happens as long as clients confirm in time:
/// - a client whose Begin was answered has made room first: all others that must be off are off;
/// - no client is put back before every client that must go is off;
/// - without an update in progress, exactly the pending clients are off.
class Coordinator {
 public:
  /// @param percent see `Patience`
  Coordinator(Rule rule, std::int64_t update_timeout_ns, int percent = 100)
      : decision_(rule), patience_(update_timeout_ns, percent) {}

  /// A client that already runs alone without our knowing: the fast path. @pre idle()
  void adopt(ClientId client, Urgency urgency) { decision_.begin(client, urgency); }
  void request(const Request& request, std::int64_t now_ns);
  /// The client has done with its last order. @param carried_out it says that its work is as ordered
  void done(ClientId client, std::int64_t now_ns, bool carried_out = true);
  /// Goes on without the clients that did not confirm, when `deadline` has passed.
  void expire(std::int64_t now_ns);

  /// Its work is on the GPU, and nobody can take it off; until it is `gone`.
  void is_there(ClientId client) { still_there_.insert(client); }
  /// Somebody whom we do not know may be on the GPU: as long as that is so, nobody has it alone.
  void others_may_be_there(bool so) {
    so ? void(still_there_.insert(0)) : void(still_there_.erase(0));
  }

  /// Until when confirmations are awaited, if any are.
  std::optional<std::int64_t> deadline() const;
  /// No client is active, and there is nothing to do.
  bool idle() const { return decision_.active().empty() && !update_ && queue_.empty(); }
  const Decision& decision() const { return decision_; }
  bool off(ClientId client) const { return off_.contains(client); }
  /// Did it ignore an order, and has it confirmed none since?
  bool silent(ClientId client) const { return silent_.contains(client); }
  const std::set<ClientId>& all_silent() const { return silent_; }
  const std::set<ClientId>& all_off() const { return off_; }
  const std::vector<Request>& queue() const { return queue_; }
  /// Those whose confirmation is awaited.
  std::vector<ClientId> awaited() const;
  bool awaits(ClientId client) const;
  /// How many requests of this client wait to be served.
  std::size_t queued(ClientId client) const;

  /// What is to be done now, in this order; each is returned once.
  std::vector<Action> take_actions();

 private:
  /// An order that is to be confirmed.
  struct Awaited {
    ClientId client = 0;
    std::int64_t ordered_ns = 0;
    std::int64_t patience_ns = 0;
  };
  struct Update {
    Request request;
    std::vector<ClientId> leaving, joining;  ///< `joining` is told second
    std::vector<Awaited> awaited;            ///< of those told, who has still to confirm
    bool putting_back = false;
    bool changed = false;
    std::int64_t started_ns = 0;
  };

  Request next();
  bool admit(const Request& request);
  void start(const Request& request, std::int64_t now_ns);
  void advance(std::int64_t now_ns);
  void serve(std::int64_t now_ns);
  void order(const std::vector<ClientId>& clients, bool off, std::int64_t now_ns);
  std::int64_t patience_ends(const Awaited& awaited) const;
  void finish(std::int64_t now_ns);

  Decision decision_;
  Patience patience_;
  std::set<ClientId> off_;     ///< who was told to be off, and not yet on
  std::set<ClientId> silent_;  ///< who is told, but not waited for
  /// Told to be off, but not seen to be off: the client that runs may not be alone.
  std::set<ClientId> still_there_;
  std::vector<Request> queue_;
  std::optional<Update> update_;
  std::vector<Action> actions_;
};

}  // namespace tactus::arbiter::daemon
