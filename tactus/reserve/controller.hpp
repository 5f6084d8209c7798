#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tactus/reserve/analysis.hpp"

namespace tactus::reserve {

/// What a request is told.
struct Answer {
  enum class Kind {
    kAdmitted,    ///< every deadline is proved, with the newcomer
    kRefused,     ///< not every one is
    kNotCovered,  ///< the analysis cannot say
  };
  Kind kind = Kind::kNotCovered;
  Task task;

  // Admitted:
  std::vector<Term> terms;  ///< of its bound; `Term::by` is an index of `beside`
  std::vector<std::string> beside;
  std::vector<std::string> trusts;  ///< above it on its core, and nobody holds them to their time

  // Refused:
  struct Late {
    std::string task;
    Time at_least, deadline;
  };
  std::optional<Late> late;  ///< at the deadline-monotonic place: who is late first
  /// Only because of tasks that are gone: from then on it would be admitted...
  std::optional<Time> again;
  bool when_idle = false;  ///< ... or as soon as no reserved task has a job
  bool cut_short = false;  ///< not everything was tried

  std::optional<Refusal> not_covered;
};

/// What would be admitted instead of what was refused. Each was tried; a larger or smaller value in
/// between may do, too.
struct Instead {
  std::optional<Time> period;                   ///< the smallest; an implicit deadline goes with it
  std::optional<std::int64_t> gpu_thousandths;  ///< the longest: of the time of each GPU node
  std::optional<std::int64_t> core;             ///< another one

  bool any() const { return period || gpu_thousandths || core; }
};

/// Who has a reservation, and what the others may rely on.
///
/// A pure state machine: the same events at the same times make the same state, and nothing here knows
/// a clock. Invariant: the tasks of the list, those that are gone but still counted ("phantoms") among
/// them, meet their deadlines by the values in force, whatever was going on when each was let in.
///
///     Controller controller(platform, {});
///     Answer answer = controller.ask(now, task);   // admitted, or refused and why
///     controller.gone("camera", later, later);     // its room is free at `phantoms()[0].until`
class Controller {
 public:
  /// @param platform its elements and its best-effort tasks; who has a deadline must ask
  Controller(System platform, Rules rules) : platform_(std::move(platform)), rules_(rules) {}

  /// Says that enough has been tried; asked between two analyses.
  using Enough = std::function<bool()>;

  // The events, in the order of their times.

  /// @param now not before the last event
  Answer ask(Time now, Task task, const Enough& enough = {});
  /// Those that were there before, in their places: of an arbiter that has ended. False, and nobody is
  /// there, where the analysis does not pass. @pre nobody is there
  bool restore(std::vector<Placed> list);
  /// A task has ended: from `since` on, not before now, nothing of it is done on the GPU or at
  /// real-time priority. It is still counted until no job is pending that it may have delayed. False:
  /// there is none of that name.
  bool gone(std::string_view name, Time now, Time since);
  /// One that is gone but still counted is there again, as it was and in its place: no bound changes.
  /// Its first job arrives a period after `Phantom::since`, or later. False: there is none of that name, or
  /// its name or its core has been given away.
  bool back(std::string_view name, Time now);
  /// No reserved task has a job, on any core or the GPU.
  void idle(Time now);
  /// Time has passed.
  void settle(Time now);

  // The state. Call `settle` before.

  struct Reservation {
    const Task& task;
    /// Among all users of the GPU, phantoms included; that of the next one, if it does not use it.
    std::size_t rank;
    const std::vector<std::size_t>& cuts;
    const Values& values;  ///< as enforced
    Time bound;            ///< what its program is told
  };
  /// Without phantoms, the most urgent first.
  std::vector<Reservation> reservations() const;
  struct Phantom {
    const Task& task;
    Time since;
    std::optional<Time> until;                            ///< none: until an idle instant
    std::vector<std::pair<std::string, Values>> without;  ///< the others, when it is over
  };
  std::vector<Phantom> phantoms() const;
  /// To what a job is held that arrives then: the values in force, or what they have fallen to since
  /// a departure. @pre the task is reserved
  Values held_to(std::string_view name, Time arrival) const;
  /// The same for all arrivals: from when on they are held to less than the values in force.
  struct Fall {
    Time from;
    Values values;
  };
  std::vector<Fall> falls_of(std::string_view name) const;
  /// Everybody who counts, in the order of places.
  const std::vector<Placed>& list() const { return list_; }

  /// What the bound of a reserved task is made of; `Term::by` is a place of `list`.
  std::vector<Term> terms_of(std::string_view name) const;

  /// What would be admitted in the place of a task that was refused.
  Instead instead_of(const Task& refused, const Enough& enough = {}) const;

  const System& platform() const { return platform_; }
  const Rules& rules() const { return rules_; }

 private:
  using Tasks = std::map<const Task*, Values>;
  /// A task that is gone but counted.
  struct Gone {
    const Task* task = nullptr;
    Time since;     ///< t_x
    Tasks largest;  ///< M: of each other task, the largest values in force since then
  };
  /// What happens when a phantom is over, and those that were gone before it with it.
  struct Departure {
    std::vector<const Task*> who;
    std::optional<Time> until;
    std::vector<Placed> left;
    std::vector<Values> values;         ///< V0, of `left`
    std::map<const Task*, Time> falls;  ///< from which arrivals on a task is held to V0
  };
  struct Search {
    std::vector<Placed> list;
    std::vector<Values> values;  ///< empty: nothing passes
    std::size_t place = 0;
    std::optional<Answer::Late> late;
    std::optional<Refusal> refusal;
    bool cut_short = false;
    bool passes() const { return !values.empty(); }
  };

  std::optional<Refusal> refusal_of(const Task& task) const;
  Search search(std::span<const Placed> base, const std::shared_ptr<const Task>& task,
                bool all_places, std::size_t& analyses, const Enough& enough) const;
  void judge(Answer& answer, const Enough& enough);
  void admit(Search found, Answer& answer);
  bool passes(std::vector<Placed> list);
  void look_ahead();
  Departure without_those_before(const Gone& last) const;
  void look_ahead(const Gone& last, Departure& made) const;
  void drop(const Departure& departure);
  bool is_phantom(const Task* task) const;
  Time told(std::size_t place) const;

  System platform_;
  Rules rules_;
  std::vector<Placed> list_;  ///< phantoms are in it
  std::vector<Values> values_;
  std::vector<Gone> gone_;             ///< in the order of their times
  std::vector<Departure> departures_;  ///< one for each of `gone_`
};

}  // namespace tactus::reserve
