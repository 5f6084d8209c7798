#include "tactus/reserve/controller.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gcaps/boost/choose_thresholds.hpp"
#include "tactus/methods/gcaps/boost/view.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/methods/obstacles.hpp"
#include "tactus/model/gpu_element.hpp"
#include "tactus/reserve/places.hpp"

namespace tactus::reserve {
namespace {

using gcaps::boost::kNoRank;

bool is(const Placed& placed, std::string_view name) { return placed.task->name == name; }

/// The values of `other` where they are larger.
void raise(Values& values, const Values& other) {
  values.response = std::max(values.response, other.response);
  values.completions.resize(other.completions.size());
  for (std::size_t k = 0; k < other.completions.size(); ++k) {
    values.completions[k] = std::max(values.completions[k], other.completions[k]);
  }
}

bool is_below(const Values& a, const Values& b) {
  if (a.response < b.response) return true;
  for (std::size_t k = 0; k < a.completions.size(); ++k) {
    if (a.completions[k] < b.completions[k]) return true;
  }
  return false;
}

}  // namespace

std::optional<Refusal> Controller::refusal_of(const Task& task) const {
  Obstacles obstacles;
  if (task.best_effort) obstacles.refuse(task, "is best effort: there is nothing to reserve");
  if (!task.period) obstacles.lacks(task, {"period"}, "has no period; a reservation needs one");
  if (task.period && !task.deadline) obstacles.lacks(task, {"deadline"}, "has no deadline");
  for (const Placed& placed : list_) {
    if (is_phantom(placed.task.get())) continue;
    if (is(placed, task.name)) obstacles.refuse(task, "has a reservation already");
    if (!rules_.cores_shared && placed.task->core == task.core) {
      obstacles.refuse(
          task, fmt::format("would share core {} with another reservation", task.core.value_or(0)));
      continue;
    }
    const bool spins = rules_.mode == gcaps::Mode::kBusy && !rules_.cpu_trusted;
    if (spins && placed.task->core == task.core) {
      obstacles.refuse(task, fmt::format("would share core {} with {}, and who spins has no CPU "
                                         "budget: give it a core of its own, or trust them",
                                         task.core.value_or(0), quote(placed.task->name)));
    }
  }
  if (!obstacles.any()) return std::nullopt;
  return std::move(obstacles).refusal();
}

Controller::Search Controller::search(std::span<const Placed> base,
                                      const std::shared_ptr<const Task>& task, bool all_places,
                                      std::size_t& analyses, const Enough& enough) const {
  Search found;
  for (const std::size_t place : places_for(*task, base)) {
    found.list = with_newcomer(base, task, place);
    Ordered ordered(platform_, rules_, found.list);
    if (ordered.refusal()) {
      found.refusal = ordered.refusal();
      return found;
    }
    std::optional<std::vector<std::vector<std::size_t>>> tried;
    for (const gcaps::boost::Share share : gcaps::boost::all_shares()) {
      cut(ordered, base, place, share, found.list);
      std::vector<std::vector<std::size_t>> cuts;
      for (const Placed& placed : found.list) cuts.push_back(placed.cuts);
      if (cuts == tried) continue;
      tried = std::move(cuts);  // they only fall from share to share
      if (analyses == 0 || (enough && enough())) {
        found.cut_short = true;
        return found;
      }
      --analyses;
      Ordered::Outcome outcome = ordered.analyze(found.list);
      if (outcome.passes()) {
        found.values = std::move(outcome.values);
        found.place = place;
        return found;
      }
      if (!found.late && outcome.late) {
        const Task& late = *found.list[outcome.late->place].task;
        found.late = {late.name, outcome.late->at_least, *late.deadline};
      }
    }
    if (!all_places) break;
  }
  return found;
}

Answer Controller::ask(Time now, Task task, const Enough& enough) {
  settle(now);
  Answer answer;
  answer.task = std::move(task);
  answer.not_covered = refusal_of(answer.task);
  if (answer.not_covered) return answer;
  try {
    judge(answer, enough);
  } catch (const LimitReached& limit) {
    answer.not_covered = Refusal{limit.what(), answer.task.at, {}};
  } catch (const OverflowError& overflow) {
    answer.not_covered = Refusal{overflow.what(), answer.task.at, {}};
  }
  return answer;
}

/// Changes nothing unless it admits.
void Controller::judge(Answer& answer, const Enough& enough) {
  const auto newcomer = std::make_shared<const Task>(answer.task);
  std::size_t analyses = rules_.most_analyses;
  Search found = search(list_, newcomer, rules_.all_places, analyses, enough);
  if (found.refusal) {
    answer.not_covered = std::move(found.refusal);
    return;
  }
  if (found.passes()) return admit(std::move(found), answer);
  answer.late = found.late;
  answer.cut_short = found.cut_short;
  for (const Departure& departure : departures_) {
    const Search later = search(departure.left, newcomer, rules_.all_places, analyses, enough);
    answer.cut_short = answer.cut_short || later.cut_short;
    if (!later.passes()) continue;
    answer.when_idle = true;
    if (!departure.until) continue;
    answer.again = std::min(answer.again.value_or(Time::max()), *departure.until);
  }
  answer.kind = Answer::Kind::kRefused;
}

void Controller::admit(Search found, Answer& answer) {
  answer.terms = Ordered(platform_, rules_, found.list).terms_of(found.place, found.list);
  list_ = std::move(found.list);
  values_ = std::move(found.values);
  for (Gone& gone : gone_) {
    for (std::size_t i = 0; i < list_.size(); ++i) {
      if (list_[i].task.get() == gone.task) continue;
      raise(gone.largest[list_[i].task.get()], values_[i]);
    }
  }
  look_ahead();
  answer.kind = Answer::Kind::kAdmitted;
  for (const Placed& placed : list_) answer.beside.push_back(placed.task->name);
  for (std::size_t i = 0; i < found.place && rules_.cpu_trusted; ++i) {
    if (list_[i].task->core == answer.task.core) answer.trusts.push_back(list_[i].task->name);
  }
}

bool Controller::restore(std::vector<Placed> list) {
  try {
    return passes(std::move(list));
  } catch (const LimitReached&) {
    return false;
  } catch (const OverflowError&) {
    return false;
  }
}

/// Takes it over if it does.
bool Controller::passes(std::vector<Placed> list) {
  if (list.empty()) return true;
  Ordered ordered(platform_, rules_, list);
  if (ordered.refusal()) return false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].cuts.size() != ordered.segments_of(i)) return false;
    const std::size_t rank = ordered.rank_of(i);
    if (std::any_of(list[i].cuts.begin(), list[i].cuts.end(),
                    [&](std::size_t limit) { return limit > rank; }))
      return false;
  }
  std::vector<Values> values = ordered.analyze(list).values;
  if (values.empty()) return false;
  list_ = std::move(list);
  values_ = std::move(values);
  return true;
}

