#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tactus/arbiter/daemon/decision.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/base/result.hpp"
#include "tactus/host/shared_memory.hpp"

namespace tactus::arbiter::daemon {

/// A page to be sent to clients.
Result<host::SharedMemory> make_page(const char* name);

/// What happened to a message.
enum class Sent {
  kYes,
  kFull,    ///< there is no room; there may be later
  kBroken,  ///< the peer does not listen any more, and never will
};

/// One connected process, as the arbiter sees it. Until it has said who it is (`introduce`) it is
/// only a socket: a process that connects and hangs up again must not cost much.
struct Peer {
  Peer(ClientId number, int connection);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Gives a client its page, and begins to notice the end of its process.
  std::optional<Error> introduce();
  Sent send(const Message& message, const int* descriptors = nullptr, std::size_t count = 0);
  /// Boost: whether its last segment is complete, and whether that has passed the gate, as its page
  /// says.
  bool marked() const;
  bool has_started() const;
  /// Tells the latest order; what cannot be sent now is sent when there is room.
  void send_order(bool renewal);
  void answer(std::uint32_t request, Answer answer);

  ClientId id;
  int socket;
  int process = -1;  ///< a pidfd, to notice the end of a process whose socket a child still holds
  host::SharedMemory page;  ///< of a client that has been introduced
  pid_t pid = 0;
  uid_t uid = 0;
  std::int64_t since_ns = 0;
  bool welcomed = false, observer = false;
  bool broken = false;            ///< a message found no listener
  bool isolated = false;          ///< its control thread is where the arbiter asked
  bool leaves_by_itself = false;  ///< its tier does not take it off, but waits
  bool real_time = false;         ///< has ever asked for a priority
  bool demoted = false;           ///< best effort for the rest of its segment, whatever it asks for
  std::string name = "?", tier = "none";

  std::uint32_t order = 0;  ///< number of the latest
  std::int64_t ordered_ns = 0;
  bool order_off = false;
  bool order_shared = false;  ///< when it may go on: it may not be alone
  bool order_unsent = false;
  std::uint32_t order_segment = 0;  ///< of boost: the segment that it is about

  std::string asked;   ///< of a request about reservations, as far as it is here
  Submit submitted{};  ///< of boost: the last one
  std::int64_t submitted_ns = 0;

  // What `tactus top` shows.
  std::uint64_t segments = 0, preemptions = 0, late = 0, overstays = 0, shared_turns = 0;
  std::uint64_t forced = 0;     ///< gates it has opened itself
  std::uint32_t demotions = 0;  ///< how often it broke its reservation
  std::int64_t off_before_ns = 0, wait_max_ns = 0;
  std::int64_t begun_ns = 0;  ///< of the segment in progress; 0: none
  std::int64_t off_at_begin_ns = 0;
  std::int64_t overstay_of_ns = 0;  ///< the segment that was reported last
  std::int64_t told_to_end_ns = 0;  ///< when its process was told to end; 0: it was not

  /// How long its work has been held off in all.
  std::int64_t off_ns(std::int64_t now) const {
    return off_before_ns + (order_off ? now - ordered_ns : 0);
  }
  /// A segment of its own begins, or has begun before it was heard of.
  void begins(std::int64_t since, std::int64_t now) {
    begun_ns = since;
    off_at_begin_ns = off_ns(now);
  }
  /// For how long the segment in progress has had the GPU.
  std::int64_t held_ns(std::int64_t now) const {
    return now - begun_ns - (off_ns(now) - off_at_begin_ns);
  }
  /// When it claimed the fast path, as it reports. Its clock may be another (a time namespace, a
  /// machine that was moved): a time that cannot be is the first at which the claim was seen.
  std::int64_t claimed_since(std::int64_t now);
  /// It has no claim now: the next one is later.
  void claims_nothing(std::int64_t now) { looked_ns_ = now; }
  /// What it shares with the arbiter. @pre it has been introduced
  ClientPage& shared() const { return page.as<ClientPage>(); }

 private:
  std::int64_t claim_said_ns_ = 0, claim_ns_ = 0;  ///< of the last claim: as it says, as it counts
  std::int64_t looked_ns_ = 0;                     ///< when the arbiter last looked
};

}  // namespace tactus::arbiter::daemon
