#include "tactus/trace/observed.hpp"

#include <algorithm>

namespace tactus::trace {
namespace {

constexpr std::size_t kMostFailures = 20;

}  // namespace

Observed::Observed(const System& system) : tasks(system.tasks.size()) {
  for (TaskIndex i = 0; i < tasks.size(); ++i) {
    const Task& task = system.tasks[i];
    tasks[i].task = i;
    if (!task.best_effort) tasks[i].deadline = task.deadline;
  }
}

void Observed::book(JobSpan job, TraceSink* sink) {
  ObservedTask& seen = tasks[job.task];
  const Time response = job.response();
  job.deadline = seen.deadline;
  job.missed = seen.deadline && response > *seen.deadline;
  seen.misses += job.missed ? 1 : 0;
  seen.longest = std::max(seen.longest, response);
  if (job.disturbed) {
    ++seen.disturbed;
  } else {
    seen.longest_covered = std::max(seen.longest_covered, job.end - job.begin);
  }
  if (job.ended) seen.responses.push_back(response);
  if (sink != nullptr) sink->add(job);
}

void ObservedReleases::saw(Time late_by, Time allowed, bool before_arrival) {
  latest = std::max(latest, late_by);
  late += late_by > allowed ? 1 : 0;
  early += before_arrival ? 1 : 0;
}

void Observed::watch_releases(const System& system) {
  for (ObservedTask& seen : tasks) {
    const Task& task = system.tasks[seen.task];
    if (!task.best_effort && (task.after || task.jitter > Time())) seen.releases.emplace();
  }
}

bool Observed::outside_model() const {
  return std::any_of(tasks.begin(), tasks.end(), [](const ObservedTask& task) {
    return task.releases && task.releases->outside() > 0;
  });
}

void Observed::fail(std::string what) {
  ++failed;
  if (failures.size() < kMostFailures) failures.push_back(std::move(what));
}

std::int64_t Observed::utilisation(const System& system, ElementIndex element) const {
  const Element& e = system.platform.elements[element];
  const auto capacity = static_cast<__int128>(end.ns()) * e.units * e.lanes;
  if (capacity == 0) return 0;
  return static_cast<std::int64_t>(static_cast<__int128>(busy[element].ns()) * 1000 / capacity);
}

bool Observed::good() const {
  return failed == 0 &&
         std::none_of(
             tasks.begin(), tasks.end(),
             [](const ObservedTask& task) { return task.misses > 0 || task.exceeds_bound(); }) &&
         std::none_of(chains.begin(), chains.end(),
                      [](const ObservedChain& chain) { return chain.exceeds_bound(); });
}

std::vector<Violation> violations(const Observed& observed) {
  std::vector<Violation> found;
  for (TaskIndex i = 0; i < observed.tasks.size(); ++i) {
    const ObservedTask& task = observed.tasks[i];
    if (task.exceeds_bound()) found.push_back({i, task.longest_covered, *task.bound});
  }
  for (const ObservedChain& chain : observed.chains) {
    if (!chain.exceeds_bound()) continue;
    found.push_back({chain.last, std::max(chain.reaction, chain.age), *chain.bound, chain.chain});
  }
  return found;
}

}  // namespace tactus::trace