bool Controller::back(std::string_view name, Time now) {
  settle(now);
  const auto found = std::find_if(gone_.rbegin(), gone_.rend(),
                                  [&](const Gone& gone) { return gone.task->name == name; });
  if (found == gone_.rend() || refusal_of(*found->task)) return false;
  gone_.erase(std::next(found).base());
  look_ahead();
  return true;
}

std::vector<Term> Controller::terms_of(std::string_view name) const {
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (is(list_[i], name) && !is_phantom(list_[i].task.get()))
      return Ordered(platform_, rules_, list_).terms_of(i, list_);
  }
  return {};
}

bool Controller::gone(std::string_view name, Time now, Time since) {
  settle(now);
  const auto found = std::find_if(list_.begin(), list_.end(), [&](const Placed& placed) {
    return is(placed, name) && !is_phantom(placed.task.get());
  });
  if (found == list_.end()) return false;
  Gone left{found->task.get(), since, {}};
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (list_[i].task != found->task) left.largest[list_[i].task.get()] = values_[i];
  }
  gone_.insert(std::upper_bound(gone_.begin(), gone_.end(), since,
                                [](Time at, const Gone& gone) { return at < gone.since; }),
               std::move(left));
  look_ahead();
  settle(now);
  return true;
}

void Controller::idle(Time now) {
  settle(now);
  // Nothing is pending that those could have delayed whose own work is done.
  for (std::size_t k = gone_.size(); k-- > 0;) {
    if (gone_[k].since <= now) return drop(Departure(departures_[k]));
  }
}

