#include "tactus/simulate/hunt.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "tactus/host/clock.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"
#include "tactus/simulate/shrink.hpp"

namespace tactus::simulate {
namespace {

/// What one scenario shows of one system, when the method covers it and promises something.
struct Shot {
  bool promised = false;
  std::vector<trace::Violation> violations;
  std::string broken_rule;
  std::vector<double> reached;  ///< by task: its longest response as a share of its bound
};

Shot shoot(const Hunt& hunt, const System& system, const Verdict& verdict,
           const trace::Scenario& scenario) {
  Shot shot;
  const auto policy = find_policy(*hunt.method)->make(system, verdict);
  if (!policy) return shot;
  shot.promised = true;
  Until until;
  until.jobs = hunt.jobs;
  until.duration = hunt.duration;
  until.events = 200'000;
  until.audit = true;
  until.completions = hunt.completions;
  trace::Observed observed = run(system, **policy, scenario, until);
  hold_to(verdict, observed);
  shot.broken_rule = std::move(observed.broken_rule);
  if (shot.broken_rule.empty()) shot.violations = trace::violations(observed);
  for (const trace::ObservedTask& task : observed.tasks) {
    shot.reached.push_back(task.bound && *task.bound > Time()
                               ? static_cast<double>(task.longest_covered.ns()) /
                                     static_cast<double>(task.bound->ns())
                               : 0);
  }
  return shot;
}

bool has_bound(const Verdict& verdict) {
  return promises(verdict) &&
         std::any_of(verdict.tasks.begin(), verdict.tasks.end(),
                     [](const TaskVerdict& task) { return task.bound.has_value(); });
}

/// The violation, made as small as possible; after an interrupt it stays as it is.
Catch made_small(const Hunt& hunt, const Catch& caught) {
  trace::Violation last = caught.violation;
  const auto fails = [&](const System& candidate) {
    if (hunt.options.stop.stop_requested()) return false;
    const Verdict verdict = analyze(*hunt.method, candidate, hunt.options);
    if (!has_bound(verdict)) return false;
    const Shot shot = shoot(hunt, candidate, verdict, caught.scenario);
    if (shot.violations.empty()) return false;
    last = shot.violations.front();
    return true;
  };
  System smallest = shrink(caught.system, fails);
  return {std::move(smallest), caught.scenario, last};
}

/// What one system contributes.
Bag hunt_one(const Hunt& hunt, std::uint64_t index) {
  Bag bag;
  const Result<System> system =
      generate(*hunt.recipe, Settings(hunt.recipe->parameters, {}), hunt.seed, index);
  if (!system) return bag;
  bag.systems = 1;
  const Verdict verdict = analyze(*hunt.method, *system, hunt.options);
  if (!has_bound(verdict)) return bag;
  bag.promised = 1;
  // A run of the system, perhaps with other offsets. Nothing: a rule was broken, no need to go on.
  const Try attempt = [&](const System& tried,
                          const trace::Scenario& scenario) -> std::optional<std::vector<double>> {
    if (hunt.options.stop.stop_requested()) return std::nullopt;
    Shot shot = shoot(hunt, tried, verdict, scenario);
    ++bag.runs;
    if (!shot.broken_rule.empty()) {
      bag.broken_rule = fmt::format("{} with {}, seed {}: {}", system->name, to_string(scenario),
                                    scenario.seed, shot.broken_rule);
      return std::nullopt;
    }
    if (!shot.violations.empty()) {
      ++bag.violations;
      if (bag.catches.empty()) bag.catches.push_back({tried, scenario, shot.violations.front()});
    }
    return std::move(shot.reached);
  };
  const Random random(hunt.seed ^ (index << 20), 1);
  switch (hunt.search) {
    case Search::kClimb:
      climb(*system, hunt.runs, random, attempt);
      break;
    case Search::kOffsets:
      try_offsets(*system, hunt.runs, random, attempt);
      break;
    case Search::kRandom:
      for (std::uint64_t k = 0; k < hunt.runs; ++k) {
        const trace::Scenario drawn = trace::random_scenario(hunt.seed ^ (index << 20), k);
        if (!attempt(*system, find_policy(*hunt.method)->admit(drawn))) break;
      }
  }
  return bag;
}

void merge(Bag& all, Bag&& one) {
  all.systems += one.systems;
  all.promised += one.promised;
  all.runs += one.runs;
  all.violations += one.violations;
  for (Catch& caught : one.catches) {
    if (all.catches.size() == kMostCatches) break;
    all.catches.push_back(std::move(caught));
  }
  if (all.broken_rule.empty()) all.broken_rule = std::move(one.broken_rule);
}

}  // namespace

Bag hunt(const Hunt& hunt) {
  // Workers take blocks of systems; the blocks' bags are put together in order, so that the result
  // is the same for any number of threads. Only bags that wait for one before them are kept.
  constexpr std::uint64_t kBlock = 16;
  constexpr std::int64_t kTellEveryNs = 100'000'000;
  const std::uint64_t blocks = (hunt.systems + kBlock - 1) / kBlock;
  std::atomic<std::uint64_t> next{0};
  std::mutex lock;  // for everything below
  Bag all, told;
  std::map<std::uint64_t, Bag> waiting;
  std::uint64_t merged = 0;
  const std::int64_t begin = host::now_ns();
  std::int64_t last_told = begin;
  const auto take = [&](std::uint64_t block, Bag&& bag) {
    const std::lock_guard guard(lock);
    told.systems += bag.systems;
    told.runs += bag.runs;
    told.violations += bag.violations;
    waiting.emplace(block, std::move(bag));
    while (!waiting.empty() && waiting.begin()->first == merged) {
      merge(all, std::move(waiting.begin()->second));
      waiting.erase(waiting.begin());
      ++merged;
    }
    const std::int64_t now = host::now_ns();
    if (!hunt.options.progress || now - last_told < kTellEveryNs) return;
    last_told = now;
    const double seconds = static_cast<double>(now - begin) / 1e9;
    hunt.options.progress(
        fmt::format("{}: {} of {} systems, {} runs, {} violations, {:.0f} systems/s",
                    hunt.method->id, told.systems, hunt.systems, told.runs, told.violations,
                    static_cast<double>(told.systems) / seconds));
  };
  const auto work = [&] {
    while (!hunt.options.stop.stop_requested()) {
      const std::uint64_t block = next++;
      if (block >= blocks) return;
      const std::uint64_t end = std::min(hunt.systems, (block + 1) * kBlock);
      Bag bag;
      for (std::uint64_t index = block * kBlock; index < end; ++index) {
        if (hunt.options.stop.stop_requested()) break;
        merge(bag, hunt_one(hunt, index));
      }
      take(block, std::move(bag));
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int t = 1; t < hunt.options.threads; ++t) workers.emplace_back(work);
    work();
  }
  for (auto& [block, bag] : waiting) merge(all, std::move(bag));
  for (Catch& caught : all.catches) caught = made_small(hunt, caught);
  return all;
}

}  // namespace tactus::simulate
