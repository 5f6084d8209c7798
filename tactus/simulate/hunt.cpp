#include "tactus/simulate/hunt.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "tactus/host/clock.hpp"
#include "tactus/methods/many.hpp"
#include "tactus/methods/promise.hpp"
#include "tactus/model/paths.hpp"
#include "tactus/simulate/engine.hpp"
#include "tactus/simulate/registry.hpp"
#include "tactus/simulate/shrink.hpp"
#include "tactus/trace/script_file.hpp"

namespace tactus::simulate {
namespace {

/// What one scenario shows of one system, when the method covers it and promises something.
struct Shot {
  bool promised = false;
  std::vector<trace::Violation> violations;
  std::string broken_rule;
  /// By task, then by chain: the longest that was seen as a share of its bound.
  std::vector<double> reached;
};

Shot shoot(const Hunt& hunt, const System& system, const Verdict& verdict,
           const trace::Scenario& scenario, trace::TraceSink* sink = nullptr) {
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
  trace::Observed observed = run(system, **policy, scenario, until, sink);
  hold_to(verdict, observed);
  shot.broken_rule = std::move(observed.broken_rule);
  if (shot.broken_rule.empty()) shot.violations = trace::violations(observed);
  const auto share = [](Time seen, const std::optional<Time>& bound) {
    return bound && *bound > Time()
               ? static_cast<double>(seen.ns()) / static_cast<double>(bound->ns())
               : 0;
  };
  for (const trace::ObservedTask& task : observed.tasks) {
    shot.reached.push_back(share(task.longest_covered, task.bound));
  }
  for (const trace::ObservedChain& chain : observed.chains) {
    shot.reached.push_back(share(std::max(chain.reaction, chain.age), chain.bound));
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
  return {std::move(smallest), caught.scenario, last, caught.place};
}

/// Finds the longest covered response of a task.
class JobFinder final : public trace::TraceSink {
 public:
  explicit JobFinder(TaskIndex task) : task_(task) {}
  void add(const trace::Interval&) override {}
  void add(const trace::Usage&) override {}
  void add(const trace::JobSpan& job) override {
    if (job.task != task_) return;
    if (!found || job.end - job.begin > found->end - found->begin) found = job;
  }
  std::optional<trace::JobSpan> found;

 private:
  TaskIndex task_;
};

/// Runs a violation once more: which job was it, and what is the script of the run?
void look_closer(const Hunt& hunt, Catch& caught) {
  Options options = hunt.options;
  options.stop = {};  // one run, also after an interrupt
  const Verdict verdict = analyze(*hunt.method, caught.system, options);
  trace::Scenario scenario = caught.scenario;
  scenario.record = std::make_shared<trace::Script>(caught.system);
  JobFinder finder(caught.violation.task);
  if (!shoot(hunt, caught.system, verdict, scenario, &finder).promised) return;
  if (finder.found) caught.job = *finder.found;
  caught.script = write_script(caught.system, scenario);
}

/// The system at this place, random or given.
Result<System> system_at(const Hunt& hunt, std::uint64_t place) {
  if (!hunt.given.empty()) return hunt.given[place];
  return generate(*hunt.recipe, Settings(hunt.recipe->parameters, hunt.settings), hunt.seed, place);
}

/// What one system contributes.
Bag hunt_one(const Hunt& hunt, std::uint64_t index) {
  Bag bag;
  const Result<System> system = system_at(hunt, index);
  if (!system) return bag;
  bag.systems = 1;
  const Verdict verdict = analyze(*hunt.method, *system, hunt.options);
  if (verdict.status == Status::kUndecided) {
    bag.undecided = 1;
    bag.why_undecided = fmt::format("{}: {}", system->name, verdict.reason);
  }
  if (verdict.status == Status::kNotApplicable) {
    bag.not_applicable = 1;
    bag.why_not_applicable = fmt::format("{}: {}", system->name, verdict.reason);
  }
  if (!has_bound(verdict)) return bag;
  // Without a policy nothing can be seen, which must not look as if nothing had been found.
  if (const auto policy = find_policy(*hunt.method)->make(*system, verdict); !policy) {
    bag.undecided = 1;
    bag.why_undecided = fmt::format("{}: {}", system->name, policy.error().message);
    return bag;
  }
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
      if (bag.catches.size() < hunt.most_catches) {
        bag.catches.push_back({tried, scenario, shot.violations.front(), index});
      }
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
        trace::Scenario drawn = trace::random_scenario(hunt.seed ^ (index << 20), k);
        if (!has_late_releases(*system)) drawn.lateness = trace::Scenario().lateness;  // no matter
        if (!attempt(*system, find_policy(*hunt.method)->admit(drawn))) break;
      }
  }
  return bag;
}

void merge(const Hunt& hunt, Bag& all, Bag&& one) {
  all.systems += one.systems;
  all.promised += one.promised;
  all.runs += one.runs;
  all.violations += one.violations;
  for (Catch& caught : one.catches) {
    if (all.catches.size() == hunt.most_catches) break;
    all.catches.push_back(std::move(caught));
  }
  if (all.broken_rule.empty()) all.broken_rule = std::move(one.broken_rule);
  if (all.undecided == 0) all.why_undecided = std::move(one.why_undecided);
  if (all.not_applicable == 0) all.why_not_applicable = std::move(one.why_not_applicable);
  all.undecided += one.undecided;
  all.not_applicable += one.not_applicable;
}

}  // namespace

Bag hunt(const Hunt& hunt) {
  // Workers take blocks of systems; the blocks' bags are put together in order, so that the result
  // is the same for any number of threads. Only bags that wait for one before them are kept.
  constexpr std::uint64_t kBlock = 16;
  constexpr std::int64_t kTellEveryNs = 100'000'000;
  const std::uint64_t systems = hunt.given.empty() ? hunt.systems : hunt.given.size();
  const std::uint64_t blocks = (systems + kBlock - 1) / kBlock;
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
      merge(hunt, all, std::move(waiting.begin()->second));
      waiting.erase(waiting.begin());
      ++merged;
    }
    const std::int64_t now = host::now_ns();
    if (!hunt.options.progress || now - last_told < kTellEveryNs) return;
    last_told = now;
    const double seconds = static_cast<double>(now - begin) / 1e9;
    hunt.options.progress(
        fmt::format("{}: {} of {} systems, {} runs, {} violations, {:.0f} systems/s",
                    hunt.method->id, told.systems, systems, told.runs, told.violations,
                    static_cast<double>(told.systems) / seconds));
  };
  const auto work = [&] {
    while (!hunt.options.stop.stop_requested()) {
      const std::uint64_t block = next++;
      if (block >= blocks) return;
      const std::uint64_t end = std::min(systems, (block + 1) * kBlock);
      Bag bag;
      for (std::uint64_t index = block * kBlock; index < end; ++index) {
        if (hunt.options.stop.stop_requested()) break;
        merge(hunt, bag, hunt_one(hunt, index));
      }
      take(block, std::move(bag));
    }
  };
  {
    std::vector<std::jthread> workers;
    for (int t = 1; t < hunt.options.threads; ++t) workers.emplace_back(work);
    work();
  }
  for (auto& [block, bag] : waiting) merge(hunt, all, std::move(bag));
  for_each_index(all.catches.size(), hunt.options.threads, [&](std::size_t k) {
    all.catches[k] = made_small(hunt, all.catches[k]);
    look_closer(hunt, all.catches[k]);
  });
  return all;
}

}  // namespace tactus::simulate