void Controller::settle(Time now) {
  for (;;) {
    const Departure* next = nullptr;
    for (const Departure& departure : departures_) {
      if (!departure.until || *departure.until > now) continue;
      // Of two at one time the later one takes the other with it.
      if (next == nullptr || *departure.until <= *next->until) next = &departure;
    }
    if (next == nullptr) return;
    drop(Departure(*next));
  }
}

void Controller::drop(const Departure& departure) {
  if (!departure.values.empty() || departure.left.empty()) {
    values_ = departure.values;
  } else {  // no better ones are known
    std::vector<Values> kept;
    for (const Placed& placed : departure.left) {
      const auto at = std::find_if(list_.begin(), list_.end(),
                                   [&](const Placed& other) { return other.task == placed.task; });
      kept.push_back(values_[static_cast<std::size_t>(at - list_.begin())]);
    }
    values_ = std::move(kept);
  }
  std::erase_if(gone_, [&](const Gone& gone) {
    return std::find(departure.who.begin(), departure.who.end(), gone.task) != departure.who.end();
  });
  for (Gone& gone : gone_) {  // another task may come to lie where they lay
    for (const Task* const task : departure.who) gone.largest.erase(task);
  }
  list_ = departure.left;
  look_ahead();
}

/// When the phantoms are over, as things are now.
void Controller::look_ahead() {
  departures_.clear();
  for (const Gone& gone : gone_) {
    departures_.push_back(without_those_before(gone));
    try {
      look_ahead(gone, departures_.back());
    } catch (const LimitReached&) {
      departures_.back().until.reset();
    } catch (const OverflowError&) {
      departures_.back().until.reset();
    }
  }
}

/// With x all those that were gone before it are taken out: windows that begin at t_x hold no work of
/// any of them. Theory, "Departures".
Controller::Departure Controller::without_those_before(const Gone& last) const {
  Departure made;
  made.left = list_;
  for (const Gone& gone : gone_) {
    if (gone.since > last.since) break;
    made.who.push_back(gone.task);
    const auto at = std::find_if(made.left.begin(), made.left.end(),
                                 [&](const Placed& each) { return each.task.get() == gone.task; });
    const auto place = static_cast<std::size_t>(at - made.left.begin());
    std::size_t rank = kNoRank;
    if (!at->cuts.empty()) {
      rank = static_cast<std::size_t>(std::count_if(
          made.left.begin(), at, [](const Placed& each) { return !each.cuts.empty(); }));
    }
    made.left = without(made.left, place, rank);
  }
  return made;
}

/// Until when they are counted: nothing, where no time is proved.
void Controller::look_ahead(const Gone& last, Departure& made) const {
  if (made.left.empty()) {
    made.until = last.since;
    return;
  }
  Ordered ordered(platform_, rules_, made.left);
  made.values = ordered.analyze(made.left).values;
  if (made.values.empty()) return;

  // c_i: jobs whose window begins so long after t_x obey V0, for all that their bound counts does.
  const std::int64_t m = rules_.enforced || !rules_.cpu_trusted ? 2 : 1;
  std::vector<Time> from(made.left.size());
  std::vector<bool> falling(made.left.size());
  Time longest;
  for (std::size_t i = 0; i < made.left.size(); ++i) {
    const Task& task = *made.left[i].task;
    const Values& largest = last.largest.at(&task);
    falling[i] = is_below(made.values[i], largest);
    for (std::size_t h = 0; h < i; ++h) {  // one list: a bound uses those of higher tasks only
      if (!falling[h]) continue;
      const bool gpu = !made.left[h].cuts.empty();
      const bool on_core = made.left[h].task->core == task.core &&
                           (gpu || (!rules_.cpu_trusted && rules_.mode != gcaps::Mode::kBusy));
      bool on_gpu = gpu && !made.left[i].cuts.empty();
      if (rules_.mode == gcaps::Mode::kBusy && gpu) {
        // Whoever spins above it on its core waits for the GPU, too.
        for (std::size_t y = h + 1; y < i; ++y) {
          on_gpu = on_gpu || (!made.left[y].cuts.empty() && made.left[y].task->core == task.core);
        }
      }
      if (!on_core && !on_gpu) continue;
      const Time response = last.largest.at(made.left[h].task.get()).response;
      from[i] = std::max(from[i], from[h] + m * response);
    }
    const Time ends = from[i] + (falling[i] ? m : 1) * largest.response;
    longest = std::max(longest, ends);
    if (falling[i]) made.falls[&task] = last.since + from[i] + largest.response;
  }
  made.until = last.since + longest;
}

