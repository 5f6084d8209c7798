#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tactus/base/result.hpp"
#include "tactus/model/system.hpp"

/// What an analysis leaves open and a run must choose: when jobs arrive and how long they take.
namespace tactus::trace {

enum class Releases {
  kSynchronous,  ///< all at 0, then periodic
  kOffsets,      ///< at the file's offsets, then periodic
  kRandom,       ///< random first releases, then periodic
  kSporadic,     ///< random first releases, then gaps of one to one and a half periods
  kBurst,        ///< first releases close together in a random order: around a critical instant
};

enum class Lengths {
  kWorst,    ///< every execution time is its upper bound
  kUniform,  ///< uniform between lower and upper bound
  kEarly,    ///< mostly the upper bound, sometimes almost 0
};

/// How late within their `jitter` jobs are released.
enum class Lateness {
  kNone,
  kUniform,
  kLate,   ///< as late as they may be
  kBurst,  ///< one as late as it may be, the next at once
};

/// How a dispatcher breaks its ties, where a policy leaves it a choice.
enum class Order {
  kFifo,
  kLifo,
  kRandom,
  kLatest,  ///< first what comes last in the plan or the graph: the worst for what must end soon
};

/// A piece of a job whose length a scenario chooses.
struct Piece {
  enum class Part : std::uint8_t {
    kWork,       ///< of the node
    kLaunch,     ///< the launch code of the node
    kOperation,  ///< of the system software: the `which`-th of the run, during this job
    kRelease,    ///< no work: from the arrival of the job to its release
  };
  std::uint32_t number = 0;  ///< within the job: random lengths are drawn by it
  NodeIndex node = 0;        ///< or the first of several that are one piece
  std::uint32_t which = 0;   ///< of several equal parts of a node: blocks, segments
  Part part = Part::kWork;
};

class Script;

/// Everything random comes from the seed: the same scenario gives the same run, no matter what was
/// simulated before.
struct Scenario {
  Releases releases = Releases::kSynchronous;
  Lengths lengths = Lengths::kWorst;
  Order order = Order::kFifo;
  Lateness lateness = Lateness::kBurst;
  /// Starts what comes first in that order, even if something else must be preempted for it.
  bool preemptive = false;
  std::uint64_t seed = 1;
  /// When jobs arrive and, as far as it says so, how long their pieces take, instead of the above.
  std::shared_ptr<const Script> script = {};
  /// Where there is one: it notes what this scenario chooses.
  std::shared_ptr<Script> record = {};

  /// First release of a task; `Time::max()` if a script has none.
  Time first_release(const System& system, TaskIndex task) const;
  /// From the release of job `job` to that of the next; up to `Time::max()` if it is the last of a
  /// script. @pre the task has a period.
  Time gap_after(const System& system, TaskIndex task, std::uint32_t job) const;
  /// How long after its arrival a job is released; of a task that another one starts, after that one
  /// has completed.
  Time late_by(const System& system, TaskIndex task, std::uint32_t job) const;
  /// How long the slowest task needs for `jobs` jobs: the latest among the releases that follow
  /// them; with a script, for all of its jobs. Best-effort tasks count only if there are no others, tasks without a period never count;
  /// zero if none counts.
  Time span_of(const System& system, std::uint32_t jobs) const;
  /// Execution time of one piece of a job, within [least, most]. @throws BadScript (script.hpp)
  Time length(TaskIndex task, std::uint32_t job, const Piece& piece, Time least, Time most) const;

 private:
  Time drawn_length(TaskIndex task, std::uint32_t job, std::uint32_t piece, Time least,
                    Time most) const;
};

/// "sporadic,early,shuffled": one word for each of the three, in any order, one for the jitter
/// ("jitter-late"), and `preemptive`; the rest as above.
Result<Scenario> parse_scenario(std::string_view text, std::uint64_t seed);
std::string to_string(const Scenario& scenario);

/// One of the many scenarios a hunt goes through.
Scenario random_scenario(std::uint64_t seed, std::uint64_t index);

}  // namespace tactus::trace
