#include "tactus/trace/observed_plan.hpp"

#include <algorithm>

namespace tactus::trace {
namespace {

constexpr std::uint64_t kMostLateJobs = 20;  ///< of those that missed, and of the others

}  // namespace

void ObservedNode::saw(Time took, std::int64_t width) {
  narrowest = runs == 0 ? width : std::min(narrowest, width);
  widest = std::max(widest, width);
  ++runs;
  longest = std::max(longest, took);
  total += took;
  if (bound && took > *bound) ++over;
}

Time ObservedNode::mean() const {
  return runs == 0 ? Time() : Time::from_ns(total.ns() / static_cast<std::int64_t>(runs));
}

void ObservedBatches::add(const LateJob& job) {
  Blamed& blamed = job.cause == LateJob::Cause::kHost ? by_host : by_batches;
  ++(job.missed ? blamed.missed : blamed.over_bound);
  const std::uint64_t alike =
      job.missed ? by_host.missed + by_batches.missed : by_host.over_bound + by_batches.over_bound;
  if (alike <= kMostLateJobs) late_jobs.push_back(job);
}

}  // namespace tactus::trace