bool Controller::is_phantom(const Task* task) const {
  return std::any_of(gone_.begin(), gone_.end(),
                     [&](const Gone& gone) { return gone.task == task; });
}

/// The bound of a program that keeps to its times: nothing of it is noticed or taken off for that.
Time Controller::told(std::size_t place) const {
  Time bound = values_[place].response;
  const Element* const gpu = gpu_of(platform_);
  if (!rules_.enforced || gpu == nullptr) return bound;
  const auto segments = static_cast<std::int64_t>(list_[place].cuts.size());
  return bound - segments * (rules_.notice + gcaps::boost::costs_of(*gpu).off);
}

std::vector<Controller::Reservation> Controller::reservations() const {
  std::vector<Reservation> all;
  std::size_t rank = 0;
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const bool gpu = !list_[i].cuts.empty();
    if (!is_phantom(list_[i].task.get())) {
      all.push_back({*list_[i].task, rank, list_[i].cuts, values_[i], told(i)});
    }
    if (gpu) ++rank;
  }
  return all;
}

std::vector<Controller::Phantom> Controller::phantoms() const {
  std::vector<Phantom> all;
  for (std::size_t k = 0; k < gone_.size(); ++k) {
    Phantom phantom{*gone_[k].task, gone_[k].since, std::nullopt, {}};
    for (std::size_t d = k; d < departures_.size(); ++d) {  // a later one may take it along
      const std::optional<Time>& until = departures_[d].until;
      if (until && (!phantom.until || *until < *phantom.until)) phantom.until = until;
    }
    for (std::size_t i = 0; i < departures_[k].values.size(); ++i) {
      phantom.without.emplace_back(departures_[k].left[i].task->name, departures_[k].values[i]);
    }
    all.push_back(std::move(phantom));
  }
  return all;
}

Values Controller::held_to(std::string_view name, Time arrival) const {
  for (std::size_t i = 0; i < list_.size(); ++i) {
    const Task* const task = list_[i].task.get();
    if (!is(list_[i], name) || is_phantom(task)) continue;
    Values values = values_[i];
    for (const Departure& departure : departures_) {
      const auto falls = departure.falls.find(task);
      if (falls == departure.falls.end() || arrival < falls->second) continue;
      for (std::size_t k = 0; k < departure.left.size(); ++k) {
        if (departure.left[k].task.get() != task) continue;
        const Values& lower = departure.values[k];
        values.response = std::min(values.response, lower.response);
        for (std::size_t s = 0; s < lower.completions.size(); ++s) {
          values.completions[s] = std::min(values.completions[s], lower.completions[s]);
        }
      }
    }
    return values;
  }
  return {};
}

std::vector<Controller::Fall> Controller::falls_of(std::string_view name) const {
  std::vector<Fall> falls;
  for (const Departure& departure : departures_) {
    for (std::size_t k = 0; k < departure.values.size(); ++k) {
      const Task* const task = departure.left[k].task.get();
      const auto from = departure.falls.find(task);
      if (task->name != name || is_phantom(task) || from == departure.falls.end()) continue;
      falls.push_back({from->second, departure.values[k]});
    }
  }
  return falls;
}

}  // namespace tactus::reserve
