#include "tactus/methods/gang/shares/allocation.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/base/diagnostic.hpp"
#include "tactus/methods/gang/limits.hpp"
#include "tactus/methods/gang/shares/pareto_search.hpp"

namespace tactus::gang {
namespace {

/// Elements with more units are not allocated: listing their choices would take too long.
constexpr std::int64_t kMaxUnits = 65'536;

std::vector<Choice> choices_on(const Element& element, const ElementLoad& load,
                               const Totals& totals, Scheduler scheduler,
                               const std::stop_token& stop) {
  if (element.units > kMaxUnits) {
    throw LimitReached(fmt::format("element {} has {} units; shares are searched up to {}",
                                   quote(element.name), element.units, kMaxUnits));
  }
  std::vector<Choice> choices;
  const auto offer = [&](std::int64_t units, Fraction term) {
    if (choices.empty() || term < choices.back().term) choices.push_back({units, std::move(term)});
  };
  const auto term_with = [&](std::int64_t units) {
    const Pools pools = pools_of(element, units);
    return element_term(load, idle_processors(load, totals, pools.size, scheduler), pools).amount;
  };
  if (element.lanes > 1) {
    // Delta is that of one SM: the term is inversely proportional to the number of SMs.
    const Fraction alone = term_with(1);
    for (std::int64_t units = 1; units <= element.units; ++units) {
      offer(units, alone / static_cast<long>(units));
    }
  } else {
    for (std::int64_t units = load.widest; units <= element.units; ++units) {
      throw_if_stopped(stop);
      offer(units, term_with(units));
    }
  }
  return choices;
}

/// The units in `row`, by element of the platform.
std::vector<std::int64_t> spread(const EntryTable& table, const EntryTable::Row& row,
                                 std::size_t elements) {
  std::vector<std::int64_t> units(elements);
  for (std::size_t p = 0; p < table.elements.size(); ++p) units[table.elements[p]] = row.units[p];
  return units;
}

void add_table(Demand& demand, const EntryTable& table) {
  for (const EntryTable::Row& row : table.rows) {
    if (table.elements.size() > 1) {
      demand.joint.push_back({spread(table, row, demand.choices.size()), row.amount});
      continue;
    }
    auto& choices = demand.choices[table.elements.front()];
    if (choices.empty() || row.amount < choices.back().term) {
      choices.push_back({row.units.front(), row.amount});
    }
  }
}

}  // namespace

std::int64_t Demand::fewest_units(std::size_t element) const {
  if (!choices[element].empty()) return choices[element].front().units;
  if (joint.empty()) return 0;
  return std::min_element(joint.begin(), joint.end(),
                          [&](const JointChoice& a, const JointChoice& b) {
                            return a.units[element] < b.units[element];
                          })
      ->units[element];
}

Fraction Demand::least_amount() const {
  Fraction sum;
  for (const auto& of_element : choices) {
    if (!of_element.empty()) sum += of_element.back().term;
  }
  if (!joint.empty()) sum += joint.back().amount;  // of all units
  return sum;
}

AllocationProblem make_problem(const System& system, const std::vector<Candidate>& dags,
                               Scheduler scheduler, const std::stop_token& stop) {
  AllocationProblem problem{whole_platform(system), {}};
  for (const auto& [dag, table] : dags) {
    Demand demand{dag.dag.task, to_fraction(dag.dag.deadline),
                  std::vector<std::vector<Choice>>(problem.units.size())};
    const auto in_table = [&table = table](ElementIndex element) {
      return table && std::find(table->elements.begin(), table->elements.end(), element) !=
                          table->elements.end();
    };
    if (table) {
      add_table(demand, *table);
    } else {
      demand.slack -= to_fraction(dag.length);
    }
    for (std::size_t p = 0; p < dag.loads.size(); ++p) {
      const ElementIndex element = dag.loads[p].element;
      if (in_table(element)) continue;
      demand.choices[element] = choices_on(system.platform.elements[element], dag.loads[p],
                                           dag.totals[p], scheduler, stop);
    }
    problem.demands.push_back(std::move(demand));
  }
  return problem;
}

bool drop_useless_choices(AllocationProblem& problem) {
  bool possible = true;
  for (Demand& demand : problem.demands) {
    const Fraction spare = demand.slack - demand.least_amount();
    if (spare < 0) {
      possible = false;
      continue;
    }
    for (auto& choices : demand.choices) {
      if (choices.empty()) continue;
      const Fraction most = choices.back().term + spare;
      const auto useful = std::find_if(choices.begin(), choices.end(),
                                       [&](const Choice& choice) { return choice.term <= most; });
      choices.erase(choices.begin(), useful);
    }
    if (demand.joint.empty()) continue;
    const Fraction most = demand.joint.back().amount + spare;
    std::erase_if(demand.joint, [&](const JointChoice& joint) { return joint.amount > most; });
  }
  return possible;
}

std::string what_binds(const System& system, const std::vector<Candidate>& dags,
                       const AllocationProblem& problem, std::size_t budget,
                       const std::stop_token& stop) {
  const auto shown = [&](Time time) { return format_time(time, system.time_unit); };
  for (std::size_t k = 0; k < dags.size(); ++k) {
    const std::string task = quote(system.tasks[problem.demands[k].task].name);
    const Time deadline = dags[k].dag.dag.deadline, length = dags[k].least_length();
    if (length > deadline) {
      return fmt::format("task {}: its longest path takes {}{}, {} more than its deadline {}", task,
                         shown(length), dags[k].table ? " with the shortest of its `times`" : "",
                         shown(length - deadline), shown(deadline));
    }
    const Fraction excess = problem.demands[k].least_amount() - problem.demands[k].slack;
    if (excess > 0) {
      return fmt::format(
          "task {}: even alone on the whole platform its bound is {}, {} more than "
          "its deadline {}",
          task, shown(deadline + round_up(excess)), shown(round_up(excess)), shown(deadline));
    }
  }
  for (std::size_t p = 0; p < problem.units.size(); ++p) {
    std::int64_t needed = 0;
    for (const Demand& demand : problem.demands) {
      needed += demand.fewest_units(p);
    }
    if (needed > problem.units[p]) {
      return fmt::format(
          "element {}: the tasks need at least {} units of it together, {} more "
          "than it has ({})",
          quote(system.platform.elements[p].name), needed, needed - problem.units[p],
          problem.units[p]);
    }
  }
  const auto missing = least_overflow(problem, budget, stop);
  if (!missing) return "no combination of shares fits the platform";
  std::string where;
  std::int64_t total = 0;
  for (std::size_t p = 0; p < missing->size(); ++p) {
    total += (*missing)[p];
    if ((*missing)[p] == 0) continue;
    where += fmt::format("{}{} {}", where.empty() ? "" : ", ", (*missing)[p],
                         quote(system.platform.elements[p].name));
  }
  return fmt::format("no combination of shares fits the platform; the closest lacks {} unit{} ({})",
                     total, total == 1 ? "" : "s", where);
}

}  // namespace tactus::gang
