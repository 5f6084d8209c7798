#pragma once

#include <map>

#include "tactus/base/random.hpp"
#include "tactus/methods/gang/locks/lock_view.hpp"
#include "tactus/methods/method.hpp"
#include "tactus/trace/observed.hpp"

/// What gang.rm-he and gang.wc-he are about with `--lock fifo` and `--lock smlp`, event by event:
/// accelerators cut into partitions behind one FIFO queue each, or an SMLP for each, and sequential
/// work on CPUs. The engine of the simulator has no policy for them, because without that option no
/// lock is described.
namespace tactus::simulate::locks {

struct Seen {
  /// By task: the longest from a (nominal) arrival to the end of the job.
  std::vector<Time> longest;
  std::vector<trace::ObservedChain> chains;
  bool overran = false;  ///< a job was still there when the next one was released
  std::uint64_t jobs = 0;
};

enum class Jitter { kNone, kLate, kBurst, kUniform };

struct Scenario {
  bool offsets_of_file = true;  ///< else each task has one of its own
  bool exact = true;            ///< arrivals a period apart; else later, too
  bool longest = true;          ///< all times as long as they may be; else at least half of that
  Jitter jitter = Jitter::kBurst;
  bool spins = false;  ///< of tasks that share a CPU: who waits for an accelerator keeps it
};

constexpr std::int64_t kSmlp = 0;

/// Runs a system as a verdict for it, found with `--k partitions --lock fifo` (or, for kSmlp, with
/// `--lock smlp`), says; until about so many jobs of the task with the longest period have come.
Seen run(const System& system, const Verdict& verdict, std::int64_t partitions,
         const Scenario& scenario, std::int64_t jobs, Random& random);

}  // namespace tactus::simulate::locks
