// What "work-conserving" means, read off traces of random runs by code that shares nothing with the
// policies: precedence, capacity, and nobody waits who could have started.
#include <gtest/gtest.h>

#include <algorithm>

#include "tactus/methods/gang/gang_plan.hpp"
#include "tactus/model/writer.hpp"
#include "tactus/simulate/registry.hpp"
#include "tests/simulate/support.hpp"

namespace tactus::simulate {
namespace {

/// One job of the only task of a system, as it ran.
class Run {
 public:
  Run(const System& system, const Verdict& verdict, const trace::Trace& trace)
      : system_(system), pieces_(trace.intervals) {
    // Alone it has the whole platform, or the share of a plan with the same bound.
    for (const Element& element : system.platform.elements) units_.push_back(element.units);
    const auto* plan = dynamic_cast<const gang::SharePlan*>(verdict.plan.get());
    if (plan != nullptr && plan->shares[0].bound <= verdict.tasks[0].bound) {
      units_ = plan->shares[0].units;
    }
    const Task& task = system.tasks[0];
    ready_.resize(task.nodes.size());
    std::vector<Time> finish(task.nodes.size());
    for (const NodeIndex node : topological_order(task.graph)) {
      for (const NodeIndex before : task.graph.predecessors(node)) {
        ready_[node] = std::max(ready_[node], finish[before]);
      }
      finish[node] = ready_[node];
      for (const trace::Interval& piece : pieces_) {
        if (piece.node == node) finish[node] = std::max(finish[node], piece.end);
      }
    }
  }

  bool keeps_precedence() const {
    return std::all_of(pieces_.begin(), pieces_.end(),
                       [&](const trace::Interval& piece) { return piece.start >= ready(piece); });
  }

  /// Checks that at every instant at which `waits` is ready and not started it does not fit, or,
  /// where `others_count`, that somebody who waits for the same element does not.
  bool waits_rightly(const trace::Interval& waits, bool others_count) const {
    for (const Time now : instants()) {
      if (now < ready(waits) || now >= waits.start) continue;
      const bool blocked =
          std::any_of(pieces_.begin(), pieces_.end(), [&](const trace::Interval& other) {
            const bool counts = &other == &waits || others_count;
            return counts && other.element == waits.element && now >= ready(other) &&
                   now < other.start && !fits(other, now);
          });
      if (!blocked) return false;
    }
    return true;
  }

  bool all_wait_rightly(bool others_count, int& waited) const {
    for (const trace::Interval& piece : pieces_) {
      waited += piece.start > ready(piece) ? 1 : 0;
      if (!waits_rightly(piece, others_count)) return false;
    }
    return true;
  }

 private:
  /// A kernel is ready when its launch has ended, where it has one.
  Time ready(const trace::Interval& piece) const {
    Time ready = ready_[piece.node];
    if (piece.activity == trace::Activity::kLaunch) return ready;
    for (const trace::Interval& launch : pieces_) {
      if (launch.node != piece.node || launch.activity != trace::Activity::kLaunch) continue;
      ready = std::max(ready, launch.end);
    }
    return ready;
  }

  std::vector<Time> instants() const {
    std::vector<Time> all = {Time()};
    for (const trace::Interval& piece : pieces_) all.insert(all.end(), {piece.start, piece.end});
    return all;
  }

  /// Room for one more gang, in one unit where units have lanes.
  bool fits(const trace::Interval& gang, Time now) const {
    const Element& element = system_.platform.elements[gang.element];
    const bool lanes = element.lanes > 1;
    const std::int64_t units = units_[gang.element];
    std::vector<std::int64_t> room(lanes ? static_cast<std::size_t>(units) : 1,
                                   lanes ? element.lanes : units);
    for (const trace::Interval& piece : pieces_) {
      if (piece.element != gang.element || piece.start > now || piece.end <= now) continue;
      room[lanes ? piece.unit : 0] -= piece.width;
    }
    return *std::max_element(room.begin(), room.end()) >= gang.width;
  }

  const System& system_;
  const std::vector<trace::Interval>& pieces_;
  std::vector<std::int64_t> units_;  ///< by element
  std::vector<Time> ready_;          ///< by node
};

/// Runs `method` on the systems of a recipe that have one task.
void expect_conserved(std::string_view recipe_name, std::string_view method, bool others_count) {
  const Recipe& recipe = *find_recipe(recipe_name);
  int waited = 0;
  for (std::uint64_t index = 0; index < 600; ++index) {
    const System system = *generate(recipe, Settings(recipe.parameters, {}), 3, index);
    if (system.tasks.size() > 1) continue;
    trace::Scenario scenario = trace::random_scenario(5, index);
    scenario.releases = trace::Releases::kSynchronous;
    scenario.preemptive = false;  // what has started does not wait again
    const Seen seen = simulate(system, method, to_string(scenario), 1, kSafe, scenario.seed);
    const Run run(system, seen.verdict, seen.trace);
    ASSERT_TRUE(run.keeps_precedence()) << write_system_line(system);
    ASSERT_TRUE(run.all_wait_rightly(others_count, waited)) << write_system_line(system);
  }
  EXPECT_GT(waited, 600) << "hardly anybody waited, so hardly anything was checked";
}

/// Copies that share an engine keep it busy once: how long at least one of them was there.
Time shared_time(const System& system, const trace::Trace& trace, ElementIndex element) {
  if (system.platform.elements[element].sharing != CopySharing::kShared) return Time();
  std::vector<std::pair<Time, Time>> copies;
  for (const trace::Interval& piece : trace.intervals) {
    if (piece.element == element) copies.emplace_back(piece.start, piece.end);
  }
  std::sort(copies.begin(), copies.end());
  Time sum, until;
  for (const auto& [start, end] : copies) {
    if (end > until) sum += end - std::max(start, until);
    until = std::max(until, end);
  }
  return sum;
}

TEST(Utilisation, IsWhatRanTimesHowWideItWas) {
  for (const Method* method : registry()) {
    const auto behind = find_policy(*method);
    if (!behind) continue;
    const Recipe& recipe = **hunting_ground(*method);
    for (std::uint64_t index = 0; index < 20; ++index) {
      const System system = *generate(recipe, Settings(recipe.parameters, {}), 9, index);
      const Verdict verdict = analyze(*method, system);
      if (verdict.status == Status::kNotApplicable) continue;
      const auto policy = behind->make(system, verdict);
      if (!policy) continue;
      const trace::Scenario scenario = behind->admit(trace::random_scenario(9, index));
      Until until;
      until.jobs = 4;
      trace::Trace trace;
      const trace::Observed outcome = run(system, **policy, scenario, until, &trace);
      std::vector<Time> busy(system.platform.elements.size());
      for (const trace::Interval& piece : trace.intervals) {
        const bool works =
            piece.activity == trace::Activity::kRun || piece.activity == trace::Activity::kLaunch;
        if (works) busy[piece.element] += (piece.end - piece.start) * piece.width;
      }
      for (ElementIndex e = 0; e < busy.size(); ++e) busy[e] += shared_time(system, trace, e);
      EXPECT_EQ(outcome.busy, busy) << method->id << " on " << system.name;
    }
  }
}

TEST(WorkConservation, NoGangThatFitsWaitsUnderWc) {
  expect_conserved("gang-small", "gang.wc", false);
}
TEST(WorkConservation, SomeWaitingGangDoesNotFitUnderSwc) {
  expect_conserved("gang-small", "gang.swc", true);
}
TEST(WorkConservation, NoBlockWaitsForAnIdleSm) {
  expect_conserved("dag-small", "dag.graham", false);
}

}  // namespace
}  // namespace tactus::simulate
