#include "tactus/arbiter/tasks/booking.hpp"

#include <algorithm>

#include "tactus/trace/chain_record.hpp"

namespace tactus::arbiter::tasks {
namespace {

Time since(const RunBlock& run, std::int64_t ns) { return Time::from_ns(ns - run.start_ns); }

/// Of the first task of a path, or of one alone: it is released by its timer. The others have counted
/// themselves.
void book_releases(const Task& task, const TaskBlock& block, trace::ObservedReleases& seen) {
  if (!task.after) {
    for (std::uint32_t j = 0; j < block.jobs.load(); ++j)
      seen.saw(Time::from_ns(block.read_ns[j] - block.arrival_ns[j]), task.jitter, false);
    return;
  }
  const tactus_releases& counted = block.releases;
  seen = {.latest = Time::from_ns(counted.latest_ns),
          .late = counted.late,
          .early = counted.early,
          .lost = counted.lost,
          .doubled = counted.doubled};
}

}  // namespace

void book_jobs(const System& system, const RunBlock& run, trace::Observed& observed) {
  observed.watch_releases(system);
  trace::ChainRecord chains(system);
  for (TaskIndex i = 0; i < system.tasks.size(); ++i) {
    const TaskBlock& block = run.tasks[i];
    Time last_end;
    for (std::uint32_t j = 0; j < block.jobs.load(); ++j) {
      const Time release = since(run, block.arrival_ns[j]);
      const Time end = release + Time::from_ns(block.response_ns[j]);
      observed.book({.task = i,
                     .job = j,
                     .release = release,
                     .begin = std::max(release, last_end),
                     .end = end,
                     .disturbed = block.disturbed[j]});
      chains.job(i, std::min(since(run, block.read_ns[j]), end), end);
      last_end = end;
    }
    if (auto& releases = observed.tasks[i].releases)
      book_releases(system.tasks[i], block, *releases);
  }
  chains.settle(Time::max());
  observed.chains = chains.take();
  for (trace::ObservedChain& chain : observed.chains) {
    for (const TaskIndex task : system.chains[chain.chain].tasks)
      chain.disturbed += observed.tasks[task].disturbed;
  }
}

}  // namespace tactus::arbiter::tasks
