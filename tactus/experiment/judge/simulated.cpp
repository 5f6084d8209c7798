#include "tactus/experiment/judge/simulated.hpp"

#include <algorithm>
#include <stdexcept>

#include "tactus/experiment/describe/format.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"

namespace tactus::experiment {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

/// The synchronous start with every length at its bound, then random scenarios.
trace::Scenario scenario_of(std::uint64_t seed, std::int64_t run) {
  if (run > 0) return trace::random_scenario(seed, static_cast<std::uint64_t>(run));
  trace::Scenario scenario;
  scenario.seed = seed % 1'000'000'000;
  return scenario;
}

/// A task without a deadline has only its bound to keep.
bool any_missed(const trace::Observed& observed) {
  return std::any_of(observed.tasks.begin(), observed.tasks.end(),
                     [](const trace::ObservedTask& task) {
                       return task.misses > 0 || (!task.deadline && task.exceeds_bound());
                     });
}

/// Lowers `least` to the smallest bound / what the run saw of it.
void lower_to_ratio(const trace::Observed& observed, bool of_chains,
                    std::optional<std::int64_t>& least) {
  const auto lower = [&](const std::optional<Time>& bound, Time seen) {
    if (!bound || seen <= Time()) return;
    const auto ratio =
        static_cast<std::int64_t>(static_cast<__int128>(bound->ns()) * kMillion / seen.ns());
    least = std::min(least.value_or(ratio), ratio);
  };
  if (of_chains) {
    for (const trace::ObservedChain& chain : observed.chains) {
      if (chain.disturbed == 0) lower(chain.bound, std::max(chain.reaction, chain.age));
    }
  } else {
    for (const trace::ObservedTask& task : observed.tasks) lower(task.bound, task.longest_covered);
  }
}

}  // namespace

std::optional<std::int64_t> simulated_value(const Experiment& experiment, const System& system,
                                            const Method& method, const Verdict& verdict,
                                            std::uint64_t seed, const std::stop_token& stop) {
  const auto entry = simulate::find_policy(method);
  if (!entry) throw std::logic_error(entry.error().message);  // the reader refuses such a line
  const bool missed = experiment.measure == Measure::kMissed;
  std::optional<std::int64_t> value;
  if (missed) value = 0;
  simulate::Until until;
  until.jobs = static_cast<std::uint32_t>(experiment.simulation.jobs);
  until.stop = stop;
  until.audit = is_own_policy(*entry->entry);
  for (std::int64_t run = 0; run < experiment.simulation.runs; ++run) {
    const auto policy = entry->make(system, verdict);
    if (!policy) return std::nullopt;
    trace::Observed observed =
        simulate::run(system, **policy, entry->admit(scenario_of(seed, run)), until);
    if (!observed.broken_rule.empty()) throw std::logic_error(observed.broken_rule);
    hold_to(verdict, observed);
    if (missed && any_missed(observed)) return 1;
    if (!missed) lower_to_ratio(observed, experiment.figure_name == kOfChains, value);
  }
  return value;
}

}  // namespace tactus::experiment
