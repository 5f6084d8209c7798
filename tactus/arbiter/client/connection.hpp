#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "tactus/arbiter/client/batch_words.hpp"
#include "tactus/arbiter/client/gate.hpp"
#include "tactus/arbiter/client/own_descriptor.hpp"
#include "tactus/arbiter/protocol.hpp"
#include "tactus/arbiter/urgency.hpp"
#include "tactus/host/shared_memory.hpp"

namespace tactus::arbiter::client {

/// The result of a begin; the numbers are those of tactus/client.h.
enum class Outcome : int {
  kRunning = 0,
  kPending = 1,
  kUnarbitrated = 2,
  kShared = 3,
  kNested = -1,
  kNotBegun = -2,
  kForbidden = -3,
  kInvalid = -4,
};

/// One client of the arbiter: the socket, the pages, and the control thread that obeys orders.
///
///     Connection connection;
///     connection.set_tier(connection.gate().tier());      // or any other, at any time
///     connection.open(nullptr, "camera");                 // $TACTUS_SOCKET or the usual place
///     connection.begin(Urgency::real_time(70), Waiting::kSuspend);
///     ...                                                 // a tier that holds: see the gate
///     connection.end();
///
/// The control thread takes the work off and puts it back through the tier. It also puts it back
/// when the arbiter hangs up or has sent nothing for a lease: no work stays off for longer than a
/// lease after the arbiter stopped working.
///
/// `begin`, `end`, `raise` and `open` are for one caller at a time (client.cpp locks for threads).
class Connection {
 public:
  Connection() = default;
  /// Puts the work back and disconnects.
  ~Connection() { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// What the arbiter must speak; kGcaps at the start. Before `open`.
  void set_protocol(Protocol protocol) { wanted_ = protocol; }
  /// What the arbiter speaks. @pre it was connected
  Protocol protocol() const { return welcome_.protocol; }

  /// Connects and starts the control thread. False, with the reason in `problem()`, when there is
  /// no arbiter or it refuses. @param path null: the default place; @param name null: the program's
  bool open(const char* path, const char* name);
  /// Is there an arbiter? Connects if it is not connected, unless one has refused or kept silent a
  /// short time ago.
  bool find(const char* path, const char* name);
  void close();
  /// Called on the control thread when the arbiter has ended, after the work was put back. Before
  /// `open`.
  void on_loss(void (*hook)()) { lost_hook_ = hook; }
  bool connected() const { return alive_.load() != 0; }
  const char* problem() const { return problem_.load(); }

  /// Tells the arbiter that work of this process is on the GPU which it cannot take off, as long as
  /// this connection lasts.
  bool say_present();

  /// Tells the arbiter that a segment begins, and waits until all others have made room. To an
  /// arbiter for boost it submits the whole process, which its tier holds until it is its turn.
  Outcome begin(Urgency urgency, Waiting waiting);
  /// Enters the gate: with a tier that holds at begin, waits until it is this client's turn. Every
  /// thread that does so leaves by `gate().leave()` before the segment ends. @param outcome of
  /// begin
  Outcome wait_for_turn(Outcome outcome, Waiting waiting);
  Outcome raise(Urgency urgency, Waiting waiting);
  Outcome end();

  // Boost: batches behind a gate. One at a time; each is begun, submitted and finished.

  /// A job of a reservation arrives, or arrived then: what is submitted from now on belongs to it.
  void begin_job(std::int64_t arrived_ns);
  /// How often the reservation was broken, as the arbiter says. @pre it was connected
  std::uint32_t demotions() const { return page_ ? page().demotions.load() : 0; }
  /// Is it best effort without the share that it asked for?
  bool share_refused() const { return page_ && page().share_refused.load() != 0; }
  /// A new segment, whose gate is shut. 0: there is no arbiter.
  std::uint32_t begin_batch();
  /// Hands it over. False: the arbiter is lost, and the gate is open.
  bool submit_batch(Urgency urgency, std::int32_t threshold, std::uint32_t marks, StartSeen seen);
  /// The work of this one is complete: puts the tier back, if it was just being taken off.
  void finish_batch(std::uint32_t segment);
  void finish_batch() { finish_batch(batch_.begun()); }
  /// It will not be submitted: its gate opens.
  void give_up_batch();
  /// Opens the gate of the segment without the arbiter; that is counted.
  void force_gate();
  /// Was the gate of the last segment opened without the arbiter?
  bool forced() const { return batch_.forced(); }
  std::uint32_t times_forced() const { return batch_.times_forced(); }
  /// The page with the words of the gate; it stays where it is, also without an arbiter.
  /// @pre begin_batch was successful
  ClientPage& words() const { return page(); }
  /// Moves the calling thread to where the control thread is, and makes it as urgent.
  bool settle_beside_control() const;
  /// The GPU knows the page: it is never given back.
  void keep_page() { page_is_kept_ = true; }

  /// From now on orders are carried out by this tier; if the work is to be off, at once. The
  /// arbiter is told the cost (samples == 0: not known yet; call again when it is known).
  void set_tier(const Tier& tier, const TierCost& cost = {});
  /// Takes the work off once more, if it must be off: other code may have put it back.
  void reapply();
  const char* tier_name() const;
  /// Does the tier take batches off, and not only hold threads?
  bool takes_off() const;
  /// Must this process's work be off at this moment?
  bool off() const { return off_.load() != 0; }
  Gate& gate() { return gate_; }
  /// For a client whose work may run: does it have the GPU alone? kRunning, kShared (another that
  /// had to leave may still be there) or kUnarbitrated.
  Outcome turn() const {
    if (!connected()) return Outcome::kUnarbitrated;
    return shared_.load() != 0 ? Outcome::kShared : Outcome::kRunning;
  }

  /// When `begin` asked for the GPU: on the fast path, that is when it had it, too.
  std::int64_t asked_ns() const { return asked_ns_; }
  bool on_fast_path() const { return on_fast_path_; }
  /// For how long the work was off until now, in all.
  std::int64_t off_until(std::int64_t now_ns) const {
    const std::int64_t since = off_since_ns_.load();
    return off_total_ns_.load() + (since != 0 && since < now_ns ? now_ns - since : 0);
  }
  /// Under boost: when the last batch was handed over.
  std::int64_t submitted_ns() const { return batch_.submitted_ns(); }

  std::uint32_t id() const { return welcome_.client; }
  std::int64_t lease_ns() const { return welcome_.lease_ns; }
  /// The process of the arbiter that was found last; 0: none, or it cannot be seen from here.
  pid_t arbiter() const { return arbiter_; }
  /// How often the work was taken off, and put back because the arbiter was silent.
  std::uint32_t times_off() const { return times_off_.load(); }
  std::uint32_t times_lapsed() const { return times_lapsed_.load(); }

  /// In a child after fork: forgets the parent's connection without sending a message.
  void abandon_in_child();

 private:
  bool shake_hands(const char* name);
  bool connect_to(const char* path);
  bool arbiter_is_trusted();
  bool start_control_thread();
  bool send(const Message& message);
  bool report_tier();
  Outcome ask(MessageKind kind, Urgency urgency, Waiting waiting);
  bool claim_fast_path(Urgency urgency);
  bool release_fast_path();
  static void* control_main(void* self);
  void control();
  bool read_orders(Order& latest, bool& any);
  void obey(const Order& order);
  void look_again();
  void lapse();
  void hang_up();
  void lose();
  TierResult apply(bool off, std::uint32_t segment = 0);
  Outcome begin_whole(Urgency urgency);
  bool waits_at_gate() const;
  void open_gate(std::uint32_t segment);
  void watch_gate();
  static std::int64_t gate_limit_ns();
  std::int64_t lease_ends() const;
  int next_look_ms() const;
  ClientPage& page() const { return page_.as<ClientPage>(); }
  FastPage& fast() const { return fast_.as<FastPage>(); }

  OwnDescriptor socket_;
  pid_t arbiter_ = 0;
  Welcome welcome_{0, 0, 0, 0, -1, 0, Protocol::kGcaps};  ///< what the arbiter said to us last
  host::SharedMemory page_, fast_;  ///< the latter where the arbiter offers the fast path
  bool on_fast_path_ = false;
  std::int64_t asked_ns_ = 0;
  std::uint32_t requests_ = 0;
  std::atomic<const char*> problem_{"not connected"};
  std::int64_t next_try_ns_ = 0;
  bool nobody_there_ = false;  ///< where an arbiter would be
  void (*lost_hook_)() = nullptr;
  Protocol wanted_ = Protocol::kGcaps;
  std::atomic<std::uint32_t> told_wrong_kind_{0};

  BatchWords batch_;  ///< of boost
  std::atomic<std::uint32_t> job_{0};
  std::atomic<std::int64_t> arrived_ns_{0};
  std::atomic<std::uint32_t> alone_{0};  ///< segments that no arbiter has heard of
  bool page_is_kept_ = false;

  pthread_t thread_{};
  bool thread_started_ = false;
  std::atomic<std::uint32_t> leaving_{0};  ///< the control thread is to end
  std::atomic<std::uint32_t> lost_{0};     ///< the program closed the socket, and that was told
  std::atomic<std::uint32_t> alive_{0};
  std::atomic<std::uint32_t> off_{0};
  std::atomic<std::uint32_t> shared_{0};  ///< sent with the last answer or order to go on
  std::atomic<std::uint32_t> isolated_{0};
  std::atomic<std::uint32_t> times_off_{0}, times_lapsed_{0};
  std::atomic<std::int64_t> off_total_ns_{0}, off_since_ns_{0};  ///< the latter 0 while it is on
  /// What the control thread, and nobody else, knows of its orders.
  struct Obeyed {
    std::int64_t heard_ns = 0;  ///< when the order was last confirmed
    std::uint32_t order = 0;    ///< the one being obeyed
    bool off = false;
    bool still_there = false;  ///< told to be off, and not seen to be
  } obeyed_;

  mutable pthread_mutex_t tier_lock_ = PTHREAD_MUTEX_INITIALIZER;
  Tier tier_;
  TierCost cost_;
  Gate gate_;
};

}  // namespace tactus::arbiter::client
