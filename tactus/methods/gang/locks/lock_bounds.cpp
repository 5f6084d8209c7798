#include "tactus/methods/gang/locks/lock_bounds.hpp"

#include <iterator>

#include "tactus/methods/releases.hpp"

namespace tactus::gang {

std::vector<Term> lock_terms(const LockedDags& locked, std::size_t k, const HeBound& own,
                             std::vector<ExactTerm> others) {
  const InflatedDag& dag = locked.dags[k];
  Fraction length, rest = own.total;
  std::map<ElementIndex, Fraction> blocking;
  for (NodeIndex v : own.path) {
    const auto& access = dag.source->nodes[v].access;
    const Fraction whole = dag.to_time(dag.wcet[v]);
    rest -= whole;
    length += whole;
    if (!access) continue;
    blocking[access->element] += locked.locks.at(access->element).blocking;
    length -= locked.locks.at(access->element).blocking;
  }
  std::vector<ExactTerm> terms{{{.label = "length", .how = "the path that takes longest"}, length}};
  for (const auto& [element, amount] : blocking) {
    terms.push_back(
        {{.label = "lock blocking", .on = element, .how = "of each access on that path"}, amount});
  }
  terms.push_back({{.label = "interference", .how = "its work off that path, on its cores"}, rest});
  std::move(others.begin(), others.end(), std::back_inserter(terms));
  return rounded(std::move(terms));
}

bool set_bound(TaskVerdict& task, const LockedDags& locked, std::size_t k, const HeBound& own,
               const Fraction& total, std::vector<ExactTerm> others, Time jitter) {
  task.terms = lock_terms(locked, k, own, std::move(others));
  if (jitter > Time()) task.terms.push_back(jitter_term(jitter));
  task.bound = round_up(total) + jitter;
  task.schedulable = total <= locked.limit(k, jitter);
  return task.schedulable;
}

}  // namespace tactus::gang
