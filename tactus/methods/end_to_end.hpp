#pragma once

#include "tactus/methods/verdict.hpp"

/// From sensor to actuator: what the bounds of tasks say about paths of `after` and about chains
/// (docs/use/pipelines.md).
namespace tactus {

/// Adds the latencies of paths and the bounds of chains. A verdict is schedulable only if every chain
/// holds, too.
void add_end_to_end(const System& system, Verdict& verdict);

}  // namespace tactus
