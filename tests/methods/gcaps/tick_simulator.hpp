#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tactus/model/system.hpp"
#include "tactus/trace/ties.hpp"

/// A simulator that advances one tick at a time and does what docs/use/simulation.md says of these
/// policies, with no event queue to get wrong. All times are whole ticks.
namespace tactus::gcaps::tests {

using Ticks = std::int64_t;

enum class Policy {
  kGcaps,         ///< runlist updates on the caller's core
  kGcapsArbiter,  ///< runlist updates served elsewhere
  kGcapsInherit,  ///< runlist updates on the caller's core, preemptible, under an rt_mutex
  kTsgRr,         ///< the driver's time-sliced round robin
  kMpcp,          ///< one lock, priority queue, boosted holder
  kFmlp,          ///< one lock, FIFO queue, boosted holder
};

/// What is launched in a GPU segment, one after another.
struct Launched {
  Ticks launch = 0, exec = 0;
  Ticks first = 0;  ///< of `launch`, before `exec` may begin
};

/// A CPU segment (`cpu`), or a GPU segment (`launch` on the core, then `exec` on the GPU; or, where
/// these overlap, as `launched` says).
struct Piece {
  bool gpu = false;
  Ticks cpu = 0, launch = 0, exec = 0;
  std::vector<Launched> launched = {};
};

struct SimJob {
  Ticks release = 0;
  std::vector<Piece> pieces;
};

struct SimTask {
  std::int64_t core = 1, priority = 0, gpu_priority = 0;
  bool best_effort = false;
  std::vector<Piece> worst;  ///< what a job needs at most
  std::vector<SimJob> jobs;  ///< in the order of their releases
};

struct Scenario {
  Policy policy = Policy::kGcaps;
  bool busy = false;  ///< spins during G^e instead of giving up the core
  Ticks eps = 0, slice = 1, theta = 0;
  /// GCAPS: how long a task stays on the GPU after the update that takes it off; with an arbiter the
  /// update lasts until then.
  Ticks delay = 0;
  bool works_while_leaving = false;
  /// Instead of `delay`, where given: how long the job of this number stays, the so many-th order to
  /// leave of all.
  std::function<Ticks(std::size_t task, std::uint32_t job, std::uint32_t order)> stays = {};
  /// What comes first within one instant; where not given, jobs are released first and who waits is
  /// served before who asks.
  std::function<trace::Ties(Ticks now)> ties = {};
  std::vector<SimTask> tasks;  ///< in file order
  std::size_t context = 0;     ///< round robin: whose context the GPU holds at the start
};

/// The scenario of a system, without jobs. `tick` must divide every time of the system.
Scenario scenario_of(const System& system, Policy policy, bool busy, Time tick);

/// The longest response time of each task until `until`; a job that has not ended by then counts
/// with what it has taken so far.
std::vector<Ticks> worst_responses(const Scenario& scenario, Ticks until);

}  // namespace tactus::gcaps::tests
