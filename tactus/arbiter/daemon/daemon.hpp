#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/arbiter/daemon/admission.hpp"
#include "tactus/arbiter/daemon/boost_coordinator.hpp"
#include "tactus/arbiter/daemon/coordinator.hpp"
#include "tactus/arbiter/daemon/event_log.hpp"
#include "tactus/arbiter/daemon/listening_socket.hpp"
#include "tactus/arbiter/daemon/peer.hpp"
#include "tactus/arbiter/daemon/permissions.hpp"

namespace tactus::arbiter::daemon {

/// What happens to a client that has the GPU for longer than its budget.
enum class Overstay {
  kReport,  ///< it is counted and logged
  kDemote,  ///< it is best effort for the rest of its segment
  kKill,    ///< its process is told to end (SIGTERM), and a lease later killed; demoted, where
            ///< that is not permitted
};

struct DaemonOptions {
  std::string socket;
  std::optional<gid_t> group;  ///< who may connect besides this user
  Permissions permissions;
  Protocol protocol = Protocol::kGcaps;  ///< never kAny
  Rule rule = Rule::kPriority;           ///< of gcaps
  std::int64_t lease_ns = 1'000'000'000;
  std::int64_t update_timeout_ns = 100'000'000;
  /// Share of the time that may be spent on waiting for one client (`Patience`).
  int patience_percent = 25;
  std::int64_t budget_ns = 0;  ///< a client that has the GPU for longer overstays; 0: no limit
  Overstay on_overstay = Overstay::kReport;
  bool fast_path = true;   ///< for processes of this user (and of root)
  std::optional<int> cpu;  ///< a CPU of its own
  int realtime = 0;        ///< SCHED_FIFO priority; 0: as started
  /// After an event, poll for the next one for this long before going to sleep. A sleeping CPU
  /// takes tens of microseconds to wake up; one that polls is busy all the time.
  std::int64_t spin_ns = 0;
  /// Boost: how often it looks whether the batch that is on is complete. With `spin_ns` it looks
  /// without a pause.
  std::int64_t poll_ns = 50'000;
  /// Boost: how long a best-effort program without segments has the GPU before the next one.
  std::int64_t slice_ns = 100'000'000;
  std::string log;
  std::uint64_t log_bytes = EventLog::kMostBytes;
  /// What of the proof's conditions does not hold and was accepted; empty: nothing.
  std::string waived;
  Limits limits;
  /// After it has replaced another arbiter: for how long clients that were inside a segment may come
  /// back. Until then nobody is told to be alone.
  std::int64_t returning_ns = 1'000'000'000;
};

/// The times so far of updates that moved a client.
struct UpdateCosts {
  std::uint64_t updates = 0;
  std::int64_t max_ns = 0, total_ns = 0;
  std::int64_t prompt_max_ns = 0;  ///< without the wait for work that leaves by itself
  std::int64_t take_off_max_ns = 0, put_back_max_ns = 0;  ///< of the tiers, as clients report it
  std::int64_t leave_max_ns = 0;  ///< of work that leaves by itself, which tiers only wait for

  std::int64_t mean_ns() const {
    return updates == 0 ? 0 : total_ns / static_cast<std::int64_t>(updates);
  }
};

/// The arbiter: one thread, one epoll; every decision is the coordinator's.
///
///     auto daemon = Daemon::open(options);
///     (*daemon)->prepare();
///     (*daemon)->run();                        // until stop(), from any thread or signal handler
class Daemon {
  /// What an epoll event is about; the client is in the upper half.
  enum Source : std::uint32_t { kListening, kStop, kSocket, kProcess };

 public:
  static Result<std::unique_ptr<Daemon>> open(DaemonOptions options);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Moves the calling thread where the options say, or says why that cannot be.
  std::optional<Error> prepare();
  /// Serves until `stop`, on the same thread. At the end every client reads an end of file and goes
  /// on.
  std::optional<Error> run();
  void stop();
  /// Opens the log's file anew, by its name; from any thread or signal handler.
  void reopen_log() { log_.reopen(); }

  /// Not while it runs.
  const UpdateCosts& costs() const { return costs_; }
  /// The same of an arbiter for boost.
  const BoostCosts& boost_costs() const { return boost_.costs(); }
  /// Why the assumption of the variant safe-arbiter does not hold; empty when it does.
  std::string why_not_isolated() const;

 private:
  explicit Daemon(DaemonOptions options, ListeningSocket listening, host::SharedMemory fast);

