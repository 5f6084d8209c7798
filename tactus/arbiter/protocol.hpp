#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tactus/arbiter/tier.hpp"

/// What arbiter and clients send to each other. It is preloaded, so it uses no C++ library.
///
/// A client is one process. It connects to a Unix SOCK_SEQPACKET socket; every packet is one
/// `Message` of fixed size, so nothing is ever half-read, and the end of a process is an end of
/// file. The conversation:
///
///     client                            arbiter
///     Hello(name, tier)         --->
///                               <---    Welcome(client, lease, update timeout), with 1 or 2
///                                       descriptors; or Refused(reason), and hangs up
///     Begin(request, urgency)   --->
///                               <---    Order(off, order) to all that must make room
///     (others) Done(order)      --->
///                                       answer in ClientPage: `answered` = request, futex wake
///     End(request)              --->    (not answered; the caller does not wait)
///                               <---    Order(on, order) to all that may go on
///
/// That is the protocol `gcaps`. An arbiter that was started for `boost` is told of whole batches of
/// work, which wait behind gates (docs/use/methods/boost.md):
///
///     Submit(segment, urgency, threshold) --->
///                               <---    opens the gate: ClientPage `gate` = segment; or Order(on),
///                                       if the work is held by its tier
///                               <---    Order(off, segment), Order(on, segment): Done as above
///                                       sees the marks: ClientPage `completed` = segment, futex wake
///
/// Rules that make it safe to lose any of this:
/// - An Order states what IS to be, not what changes; obeying it twice, or only the last of
///   several, is right. While a client is off the arbiter repeats the order at least every third
///   of the lease. A client that has heard nothing for a whole lease, or reads an end of file, puts
///   its work back by itself.
///   The same holds while it waits for its gate: then it opens the gate.
/// - The arbiter waits for Done at most its update timeout, then goes on and reports the client; it
///   tells the client that goes on that the other may still be there (`shared`). A client that
///   could not get off in time sends Done again when it is off.
/// - A caller waits for an answer at most two leases, then goes on unarbitrated and is told so.
/// - All times are CLOCK_MONOTONIC nanoseconds, which do not pass while the machine is suspended.
namespace tactus::arbiter {

inline constexpr std::uint32_t kMagic = 0x54414354;  // "TACT"
inline constexpr std::uint32_t kProtocolVersion = 6;

/// Environment of a client; `tactus exec` sets it for its command.
inline constexpr const char kSocketVariable[] = "TACTUS_SOCKET";  ///< path of the arbiter's socket
/// The priority of the whole process, a number or "best-effort"; absent: only explicit segments.
inline constexpr const char kPriorityVariable[] = "TACTUS_PRIORITY";
/// The priority of the segments that a program marks itself, where it does not say one; `tactus
/// deploy` sets it. A number or "best-effort".
inline constexpr const char kSegmentPriorityVariable[] = "TACTUS_SEGMENT_PRIORITY";
inline constexpr const char kTierVariable[] = "TACTUS_TIER";  ///< the tier asked for, by name
/// Of the GPU, in microseconds: for a program that makes room for others by itself.
inline constexpr const char kTimeSliceVariable[] = "TACTUS_TIME_SLICE";
inline constexpr int kMostTimeSliceUs = 100'000;
/// After how many milliseconds a gate is opened at the latest whose segment has not been submitted.
inline constexpr const char kGateLimitVariable[] = "TACTUS_GATE_LIMIT";

/// What an arbiter arbitrates, and what a client asks to be arbitrated.
enum class Protocol : std::uint32_t {
  kGcaps = 0,  ///< segments from Begin to End
  kBoost = 1,  ///< batches of work from Submit to their completion
  kAny = 2,    ///< of a client: a whole process, which fits both
};

enum class MessageKind : std::uint32_t {
  // from a client
  kHello = 1,
  kBegin = 2,
  kEnd = 3,
  kRaise = 4,     ///< a further thread entered the process's segment with a higher priority
  kDone = 5,      ///< an order was carried out
  kTier = 6,      ///< the tier in use, or what it costs, became known or changed
  kSnapshot = 7,  ///< an observer asks who is there; `segment.request`: after which client
  kSubmit = 8,    ///< boost: a batch of work may run
  kForced = 9,    ///< boost: the client has opened a gate without the arbiter
  kPresent = 10,  ///< work of the last arbiter is still on the GPU, until this connection ends
  kAsk = 11,      ///< an observer asks about reservations: a piece of the text
  // from the arbiter
  kWelcome = 101,
  kRefused = 102,
  kOrder = 103,
  kRow = 104,           ///< one client, answering kSnapshot
  kSummary = 105,       ///< after the last row
  kBoostSummary = 106,  ///< of an arbiter for boost, before kSummary
  kTold = 107,          ///< answering kAsk; a descriptor of the text comes along
  kLeaving = 108,       ///< of an arbiter for gcaps, before kSummary
};

enum class Refusal : std::uint32_t {
  kNone = 0,
  kVersion = 1,
  kMalformed = 2,     ///< not a message, or out of turn
  kNotPermitted = 3,  ///< this user may not connect
  kFull = 4,
  kSpeaksGcaps = 5,  ///< the client asked for boost
  kSpeaksBoost = 6,  ///< the client asked for gcaps
};

/// The answer to Begin and Raise, in `ClientPage::answer`.
enum class Answer : std::uint32_t {
  kRunning = 1,
  kPending = 2,    ///< active, and its work is off until an order says otherwise
  kNested = 3,     ///< already active; nothing happened
  kForbidden = 4,  ///< this user may not use that priority; nothing happened
  kShared = 5,     ///< as kRunning, but another client that must be off has not confirmed it
};

enum class OrderState : std::uint32_t {
  kOn = 0,
  kOff = 1,
  kWait = 2,  ///< boost: the gate stays shut; the arbiter is alive
};

struct Hello {
  std::uint32_t magic, version;
  std::uint32_t observer;  ///< 1: only looks (`tactus top`); never active
  char name[32];           ///< for people; ends with 0
  Protocol protocol;
};
/// How the arbiter knows when a batch has really started.
enum class StartSeen : std::uint32_t {
  kAtTheGate = 0,  ///< when its gate is opened: its work is on the host
  kByAWord = 1,    ///< when `ClientPage::started` says so
  kNever = 2,
};
struct Submit {
  static constexpr std::int32_t kProtected = INT32_MAX;
  std::uint32_t segment;  ///< counts the client's segments, from 1; may wrap
  std::uint32_t best_effort;
  std::int32_t priority;
  std::int32_t threshold;  ///< not below `priority`; kProtected: it is never taken off
  std::uint32_t marks;  ///< how many of `ClientPage::marks` say that it is complete; 0: it never is
  std::uint32_t held_by_tier;  ///< 1: an order starts it, not the gate
  std::uint32_t stays;         ///< 1: there is no way to take it off once it is started
  StartSeen seen;
  std::uint32_t job;        ///< counts the jobs of a reservation; 0: the client does not tell
  std::uint32_t share;      ///< of a best-effort program, in percent; 0: none
  std::int64_t arrived_ns;  ///< when that job arrived
  std::uint32_t alone;      ///< segments since the last Submit, while there was no arbiter
};
struct Segment {  // kBegin, kEnd, kRaise
  std::uint32_t request;
  std::uint32_t best_effort;
  std::int32_t priority;
};
struct Done {
  std::uint32_t order;
  TierResult result;
  std::int64_t took_ns;  ///< applying the tier
  std::uint32_t lapsed;  ///< 1: the work had been put back because the lease ran out
};
struct TierReport {
  char name[16];
  std::uint32_t isolated;  ///< 1: the control thread is where and as urgent as Welcome asked
  std::uint32_t leaves_by_itself;  ///< 1: `Tier::leaves_by_itself`
  TierCost cost;
};
struct Welcome {
  std::uint32_t client;
  std::uint32_t fast_path;  ///< 1: a second descriptor, of the FastPage, came along
  std::int64_t lease_ns, update_timeout_ns;
  std::int32_t control_cpu;       ///< where control threads are to run; -1: anywhere
  std::int32_t control_priority;  ///< their SCHED_FIFO priority; 0: as they are
  Protocol protocol;              ///< of the arbiter
};
struct Refused {
  Refusal reason;
};
/// A request, in pieces that follow each other; or an answer, which is in the descriptor. Both are
/// JSON; an answer has a word and a text for people before it (docs/use/reservations.md).
struct Text {
  static constexpr std::uint32_t kMost = 64 << 10;  ///< of a request
  std::uint32_t whole;                              ///< bytes of all pieces
  std::uint32_t length;                             ///< of this one
  char bytes[152];
};
struct Order {
  std::uint32_t order;  ///< number of this order, to be repeated in Done
  OrderState state;
  std::uint32_t renewal;  ///< 1: said before; answer only if something had to be done
  std::uint32_t shared;   ///< of kOn, 1: another client that must be off has not confirmed it
  std::uint32_t segment;  ///< of boost: of this segment only
};
struct Row {
  std::uint32_t client;
  std::int32_t pid;
  std::uint32_t uid;
  std::uint32_t active, best_effort, on;
  std::uint32_t silent;  ///< 1: ignored its last order, and is not waited for
  std::int32_t priority;
  char tier[16];
  char name[32];
  std::uint64_t segments, preemptions, late, overstays;
  std::uint64_t shared;      ///< how often it got the GPU with another still there
  std::int64_t off_ns;       ///< total time its work was held off
  std::int64_t wait_max_ns;  ///< longest begin, from request to answer; boost: from Submit to start
  std::uint64_t forced;      ///< boost: gates it has opened without the arbiter
  std::int32_t threshold;    ///< boost: of its segment; INT32_MAX: protected
  std::uint16_t reserved;    ///< 1: its process has a reservation
  std::uint16_t share;       ///< boost: what it is promised of best effort, in percent
  std::uint64_t demotions;   ///< how often it broke it
  /// Of a client with automatic segments: calls that put work into a stream, and how many of these
  /// did not wait at a gate.
  std::uint32_t launches, passed;  ///< may wrap
};
struct BoostSummary {
  std::uint64_t starts, offs, ons;
  std::int64_t start_max_ns, start_mean_ns;  ///< from the decision to its effect
  std::int64_t off_max_ns, off_mean_ns;
  std::int64_t on_max_ns, on_mean_ns;
  std::int64_t gate_max_ns;  ///< the part of a start after the gate was opened
  std::int64_t late_max_ns;  ///< how late a completion may have been seen
  std::uint64_t completions, forced;
};
/// Updates by how many had to leave at once: 1, 2, ..., the last: that many and more.
struct Leaving {
  static constexpr std::size_t kMost = 8;
  std::uint64_t updates[kMost];
  std::int64_t max_ns[kMost];  ///< as `Summary::prompt_update_max_ns`
};
inline constexpr std::uint32_t kRuleBoost = 2;
struct Summary {
  std::uint32_t rows;  ///< sent just now; fewer than kRowsAtOnce: there are no more
  std::uint32_t rule;  ///< daemon::Rule, or kRuleBoost
  std::uint64_t begins, updates, late, shared;
  std::int64_t update_max_ns, update_mean_ns;  ///< of updates that moved a client
  std::int64_t prompt_update_max_ns;  ///< the same without the wait for work that leaves by itself
  std::int64_t take_off_max_ns, put_back_max_ns;  ///< of the tiers, at start or since
  std::int64_t leave_max_ns;                      ///< of work that leaves by itself
  std::int64_t lease_ns, update_timeout_ns;
  /// Why the safe-arbiter assumption does not hold; empty: it does. What was waived at the start
  /// (`tactus deploy --accept`) comes first, behind `kWaived`.
  char not_isolated[56];
};
inline constexpr const char kWaived[] = "waived: ";

/// This many fit into a socket's queue of any size.
inline constexpr std::uint32_t kRowsAtOnce = 64;

struct Message {
  MessageKind kind;
  union {
    Hello hello;
    Segment segment;
    Submit submit;
    Done done;
    TierReport tier;
    Welcome welcome;
    Refused refused;
    Order order;
    Row row;
    Summary summary;
    BoostSummary boost;
    Leaving leaving;
    Text text;
    std::byte room[168];
  };
};
static_assert(sizeof(Message) == 176, "the size is the protocol");
static_assert(std::is_trivially_copyable_v<Message>, "sent as bytes");

/// How many marks a segment may have: one a stream.
inline constexpr std::uint32_t kMostMarks = 512;

/// Has a word that counts segments come as far as this one? The count may wrap.
inline bool reached(std::uint32_t word, std::uint32_t segment) {
  return static_cast<std::int32_t>(word - segment) >= 0;
}

/// One page between the arbiter and ONE client; no other client can reach it. The arbiter trusts
/// nothing in it but what that client says of itself.
struct ClientPage {
  // written by the arbiter
  std::atomic<std::uint32_t> answered;  ///< futex: number of the last request answered
  std::atomic<Answer> answer;           ///< to it; written before `answered`
  // written by the client
  std::atomic<std::uint32_t> claimed;  ///< 1 while a segment runs on the fast path
  std::atomic<std::uint32_t> claim_best_effort;
  std::atomic<std::int32_t> claim_priority;
  std::atomic<std::uint32_t> fast_segments;  ///< counts them; may wrap
  std::atomic<std::int64_t> claimed_since_ns;
  // boost: words that count segments; streams of the GPU wait for them and write them
  std::atomic<std::uint32_t> gate;       ///< futex: segments up to this one may run
  std::atomic<std::uint32_t> completed;  ///< futex: the arbiter has seen this one complete
  std::atomic<std::uint32_t> shared;     ///< 1: whoever had to leave for it may still be there
  std::atomic<std::uint32_t> demotions;  ///< how often it broke its reservation; by the arbiter
  std::atomic<std::uint32_t> started;    ///< written behind the gate
  /// Written by the client: the marks of this segment do not count, because its work was asked to leave
  /// and will go on later. To be read after the marks.
  std::atomic<std::uint32_t> cut_short;
  std::atomic<std::uint32_t> marks[kMostMarks];  ///< written behind the work
  // written by the arbiter, at the end so that all else stays where it was
  std::atomic<std::int64_t> opened_ns;       ///< boost: when it opened the gate last
  std::atomic<std::uint32_t> share_refused;  ///< boost: 1: it is best effort without its share
  // written by a client with automatic segments
  std::atomic<std::uint32_t> launches, passed;
};

/// One page shared by all clients the arbiter trusts with it (its own user's, by default): begin
/// and end on an idle GPU, without a message to the arbiter.
///
///     begin:  claim in its own ClientPage, then owner: kIdle -> its id; else withdraw, send Begin.
///     end:    owner: its id -> kIdle, then withdraw; else withdraw, send End.
///
/// The arbiter closes the path before it looks at any request (owner := kManaged). If it finds a
/// client there that has a claim in its own page, this client has begun before. It opens the path
/// again when no client is active.
struct FastPage {
  static constexpr std::uint32_t kIdle = 0;
  static constexpr std::uint32_t kManaged = 0xffffffff;
  std::atomic<std::uint32_t> owner;  ///< kIdle, kManaged or a client
};

/// Lets the segment run. Never shuts the gate: a client that opened it itself may be one further.
inline void open_gate(ClientPage& page, std::uint32_t segment) {
  std::uint32_t open = page.gate.load();
  while (!reached(open, segment) && !page.gate.compare_exchange_weak(open, segment)) {
  }
}

/// Is the segment complete, as far as its page says?
inline bool is_complete(const ClientPage& page, std::uint32_t segment, std::uint32_t marks) {
  for (std::uint32_t i = 0; i < marks; ++i) {
    if (!reached(page.marks[i].load(), segment)) return false;
  }
  return page.cut_short.load() != segment;
}

inline constexpr std::size_t kPageSize = 4096;
static_assert(sizeof(ClientPage) <= kPageSize && sizeof(FastPage) <= kPageSize);
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "shared between processes");

}  // namespace tactus::arbiter
