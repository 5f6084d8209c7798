#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "tactus/simulate/policy.hpp"
#include "tactus/trace/observed.hpp"

namespace tactus::simulate {

/// How long to go on. Every task releases jobs until the end.
struct Until {
  std::uint32_t jobs = 100;      ///< until the slowest task has had this many (`Scenario::span_of`)
  std::optional<Time> duration;  ///< or until this time
  std::stop_token stop;
  std::uint64_t events = 20'000'000;  ///< and in any case no further than this many decisions
  bool audit = false;                 ///< also have the policy's own rule checked on every decision
  Seeing completions = Seeing::kAtOnce;  ///< how the policy sees them, where it looks for them
};

/// Runs a system under a policy: integer time, from event to event, no ticking. One job per task is
/// live at a time; a job that is released while the one before runs starts when that has ended.
///
/// Checked on every decision: only ready works run (so precedences hold), no element is used beyond
/// its units and lanes and no two gangs have a unit in common, what is not preemptible stays where
/// it is; and on every completion, that a work ran exactly as long as it should have.
///
/// With `jobs`, the run waits at the end for the one job of a real-time task without a period and,
/// at most as long again as the run was, for the last job of an overloaded task.
trace::Observed run(const System& system, Policy& policy, const trace::Scenario& scenario,
                    const Until& until, trace::TraceSink* sink = nullptr);

}  // namespace tactus::simulate
