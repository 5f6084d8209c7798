#include "tests/methods/gang/support.hpp"

namespace tactus::gang {

Verdict run(std::string_view method, const System& system,
            std::map<std::string, std::string, std::less<>> settings) {
  Options options;
  options.settings = std::move(settings);
  return analyze(*find_method(method), system, options);
}

std::vector<PreparedDag> prepare_all(const System& system, bool exact) {
  std::vector<PreparedDag> prepared;
  for (const GangTask& task : tasks_of(system)) {
    prepared.push_back(prepare(system, make_dag(task), {.exact = exact}));
  }
  return prepared;
}

std::vector<GangTask> tasks_of(const System& system) {
  auto tasks = make_tasks(system);
  if (auto* refusal = std::get_if<Refusal>(&tasks)) {
    ADD_FAILURE() << refusal->reason;
    return {};
  }
  return std::get<std::vector<GangTask>>(std::move(tasks));
}

std::vector<Candidate> candidates(std::vector<PreparedDag> dags) {
  std::vector<Candidate> made;
  for (PreparedDag& dag : dags) made.push_back({std::move(dag)});
  return made;
}

std::vector<std::int64_t> deltas(const System& system, Scheduler scheduler, bool exact) {
  const PreparedDag dag = prepare_all(system, exact).front();
  const DagBound bound = theorem2(system, dag, scheduler, whole_platform(system));
  std::vector<std::int64_t> of_node(dag.dag.nodes.size());
  for (std::size_t p = 0; p < dag.loads.size(); ++p) {
    for (std::size_t k = 0; k < dag.loads[p].nodes.size(); ++k) {
      of_node[dag.loads[p].nodes[k]] = bound.parts[p].idle[k] * bound.parts[p].pools.count;
    }
  }
  std::vector<std::int64_t> of_copy;
  for (std::size_t v = 0; v < of_node.size(); ++v) {
    of_copy.insert(of_copy.end(), static_cast<std::size_t>(dag.dag.nodes[v].copies), of_node[v]);
  }
  return of_copy;
}

double in_units(const System& system, const Fraction& time) {
  double value = time.get_d();
  for (int i = 0; i < decimal_places(system.time_unit); ++i) value /= 10;
  return value;
}
double in_units(const System& system, Time time) { return in_units(system, to_fraction(time)); }

}  // namespace tactus::gang
