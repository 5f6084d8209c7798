#pragma once

#include "tactus/methods/verdict.hpp"

/// From sensor to actuator: what the bounds of tasks say about paths of `after` and about chains
/// (docs/use/pipelines.md).
namespace tactus {

/// Adds the latencies of paths and the bounds of chains. A verdict is schedulable only if every chain
/// holds, too.
void add_end_to_end(const System& system, Verdict& verdict);

/// What a task of a chain adds to its bound, or several of which each starts the next.
struct ChainPart {
  TaskIndex first = 0, last = 0;
  Time wait;   ///< until the job arrives that reads it; of the first of a chain, a period
  Time takes;  ///< from that arrival to the end
};

/// They add up to the bound; none where there is no bound.
std::vector<ChainPart> chain_parts(const System& system, const Verdict& verdict,
                                   const ChainVerdict& chain);

}  // namespace tactus
