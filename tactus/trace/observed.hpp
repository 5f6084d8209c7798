#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tactus/trace/observed_plan.hpp"
#include "tactus/trace/observed_processes.hpp"
#include "tactus/trace/scenario.hpp"
#include "tactus/trace/trace.hpp"

/// What was OBSERVED in a run, compared with what was proved: one record for all kinds of runs.
/// Simulator, executors and task processes fill it, job by job; every report reads it, and
/// observed_json.hpp writes it.
///
///     trace::Observed observed(system);
///     observed.book({.task = camera, .job = 0, .release = a, .begin = a, .end = b});
///     hold_to(verdict, observed);                       // methods/promise.hpp
///     for (const trace::Violation& violation : trace::violations(observed)) ...
namespace tactus::trace {

/// Releases of a task with `jitter` or `after`. A proof covers them as the file says they are: each that
/// was not so is counted as outside of the model.
struct ObservedReleases {
  Time latest;              ///< after its arrival, or after the end of the job that started it
  std::uint64_t late = 0;   ///< later than its `jitter`
  std::uint64_t early = 0;  ///< before its nominal arrival: a `bcet` before it is too long
  // between processes:
  std::uint64_t lost = 0;     ///< messages that were never taken
  std::uint64_t doubled = 0;  ///< messages about a job that was told before

  void saw(Time late_by, Time allowed, bool before_arrival);
  std::uint64_t outside() const { return late + early + lost + doubled; }
};

/// What was seen of one task.
struct ObservedTask {
  TaskIndex task = 0;
  std::optional<Time> bound;     ///< of its response, proved for this run
  std::optional<Time> deadline;  ///< nothing for best-effort work, which has no deadline
  bool took_part = true;

  std::vector<Time> responses;  ///< of the jobs that ended, in order
  std::uint64_t forgotten = 0;  ///< jobs before these, whose responses are not kept
  std::uint64_t misses = 0;     ///< jobs that ended late, or had not ended when they should have
  /// The longest response; a job that still runs counts with the time it has taken so far.
  Time longest;
  /// The same, but only what a bound on one job covers: without the wait for the job before, and
  /// without jobs that the machine disturbed.
  Time longest_covered;
  std::uint64_t disturbed = 0;  ///< jobs
  std::vector<Time> late;       ///< how late its releases were noticed, where that is measured
  std::optional<ObservedReleases> releases;  ///< where the file says how late they may be
  std::optional<ObservedProcess> process;    ///< where it was one

  std::uint64_t jobs() const { return responses.size() + forgotten; }
  bool exceeds_bound() const { return bound && longest_covered > *bound; }
};

/// What was seen of a chain: each value followed from the job that read it at one end to the output
/// that was based on it at the other.
struct ObservedChain {
  std::size_t chain = 0;  ///< index in the file
  TaskIndex last = 0;     ///< its last task
  bool fixed_phases = false;
  std::optional<Time> bound;  ///< of both, proved for this run
  std::uint64_t outputs = 0;  ///< of its last task, based on a read of its first one
  Time
      reaction;  ///< the longest from an event just after a read to the output that is based on the next
  Time age;  ///< the longest from a read to the end of its use, at the next output
  std::uint64_t disturbed = 0;  ///< jobs of its tasks; with any, no bound covers these times

  bool exceeds_bound() const { return bound && disturbed == 0 && std::max(reaction, age) > *bound; }
};

/// Who made the run.
enum class Producer : std::uint8_t {
  kSimulator,
  kExecutor,   ///< of a plan, on a GPU or its emulator
  kProcesses,  ///< a process per task, on a GPU that they share
};

/// Where it ran; the simulator needs none.
struct Machine {
  std::string name;  ///< "NVIDIA H200", "emulator"
  std::int64_t sms = 0;
  std::int64_t partition_step = 0;    ///< SMs of a partition are a multiple of this
  std::vector<std::string> features;  ///< what is in force, a line each
};

struct Observed {
  Observed() = default;
  explicit Observed(const System& system);

  Producer producer = Producer::kSimulator;
  std::string method, variant;  ///< the method of the bounds
  std::optional<Scenario> scenario;
  std::optional<Machine> machine;

  std::vector<ObservedTask> tasks;    ///< by task
  std::vector<ObservedChain> chains;  ///< where they were followed
  std::vector<ObservedNode> nodes;
  std::vector<ObservedShare> shares;
  std::optional<ObservedBatches> batches;
  std::optional<ObservedSharing> sharing;  ///< of the GPU by processes
  std::vector<Time> busy;                  ///< unit-time used, by element, where that is counted

  Time end;
  std::uint64_t events = 0;  ///< decisions of the simulator
  /// Why the run ended early (interrupted, too many decisions); empty when it did not.
  std::string cut_short;
  /// A rule of the engine that a simulated policy broke, or empty. If one was broken, nothing else
  /// counts.
  std::string broken_rule;
  std::vector<std::string> notes;  ///< what to know about the run
  std::vector<std::string>
      failures;              ///< what did not go as planned (order, lost blocks), the first
  std::uint64_t failed = 0;  ///< how often

  /// Adds a job, says what its deadline is and whether it missed it, and passes it on.
  void book(JobSpan job, TraceSink* sink = nullptr);
  void fail(std::string what);
  /// Watches the releases that the file says something about.
  void watch_releases(const System& system);
  /// Was any release not as the model has it? Then the bounds do not cover the run.
  bool outside_model() const;
  /// Share of an element's capacity that was used, in thousandths. @pre it is counted.
  std::int64_t utilisation(const System& system, ElementIndex element) const;
  /// No deadline missed, no bound of a task or a chain exceeded, nothing failed.
  bool good() const;
};

/// A task or a chain that was seen to take longer than was proved.
struct Violation {
  TaskIndex task = 0;  ///< of a chain the last
  Time observed, bound;
  std::optional<std::size_t> chain = {};
};

std::vector<Violation> violations(const Observed& observed);

}  // namespace tactus::trace
