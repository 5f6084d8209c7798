#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "tactus/arbiter/boost/guard.hpp"
#include "tactus/arbiter/daemon/boost_coordinator.hpp"
#include "tactus/arbiter/daemon/terms.hpp"

namespace tactus::arbiter::daemon {

/// How a reservation was broken.
enum class Breach { kIndex, kLength, kLate, kStays };
const char* name_of(Breach breach);

/// Holds reservations to what was admitted: when their jobs count as arrived, which segment is which,
/// how long it is on, and by when it is done. Who breaks that is demoted, below best effort; whoever
/// has no reservation is best effort.
///
/// It says who may be submitted when, and the coordinator does it. It makes no system call and looks at
/// no clock, so that the tests hunt these very rules (tactus/reserve/theory.md, "Enforcement").
class Enforcement {
 public:
  /// A segment that a client hands over.
  struct Submission {
    boost::Batch batch;
    bool held_by_tier = false;
    StartSeen seen = StartSeen::kAtTheGate;
    std::uint32_t job = 0;     ///< the client's own count; 0: it says nothing about jobs
    std::int64_t arrived = 0;  ///< when that job arrived, as it says
    std::uint32_t alone = 0;   ///< segments before it that no arbiter heard of
  };
  struct Breached {
    ClientId client;
    std::uint32_t segment;
    Breach how;
    std::int64_t noticed_ns = 0;  ///< so much later; above `Book::notice` no bound covers it
  };

  explicit Enforcement(BoostCoordinator& coordinator) : coordinator_(coordinator) {}

  /// From now on this is in force, for jobs that are under way, too.
  void hold_to(std::shared_ptr<const Book> book, std::int64_t now);
  const Book& book() const { return *book_; }

  /// @param reservation of the client's process; none: it has none
  void submit(const Submission& submission, std::optional<ReservationId> reservation,
              std::int64_t now);
  /// Its segment is complete; before the coordinator hears of it.
  void completed(ClientId client, std::uint32_t segment, std::int64_t now);
  /// The client is gone, or its segment complete: what was kept back of it is forgotten.
  void forget(ClientId client);
  /// Lets in whose time has come, and demotes who has broken what was promised.
  void look(std::int64_t now);
  /// When to look again, if nothing happens.
  std::optional<std::int64_t> deadline(std::int64_t now) const;

  /// Is it known which of its segments begins a job?
  bool in_step(ReservationId reservation) const;
  /// Is a segment of it kept back, before the coordinator has heard of it?
  bool keeps(ClientId client) const { return kept_.contains(client); }
  /// Who has broken what since the last time.
  std::vector<Breached> take_breaches();

 private:
  struct Kept {
    Submission submission;
    std::int64_t from = 0;
    bool until_nobody_relies = false;  ///< nothing can take it off
  };
  /// A segment that the coordinator knows.
  struct Active {
    ReservationId reservation = 0;
    std::uint32_t segment = 0;
    boost::Permit permit;
  };
  /// Of a reservation, also while nobody has it taken up.
  struct Account {
    boost::Guard guard;
    std::uint32_t job = 0;
    pid_t process = 0;
    bool in_step = true;
    std::optional<std::int64_t> idle_since = {};  ///< while it is not in step
  };

  const Terms* terms_of(ReservationId reservation) const;
  Account& account_of(ReservationId reservation, const Terms& terms);
  bool comes_in_step(Account& account, const Terms& terms, std::int64_t now);
  void submit_best_effort(Submission submission, std::int64_t now);
  void let_in(ClientId client, Submission submission, std::int64_t now);
  void amend(ClientId client, const Active& active, const Terms& terms);
  void breach(ClientId client, Breach how, std::int64_t since, std::int64_t now);
  std::optional<std::int64_t> overrun_at(ClientId client, std::int64_t now) const;

  BoostCoordinator& coordinator_;
  std::shared_ptr<const Book> book_ = std::make_shared<Book>();
  std::map<ReservationId, Account> accounts_;
  std::map<ClientId, Kept> kept_;
  std::map<ClientId, Active> active_;
  std::map<ClientId, ReservationId> out_of_step_;  ///< best effort until it is
  std::vector<Breached> breaches_;
};

}  // namespace tactus::arbiter::daemon
