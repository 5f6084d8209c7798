#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/arbiter/daemon/admission.hpp"
#include "tactus/arbiter/daemon/listening_socket.hpp"
#include "tactus/arbiter/daemon/referee.hpp"

namespace tactus::arbiter::daemon {

/// The arbiter: one thread, one epoll; every decision is the referee's.
///
///     auto daemon = Daemon::open(options);
///     (*daemon)->prepare();
///     (*daemon)->run();                        // until stop(), from any thread or signal handler
class Daemon {
  /// What an epoll event is about; the client is in the upper half.
  enum Source : std::uint32_t { kListening, kStop, kSocket, kProcess, kOffice };

 public:
  static Result<std::unique_ptr<Daemon>> open(DaemonOptions options);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// From now on programs reserve. Before `run`, of an arbiter for boost.
  std::optional<Error> admit(std::shared_ptr<Office> office);
  /// Moves the calling thread where the options say, or says why that cannot be.
  std::optional<Error> prepare();
  /// Serves until `stop`, on the same thread. At the end every client reads an end of file and goes
  /// on.
  std::optional<Error> run();
  void stop();
  /// Opens the log's file anew, by its name; from any thread or signal handler.
  void reopen_log() { floor_.log.reopen(); }

  /// Not while it runs.
  const UpdateCosts& costs() const { return floor_.costs; }
  /// The same of an arbiter for boost.
  BoostCosts boost_costs() const { return referee_->boost_costs(); }
  /// Why the assumption of the variant safe-arbiter does not hold; empty when it does.
  std::string why_not_isolated() const;

 private:
  explicit Daemon(DaemonOptions options, ListeningSocket listening);

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
  void note_done(Peer& peer, const Done& done);
  bool take_question(Peer& peer, const Text& piece);
  void tell(Peer& peer, const std::string& text);
  void attend_office();
  void drop(ClientId client, const char* why);
  void drop_broken();
  void tick();
  void look_for_overstays(std::int64_t now);
  void act_on_overstays();
  void kill_those_who_stay(std::int64_t now);
  void stop_waiting_for_returning_clients();
  void send_snapshot(Peer& observer, ClientId after);
  void note_isolation();

  Floor floor_;
  std::unique_ptr<Referee> referee_;
  Admission admission_;
  ListeningSocket listening_;
  ClientId last_id_ = 0;
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
  std::int64_t next_tick_ns_ = 0, next_look_ns_ = 0, last_event_ns_ = 0;
  std::string isolation_told_ = "?";
  std::int64_t all_returned_ns_ = 0;  ///< until then clients of the last arbiter may come back
};

}  // namespace tactus::arbiter::daemon
