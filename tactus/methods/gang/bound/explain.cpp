#include "tactus/methods/gang/bound/explain.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tactus/methods/terms.hpp"

namespace tactus::gang {
namespace {

/// A volume in the file's unit, rounded up.
std::string shown(const System& system, Volume volume) {
  if (volume > INT64_MAX) return fmt::format("{:.6g}", static_cast<double>(volume));
  return format_time(Time::from_ns(static_cast<std::int64_t>(volume)), system.time_unit);
}

std::string shown(const System& system, const Fraction& time) {
  return format_time(round_up(time), system.time_unit);
}

}  // namespace

std::vector<Term> rounded(std::vector<ExactTerm> terms) {
  std::vector<Term> result;
  Fraction sum;
  Time before;
  for (ExactTerm& exact : terms) {
    sum += exact.amount;
    const Time after = round_up(sum);
    exact.term.amount = after - before;
    result.push_back(exact.term);
    before = after;
  }
  return readable_terms(std::move(result));
}

std::vector<Term> terms_of(const PreparedDag& dag, Time length,
                           const std::vector<Fraction>& amounts) {
  std::vector<ExactTerm> terms{
      {{.label = "length", .how = "the longest path"}, to_fraction(length)}};
  for (std::size_t p = 0; p < amounts.size(); ++p) {
    terms.push_back({{.label = "interference",
                      .on = dag.loads[p].element,
                      .how = "volume counted / processors not idle, see below"},
                     amounts[p]});
  }
  return rounded(std::move(terms));
}

std::vector<PlanTable> details_of(const System& system, const GangTask& task,
                                  const PreparedDag& dag, const DagBound& bound,
                                  const Fraction* tight, const std::optional<Fraction>* theorem1) {
  PlanTable elements{"Interference by element (volumes in processors x time)",
                     {"element", "processors", "volume", "least on a path", "off the path",
                      "can interfere", "counted", "most idle", "interference"},
                     {}};
  PlanTable idle{"Idle processors while a node waits (Delta)",
                 {"node", "element", "width", "wcet", "Delta"},
                 {}};
  std::vector<std::vector<std::string>> rows(dag.dag.nodes.size());
  for (std::size_t p = 0; p < dag.loads.size(); ++p) {
    const ElementLoad& load = dag.loads[p];
    const DagBound::Part& part = bound.parts[p];
    const std::string& name = system.platform.elements[load.element].name;
    elements.rows.push_back(
        {name, std::to_string(part.pools.size * part.pools.count), shown(system, load.total),
         shown(system, load.least_path), shown(system, load.off_path()),
         shown(system, load.interfering), shown(system, part.term.filled),
         std::to_string(*std::max_element(part.idle.begin(), part.idle.end()) * part.pools.count),
         shown(system, part.term.amount) + (part.term.no_h ? " (no h)" : "")});
    for (std::size_t k = 0; k < load.nodes.size(); ++k) {
      const GangNode& node = dag.dag.nodes[load.nodes[k]];
      rows[load.nodes[k]] = {label_of(system, task, node), name, std::to_string(node.width),
                             format_time(node.wcet, system.time_unit),
                             std::to_string(part.idle[k] * part.pools.count)};
    }
  }
  idle.rows = std::move(rows);
  std::vector<PlanTable> tables{std::move(elements), std::move(idle)};
  PlanTable bounds{"Bounds", {"bound", "value"}, {{"Theorem 2", shown(system, bound.total)}}};
  if (tight != nullptr) bounds.rows.push_back({"tight", shown(system, *tight)});
  if (theorem1 != nullptr) {
    bounds.rows.push_back(
        {"Theorem 1", *theorem1 ? shown(system, **theorem1) : "not computed: too many paths"});
  }
  if (bounds.rows.size() > 1) tables.push_back(std::move(bounds));
  return tables;
}

}  // namespace tactus::gang
