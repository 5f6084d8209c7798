#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "tactus/simulate/policy.hpp"
#include "tactus/trace/trace.hpp"

namespace tactus::simulate {

/// How long to go on.
struct Until {
  std::uint32_t jobs = 100;     ///< of every real-time task
  std::optional<Time> horizon;  ///< or until this time
  std::stop_token stop;
  std::uint64_t events = 20'000'000;  ///< and in any case no further than this many decisions
  bool audit = false;                 ///< also have the policy's own rule checked on every decision
};

/// What was seen of one task.
struct Observed {
  std::vector<Time> responses;  ///< of the jobs that ended, in order
  std::uint32_t misses = 0;     ///< jobs that ended late, or had not ended when they should have
  /// The longest response; a job still running counts with what it has taken so far.
  Time longest;
  /// The same without waiting for the job before, which no bound on one job covers.
  Time longest_alone;
};

struct Outcome {
  std::vector<Observed> tasks;  ///< by task
  std::vector<Time> busy;       ///< unit-time used, by element
  Time end;
  std::uint64_t events = 0;
  /// Why the run ended early (too many decisions, a time beyond 64 bits); empty when it did not.
  std::string cut_short;
  /// A rule of the engine that the policy broke; empty when none was. Then nothing else counts.
  std::string broken_rule;
};

/// Runs a system under a policy: integer time, from event to event, no ticking. One job a task is
/// live at a time; a job that is released while the one before runs starts when that has ended.
///
/// Checked on every decision: only ready works run (so precedences hold), no element is used beyond
/// its units and lanes and no two gangs have a unit in common, what is not preemptible stays where
/// it is; and on every completion, that a work ran exactly as long as it should have.
Outcome run(const System& system, Policy& policy, const Scenario& scenario, const Until& until,
            TraceSink* sink = nullptr);

}  // namespace tactus::simulate