  /// One round of `run`: waits for something to do, and does it.
  std::optional<Error> serve_once(std::vector<epoll_event>& events);
  bool watch(int descriptor, std::uint32_t what, ClientId client);
  void wait_for_room(const Peer& peer);
  /// How many of `events` there are: waits for one, or until something is to be done without.
  int wait_for_events(std::vector<epoll_event>& events);
  std::int64_t time_of_next_duty() const;
  void handle_events(const std::vector<epoll_event>& events, int count);
  void accept_peers();
  void take_in(int socket);
  bool drop_a_mute_one_of(uid_t user);
  void refuse_without_room();
  void listen_again();
  void serve(Peer& peer, std::uint32_t events);
  /// Reads one message and does what it asks for. False: there is none, or the peer is gone.
  bool hear(Peer& peer);
  /// False: the peer broke the protocol, and must go.
  bool handle(Peer& peer, const Message& message);
  bool welcome(Peer& peer, const Hello& hello);
  bool take_request(Peer& peer, const Message& message);
  void hear_the_silent(ClientId except);
  void note_done(Peer& peer, const Done& done);
  /// The longest that leaving took under a tier like this peer's.
  std::int64_t& taking_off(const Peer& peer);
  void drop(ClientId client, const char* why);
  void drop_broken();
  void tick();
  void look_for_overstays(std::int64_t now);
  void note_stay(Peer& peer, std::int64_t since, std::int64_t held);
  void act_on_overstays();
  void kill_those_who_stay(std::int64_t now);
  void close_fast_path();
  void reopen_fast_path();
  void stop_waiting_for_returning_clients();
  void note_broken_invariant();
  void carry_out();
  void order(Peer& peer, bool off, std::int64_t now);
  void send_order(Peer& peer, bool renewal);
  void note_shared(Peer& peer);
  void send_snapshot(Peer& observer, ClientId after);
  void note_isolation();
  Peer* find(ClientId client);

  // Boost (daemon_boost.cpp).
  bool boosts() const { return options_.protocol == Protocol::kBoost; }
  bool take_submit(Peer& peer, const Submit& submit);
  void take_end(Peer& peer);
  /// Whose marks are all there is complete.
  void look_at_marks();
  /// Is there a batch that may complete without a message?
  bool awaits_marks() const;
  /// Does a program have the GPU for which another one waits?
  bool slices_take_turns() const;
  void carry_out_boost();
  void note_complete(Peer& peer, std::int64_t now);
  void renew(Peer& peer);
  void fill_boost_row(const Peer& peer, Row& row);
  void send_boost_summary(Peer& observer);

  DaemonOptions options_;
  Admission admission_;
  ListeningSocket listening_;
  host::SharedMemory fast_;
  EventLog log_;
  Coordinator coordinator_;
  BoostCoordinator boost_;
  std::map<ClientId, std::unique_ptr<Peer>> peers_;
  ClientId last_id_ = 0;
  std::vector<ClientId> broken_;      ///< to be dropped at the end of the round
  std::vector<ClientId> overstayed_;  ///< of this round, to be acted on at its end
  /// A process that was told to end and has hung up; it may go on all the same.
  struct Condemned {
    int process;  ///< a pidfd
    std::int64_t told_ns;
  };
  std::vector<Condemned> condemned_;
  int epoll_ = -1, stop_ = -1;
  int spare_ = -1;  ///< given up to refuse a client when there are no more descriptors
  std::atomic<bool> stopping_ = false;  ///< looked at in every round, of which each tick begins one
  bool deaf_ = false;
  bool observed_ = false;  ///< an observer was served in this round
  bool heard_ = false;     ///< silent clients were heard in this round
  std::int64_t next_tick_ns_ = 0, next_look_ns_ = 0, last_event_ns_ = 0;
  std::string isolation_told_ = "?";
  const char* invariant_told_ = nullptr;  ///< the last that was broken
  std::int64_t all_returned_ns_ = 0;      ///< until then clients of the last arbiter may come back

  std::uint64_t begins_ = 0, late_ = 0, shared_ = 0;
  UpdateCosts costs_;
  std::int64_t last_look_ns_ = 0;           ///< at the marks
  std::int64_t slice_until_ns_ = 0;         ///< of the program that is on
  std::uint64_t forced_ = 0;                ///< gates that clients have opened themselves
  std::int64_t waited_for_leavers_ns_ = 0;  ///< in the update in progress
};

}  // namespace tactus::arbiter::daemon
