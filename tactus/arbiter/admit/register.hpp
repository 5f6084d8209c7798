#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tactus/arbiter/admit/reply.hpp"
#include "tactus/arbiter/admit/request.hpp"
#include "tactus/arbiter/daemon/terms.hpp"
#include "tactus/reserve/controller.hpp"

namespace tactus::arbiter::admit {

/// How much one user may reserve and ask.
struct Allowance {
  static constexpr std::int64_t kWhole = 1'000;
  std::map<uid_t, std::int64_t> share_thousandths;  ///< of the GPU
  std::int64_t share_of_others = INT64_MAX;         ///< of who is not named
  std::size_t reservations = 64;
  std::int64_t per_second = 10, at_once = 20;  ///< requests

  std::int64_t share_of(uid_t user) const {
    const auto own = share_thousandths.find(user);
    return own != share_thousandths.end() ? own->second : share_of_others;
  }
};

/// Who asks: a process and its user, as the kernel says.
struct Asker {
  pid_t process = 0;
  uid_t user = 0;
  bool sees_all = false;  ///< root, and the arbiter's own user
  bool may_reserve = true;
};

/// Who has a reservation, and whose it is. Requests and departures in the order of their times; it knows
/// no clock, no process and no file, so that the tests play years with it.
class Register {
 public:
  /// @param platform its elements, best-effort tasks, and the tasks with deadlines that are always
  /// there, whoever takes them up
  Register(System platform, const reserve::Rules& rules, Allowance allowance);

  /// When a process began, as the kernel says; 0: it is gone.
  using Began = std::function<std::int64_t(pid_t)>;
  /// First of all: whoever was there before, as `state` said. Why that is of no use, if it is not, or
  /// why the tasks of the file cannot all be there.
  struct Beginning {
    std::optional<std::string> forgotten, impossible;
  };
  Beginning begin(const std::optional<std::string>& state, const Began& began, std::int64_t now);
  /// Who has a reservation, for the next arbiter.
  std::string state(const Began& began) const;

  /// @param enough says that an answer has taken long enough
  Reply answer(const Asker& asker, const std::string& text, std::int64_t now,
               const reserve::Controller::Enough& enough = {});
  /// A process has ended.
  void process_ended(pid_t process, std::int64_t now);
  /// Is a reservation given up whose segments may still have its place? `book` has it no more.
  bool somebody_leaves() const { return !leaving_.empty(); }
  /// The last `book` is in force: what is left of them is demoted.
  void departures_are_in_force(std::int64_t now);
  /// Time has passed. True: something else is in force now.
  bool settle(std::int64_t now);
  /// When it will; none: never by itself.
  std::optional<std::int64_t> next_change() const;

  std::shared_ptr<const daemon::Book> book() const;
  std::vector<reserve::Controller::Phantom> phantoms() const { return controller_.phantoms(); }
  /// Processes that have a reservation.
  std::vector<pid_t> owners() const;
  /// Those that have begun, by core, the most urgent first.
  std::map<std::int64_t, std::vector<pid_t>> by_core() const;

 private:
  struct Holding {
    daemon::ReservationId number = 0;
    uid_t user = 0;
    pid_t process = 0;  ///< 0: nobody has taken it up
    bool kept = false;  ///< of the file: it stays when its process ends
    bool declared = false;
    std::int64_t begins = 0;      ///< its start-up is over then; kUntilStarted: when it says so
    std::int64_t undeclared = 0;  ///< J0
    std::int64_t first = 0;       ///< no job arrives before that
    bool in_step = true;          ///< it had not begun to work when it was admitted
    std::int64_t pause = 0;       ///< the longest of a job between two of its segments
    std::vector<std::int64_t> lengths;  ///< e, by segment
    std::shared_ptr<daemon::Tally> tally = std::make_shared<daemon::Tally>();
  };
  struct Bucket {
    std::int64_t left = 0, at = 0;  ///< thousandths of a request
  };

  Reply reply_to(const Asker& asker, const std::string& text,
                 const reserve::Controller::Enough& enough);
  Reply reserve(const Asker& asker, const Request& request,
                const reserve::Controller::Enough& enough);
  void admit_again(reserve::Answer& answer, Holding& holding);
  Reply take_up(const Asker& asker, const Request& request);
  Reply release(const Asker& asker);
  Reply start(const Asker& asker, const std::string& name);
  Reply dump(const Asker& asker) const;
  Reply admitted(const Asker& asker, const reserve::Answer& answer) const;
  Reply refused(const Asker& asker, const reserve::Answer& answer,
                const reserve::Controller::Enough& enough);
  Reply said(const Asker& asker, std::string word, std::string text) const;
  /// A word and a text still missing.
  Told standing(const Asker& asker) const;
  std::string seen_name(const std::string& name, const Asker& asker) const;
  std::string shown(Time time) const;

  bool may_ask_again(uid_t user);
  std::optional<std::string> over_its_share(uid_t user, const Task& task) const;
  std::optional<std::int64_t> a_free_core() const;
  std::string a_free_name(const Request& request) const;
  std::optional<std::string> measure(Task& task, bool declared, Holding& holding) const;
  std::optional<std::string> unseen_arrivals(const Task& task, bool declared) const;
  std::optional<std::string> restore(const std::string& state, const Began& began);
  std::optional<std::string> why_never() const;
  std::optional<std::string> admit_kept();
  std::string text_of(const Task& task) const;
  void give_up(const std::string& name);
  Time gone_for_sure() const;
  Time cost_of_a_breach() const;

  reserve::Controller controller_;
  Allowance allowance_;
  std::vector<Task> kept_;  ///< of the file
  std::map<std::string, Holding> holdings_;
  std::vector<std::string> leaving_;
  std::map<uid_t, Bucket> buckets_;
  daemon::ReservationId last_ = 0;
  std::uint64_t refusals_ = 0;
  std::shared_ptr<std::atomic<std::uint64_t>> beyond_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
  std::int64_t now_ = 0;  ///< of the last event
};

}  // namespace tactus::arbiter::admit
